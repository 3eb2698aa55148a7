"""Procedures with long stimuli on a simulated drive, scaled 1:300, from the run to the report."""

import json
import re
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped] # It comes without types.
import pytest

from tests.commands import iosonde
from tests.stories.standard_procedures import Story, check_phases, story_of


def pages(story: Story) -> str:
    """The text of all pages of the report."""
    pdf = story.directory.parent / "report.pdf"
    done = iosonde("report", story.directory, "--pdf", pdf)
    assert done.returncode == 0, done.stderr
    found = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]
    assert all("SIMULATED, SCALED 1:300 IN CAPACITY AND TIME" in each for each in found)
    return " ".join(" ".join(found).split())


def test_throughput_recovers_from_random_writes_within_the_third_group(tmp_path: Path) -> None:
    story = story_of(tmp_path, "pts-xsr", words=("--no-report",))
    check_phases(story.run)

    # The third group is 96 s long, and its level is that of the first, which was measured on a fresh drive.
    found = re.search(r"recovery time of group 3: sequential 1 MiB ([\d.]+) s", story.printed)
    assert found is not None
    assert 10 < float(found[1]) < 96

    text = pages(story)
    assert "Bandwidth against time" in text
    assert "Mean and maximum latency against time" in text
    assert f"{found[1]} s" in text


@pytest.mark.parametrize("profile", ["pts-cbw", "pts-dirth"])
def test_a_demand_variation_has_operating_points_and_a_histogram_at_each(profile: str, tmp_path: Path) -> None:
    story = story_of(tmp_path, profile, words=("--no-report",))
    check_phases(story.run)

    assert "steady state reached in round" in story.printed
    text = pages(story)
    for part in ("Demand variation", "Demand intensity", "IOPS by total outstanding I/O", "System CPU"):
        assert part in text
    document = iosonde("report", story.directory, "--json", story.directory.parent / "run.json")
    assert document.returncode == 0, document.stderr
    [found] = json.loads((story.directory.parent / "run.json").read_text(encoding="utf-8"))["procedures"]
    points = {each["point"]: each for each in found["points"]}
    assert points["minimum"]["iops"] < points["middle"]["iops"] < points["maximum"]["iops"]
    assert points["maximum"]["latency_ns_mean"] <= 5_000_000
    for point in ("Maximum", "Middle", "Minimum"):
        assert f"{point}: IOPS of the pre-writes against time" in text
        assert f"{point}: response-time histogram" in text
        assert f"{point}, pre-writes" in text


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("pts-hir", ("IOPS of each wait state", "in steps of one sample", "steady state reached in block")),
        ("pts-wsat", ("IOPS against drive fills", "IOPS against total bytes written", "Steady state")),
        ("tkperf-writesat", ("IOPS against drive fills", "IOPS against total bytes written")),
        ("sustained-write", ("Bandwidth against time", "Recovery after idle time")),
    ],
)
def test_the_report_of_a_long_procedure_has_its_charts_and_tables(
    name: str, parts: tuple[str, ...], tmp_path: Path
) -> None:
    story = story_of(tmp_path, name, words=("--no-report",))
    check_phases(story.run)

    text = f"{story.printed} {pages(story)}"

    for part in parts:
        assert part in text
