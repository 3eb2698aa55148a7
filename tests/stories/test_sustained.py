"""Sustained experiments on simulated volumes and drives: what the report says agrees with the model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iosonde.analysis.burst_causes import DropCause, LimitUnit, cause_of, limit_unit
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.sustained import Refill, Sustained, sustained_of
from iosonde.campaign import NullObserver
from iosonde.findings.finding import Severity
from iosonde.plans.models import model_text
from iosonde.records import CellPlan, CellTurn, IdleStep, RunRecord, Step
from iosonde.report.export import run_json
from iosonde.store import load_run
from tests.campaign_runs import Interrupting, measure, profile_request, resume
from tests.judging import findings_of
from tests.stories.short_runs import DONE, fork

EXACT = 0.05
KIB = 1 << 10


def volume_file(folder: Path, **parameters: int) -> Path:
    """A model file of a volume of 1 GiB with these parameters instead of those of gp2."""
    text = model_text("cloud-burst").partition("[sources]")[0]
    asked = {"capacity_bytes": 1 << 30, "capacity_scale": 1} | parameters
    lines = [
        f"{key} = {asked[key]}" if (key := line.partition(" = ")[0]) in asked else line for line in text.split("\n")
    ]
    path = folder / "volume.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def experiment(**keys: Any) -> str:
    asked = {"kind": "sustained", "pattern": "random", "read": 100, "block_size": "4KiB", "queue_depth": 32, **keys}
    return "\n[[experiment]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in asked.items())


def measured(folder: Path, target: str, *experiments: str) -> RunRecord:
    campaign = folder / "sustained.toml"
    campaign.write_text('name = "sustained"\n' + "".join(experiments), encoding="utf-8")
    measure(profile_request([f"sim:{target},seed=1"], campaign, seed=1), folder / "run")
    return load_run(folder / "run")


def only(run: RunRecord) -> Sustained:
    (found,) = sustained_of(run.cells)
    return found


IOS_LIMITED: list[tuple[dict[str, int], str, list[str]]] = [
    ({"base_iops": 300, "burst_iops": 3_000, "bucket_io_credits": 60_000}, "60s", ["0s", "30s", "10m"]),
    ({"base_iops": 100, "burst_iops": 3_000, "bucket_io_credits": 40_000}, "60s", ["0s", "1m", "20m"]),
    ({"base_iops": 2_000, "burst_iops": 3_000, "bucket_io_credits": 20_000}, "60s", ["0s", "5s", "1m"]),
    ({"base_iops": 900, "burst_iops": 16_000, "bucket_io_credits": 250_000}, "60s", ["0s", "2m", "30m"]),
    (
        {"base_iops": 300, "burst_iops": 3_000, "bucket_io_credits": 60_000, "bucket_start_permille": 300},
        "60s",
        ["0s", "30s", "10m"],
    ),
]


@pytest.mark.parametrize(("parameters", "duration", "idle"), IOS_LIMITED)
def test_bucket_burst_rate_and_base_rate_are_found_within_five_percent(
    parameters: dict[str, int], duration: str, idle: list[str], tmp_path: Path
) -> None:
    run = measured(
        tmp_path, str(volume_file(tmp_path, **parameters)), experiment(name="r", duration=duration, idle=idle)
    )
    found = only(run)
    burst, bucket = found.first_burst, found.bucket_ios
    assert cause_of(found, [found]) is DropCause.CREDITS
    assert burst is not None
    assert bucket is not None
    assert burst.burst.iops == pytest.approx(parameters["burst_iops"], rel=EXACT)
    assert burst.base.iops == pytest.approx(parameters["base_iops"], rel=EXACT)
    assert bucket.value == pytest.approx(parameters["bucket_io_credits"], rel=EXACT)
    assert bucket.low <= parameters["bucket_io_credits"] * 1.01
    assert bucket.high >= parameters["bucket_io_credits"] * 0.99
    assert [each.refill for each in found.recoveries] == [Refill.EQUAL, Refill.FULL]
    assert findings_of(run) == () or all(each.severity is Severity.NOTE for each in findings_of(run))


def test_a_bucket_of_bytes_is_found_and_two_block_sizes_tell_that_it_counts_bytes(tmp_path: Path) -> None:
    parameters = {
        "base_iops": 50_000,
        "burst_iops": 50_000,
        "bucket_io_credits": 0,
        "base_bytes_per_s": 20_000_000,
        "burst_bytes_per_s": 125_000_000,
        "bucket_bytes": 3_000_000_000,
    }
    run = measured(
        tmp_path,
        str(volume_file(tmp_path, **parameters)),
        experiment(name="r", block_size=["128KiB", "16KiB"], duration="60s", idle=["0s", "20s", "10m"]),
    )
    found = sustained_of(run.cells)
    for each in found:
        burst, bucket = each.first_burst, each.bucket_ios
        assert burst is not None
        assert bucket is not None
        assert burst.burst.bytes_per_s == pytest.approx(125_000_000, rel=EXACT)
        assert burst.base.bytes_per_s == pytest.approx(20_000_000, rel=EXACT)
        assert bucket.value * each.workload.block_size_bytes == pytest.approx(3_000_000_000, rel=EXACT)
        assert limit_unit(each, found) is LimitUnit.BYTES


def test_two_block_sizes_tell_that_a_limit_counts_operations(tmp_path: Path) -> None:
    parameters = {"bucket_io_credits": 40_000}
    run = measured(
        tmp_path,
        str(volume_file(tmp_path, **parameters)),
        experiment(name="r", block_size=["4KiB", "32KiB"], duration="60s", idle=["0s", "20s"]),
    )
    found = sustained_of(run.cells)
    assert [limit_unit(each, found) for each in found] == [LimitUnit.IOS, LimitUnit.IOS]


def test_without_an_idle_time_that_fills_it_the_size_of_a_bucket_is_a_lower_limit(tmp_path: Path) -> None:
    parameters = {"bucket_io_credits": 60_000, "bucket_start_permille": 500}
    target = str(volume_file(tmp_path, **parameters))
    found = only(measured(tmp_path, target, experiment(name="r", duration="60s", idle=["0s"])))
    assert found.bucket_ios is None
    assert found.least_ios is not None
    # The preconditioning write of 1 GiB takes 8 s and spends 4 credits for each of 1,024 writes.
    assert found.least_ios.value == pytest.approx(30_000 - 4 * 1_024 + 8 * 300, rel=EXACT)
    assert found.recoveries == ()


def test_writes_alone_do_not_decide_between_credits_and_a_cache_until_an_idle_time_does(tmp_path: Path) -> None:
    target = str(volume_file(tmp_path, bucket_io_credits=40_000))
    (tmp_path / "long").mkdir()
    found = only(measured(tmp_path, target, experiment(name="w", read=0, duration="60s", idle=["0s"])))
    assert cause_of(found, [found]) is DropCause.UNKNOWN
    found = only(measured(tmp_path / "long", target, experiment(name="w", read=0, duration="60s", idle=["0s", "30s"])))
    assert cause_of(found, [found]) is DropCause.CREDITS


def test_a_drive_that_is_throttled_once_and_stays_slow_has_no_credits(tmp_path: Path) -> None:
    path = tmp_path / "throttled.toml"
    throttled = '[[faults]]\nkind = "throttling"\nfrom_ns = 30_000_000_000\nstretch_permille = 4000\n'
    path.write_text(f"{model_text('fixed').partition('[sources]')[0]}\n{throttled}", encoding="utf-8")
    found = only(measured(tmp_path, str(path), experiment(name="r", queue_depth=1, duration="60s", idle=["0s", "30s"])))
    assert len(found.stretches[0].transfer.plateaus) == 2
    assert cause_of(found, [found]) is DropCause.THROTTLING


def test_a_volume_without_a_bucket_has_no_burst_and_nothing_is_said_of_credits(tmp_path: Path) -> None:
    parameters = {"base_iops": 3_000, "burst_iops": 3_000, "bucket_io_credits": 0}
    target = str(volume_file(tmp_path, **parameters))
    found = only(measured(tmp_path, target, experiment(name="r", duration="60s", idle=["0s", "30s"])))
    assert found.first_burst is None
    assert cause_of(found, [found]) is None


def test_a_bucket_that_never_empties_says_nothing(tmp_path: Path) -> None:
    target = str(volume_file(tmp_path, bucket_io_credits=5_400_000))
    found = only(measured(tmp_path, target, experiment(name="r", duration="60s", idle=["0s", "30s"])))
    assert found.first_burst is None
    assert cause_of(found, [found]) is None


def test_the_cache_of_a_drive_is_a_write_cache_and_its_changes_are_no_finding(tmp_path: Path) -> None:
    run = measured(
        tmp_path,
        "client-nvme",
        experiment(name="r", pattern="sequential", block_size="128KiB", duration="10s"),
        experiment(name="w", pattern="sequential", read=0, block_size="128KiB", duration="10s", idle=["0s", "2m"]),
    )
    reads, writes = sustained_of(run.cells)
    assert cause_of(reads, [reads, writes]) is not DropCause.CREDITS
    assert cause_of(writes, [reads, writes]) is DropCause.WRITE_CACHE
    plateaus = writes.stretches[-1].transfer.plateaus
    # 40 GB of SLC on a drive that is 64 times larger.
    assert plateaus[0].end_bytes_low <= 625_000_000 <= plateaus[0].end_bytes_high
    assert not {each.id for each in findings_of(run)} & {"level-changed", "not-settled", "state-left"}


def test_the_stretches_of_a_workload_follow_each_other_in_the_order_of_the_file(tmp_path: Path) -> None:
    run = measured(tmp_path, "cloud-burst", experiment(name="r", duration="10s", idle=["1m", "0s", "5s"]))
    assert [cell.timing.idle_ns // 10**9 for cell in run.cells] == [60, 0, 5]
    starts = [cell.clock_start.engine_ns for cell in run.cells if cell.clock_start is not None]
    ends = [cell.clock_end.engine_ns for cell in run.cells if cell.clock_end is not None]
    gaps = [round((start - end) / 10**9) for start, end in zip(starts[1:], ends, strict=False)]
    assert gaps == [0, 5]


class Listening(NullObserver):
    """Keeps what is announced, in order."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def step_started(self, step: Step) -> None:
        if isinstance(step, IdleStep):
            self.heard.append(f"idle {step.duration_ns // 10**9} s")

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:  # noqa: ARG002 - each counts
        self.heard.append("stretch")


