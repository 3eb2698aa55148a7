"""Sweeps over the size and the offset of the test region on simulated drives: what the report says is in the model."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iosonde.plans.models import model_text
from tests.campaign_runs import measure, profile_request
from tests.house.checkout import ROOT
from tests.stories.whole_reports import assert_whole, report_of

CACHE = "\n[read_cache]\nsize_bytes = 67_108_864\nread_ahead_bytes = 0\nkeeps_pages = true\n"
SPANS = """
name = "spans"
repeats = {repeats}
warmup = "1s"
duration = "500ms"
[[experiment]]
name = "reads by region"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 4
span = ["16MiB", "32MiB", "256MiB"]
"""
ALIGNMENT = ROOT / "examples/alignment.toml"
OF_4_KIB = "offsets that are not multiples of the block size and of 4 KiB"


@dataclass(frozen=True)
class Told:
    """The report of a run as text and as data."""

    markdown: str
    data: dict[str, Any]


def told(target: str, campaign: Path, folder: Path, **others: Any) -> Told:
    measure(profile_request([target], campaign, seed=1, **others), folder / "run")
    report = report_of(folder / "run")
    assert_whole(report)
    return Told(report.texts["markdown"], json.loads(report.texts["json"]))


def spans(folder: Path, *, cached: bool, repeats: int = 3) -> Told:
    model, campaign = folder / "drive.toml", folder / "spans.toml"
    model.write_text(model_text("sata-dc").partition("[sources]")[0] + (CACHE if cached else ""), encoding="utf-8")
    campaign.write_text(SPANS.format(repeats=repeats), encoding="utf-8")
    return told(f"sim:{model}", campaign, folder, size="512MiB")


def test_throughput_falls_between_the_two_regions_around_the_size_of_the_read_cache(tmp_path: Path) -> None:
    found = spans(tmp_path, cached=True)
    assert "throughput falls between test regions of 32 MiB and 256 MiB, to 0." in found.markdown
    (sweep,) = found.data["span_sweeps"]
    assert sweep["cell"] == sweep["cells"][2]
    assert sweep["below"] == sweep["cells"][1]
    assert sweep["basis"] in sweep["cells"][:2]
    assert sweep["iops_of_basis"]["high"] < 1
    assert found.data["offset_sweeps"] == []


def test_without_a_read_cache_throughput_does_not_fall(tmp_path: Path) -> None:
    found = spans(tmp_path, cached=False)
    assert "throughput does not fall significantly up to the largest test region (256 MiB)" in found.markdown
    (sweep,) = found.data["span_sweeps"]
    assert (sweep["is_known"], sweep["cell"], sweep["iops_of_basis"]) == (True, None, None)


def test_one_repeat_is_too_few_to_find_the_end_of_a_cache(tmp_path: Path) -> None:
    found = spans(tmp_path, cached=True, repeats=1)
    assert "test regions are not compared, because fewer than two have confidence intervals" in found.markdown
    (sweep,) = found.data["span_sweeps"]
    assert (sweep["is_known"], sweep["cell"]) == (False, None)


def test_misaligned_writes_of_a_solid_state_drive_are_slower(tmp_path: Path) -> None:
    found = told("sim:sata-dc", ALIGNMENT, tmp_path, size="256MiB", quick=True)
    assert (
        f"4 KiB random writes, 128 MiB region at depth 4: {OF_4_KIB} are slower; throughput at offset 512 B is 0."
        in (found.markdown)
    )
    writes = next(each for each in found.data["offset_sweeps"] if "write" in each["cells"][0])
    assert writes["cell"].endswith("from512B")
    assert not writes["basis"].endswith("from512B")
    # Each write touches two units of 4 KiB, so it reads both and transfers twice the data.
    assert writes["iops_of_basis"]["high"] < 0.6


def test_a_drive_whose_service_time_is_that_of_every_offset_has_no_cost_of_misalignment(tmp_path: Path) -> None:
    found = told("sim:mmc", ALIGNMENT, tmp_path, size="256MiB", quick=True)
    assert f"no significant difference from {OF_4_KIB} was found" in found.markdown
    assert f"{OF_4_KIB} are slower" not in found.markdown
    assert [each["cell"] for each in found.data["offset_sweeps"]] == [None, None]