def test_idle_times_are_announced_before_their_stretches(tmp_path: Path) -> None:
    campaign = tmp_path / "sustained.toml"
    text = experiment(name="r", duration="10s", idle=["0s", "1m"])
    campaign.write_text(f'name = "sustained"\n{text}', encoding="utf-8")
    observer = Listening()
    measure(profile_request(["sim:cloud-burst,seed=1"], campaign, seed=1), tmp_path / "run", observer)
    assert observer.heard == ["stretch", "idle 60 s", "stretch"]


def test_a_resumed_run_has_the_same_stretches(tmp_path: Path) -> None:
    def ran(folder: Path, after: int | None) -> Callable[[], None]:
        folder.mkdir()
        campaign = folder / "sustained.toml"
        text = 'name = "sustained"\n' + experiment(name="r", duration="40s", idle=["0s", "1m", "2m"])
        campaign.write_text(text, encoding="utf-8")
        observer = None if after is None else Interrupting(after)
        return lambda: measure(profile_request(["sim:cloud-burst,seed=1"], campaign, seed=1), folder / "run", observer)

    assert fork(ran(tmp_path / "whole", None)).wait() == DONE
    assert fork(ran(tmp_path / "broken", 1)).wait() != DONE
    resume(tmp_path / "broken" / "run")
    assert load_run(tmp_path / "broken" / "run").cells == load_run(tmp_path / "whole" / "run").cells


def test_the_json_has_the_bursts_and_the_plateaus_of_each_stretch(tmp_path: Path) -> None:
    run = measured(tmp_path, "cloud-burst", experiment(name="r", duration="60s", idle=["0s", "1m", "10m"]))
    document = json.loads(run_json(RunAnalysis(run), ()))
    assert [each["idle_ns"] // 10**9 for each in document["transfers"]] == [0, 0, 60, 600]
    (found,) = document["sustained"]
    assert found["cause"] == "credits"
    assert found["bucket_ios"]["value"] == pytest.approx(5_400_000 / 64, rel=EXACT)
