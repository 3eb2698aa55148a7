"""One long trial ends at the block where its samples are steady, in each run and after an interruption."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.campaign.sample_watch import SampleWatch
from iosonde.records import IntervalRecord, Outcome, Phase, RunRecord, SteadySamples
from iosonde.store import load_run
from iosonde.vocabulary import Operation, Quantity, SampleOf
from tests.builders import interval_record, totals_of
from tests.campaign_runs import Interrupting, measure, profile_request, resume

LENGTH_NS = interval_record(0, {}).end_ns - interval_record(0, {}).start_ns
BLOCK = 4
WINDOW = 3


def rule(sample_of: SampleOf = SampleOf.LAST, quantity: Quantity = Quantity.IOPS, sample: int = 2) -> SteadySamples:
    return SteadySamples(
        quantity=quantity,
        sample_ns=sample * LENGTH_NS,
        block_ns=BLOCK * LENGTH_NS,
        sample_of=sample_of,
        window=WINDOW,
    )


def intervals(counts: list[int], phase: Phase = Phase.MEASURE) -> Iterator[IntervalRecord]:
    for index, count in enumerate(counts):
        operations = {Operation.WRITE: totals_of([10_000] * count)} if count else {}
        yield interval_record(index, operations, phase=phase)


def ends_after(counts: list[int], asked: SteadySamples | None = None) -> int | None:
    """The number of blocks after which a trial ends whose intervals have so many operations."""
    watch = SampleWatch(asked or rule(), Operation.WRITE)
    for number, interval in enumerate(intervals(counts), 1):
        watch.take(interval)
        if number % BLOCK == 0 and watch.is_enough():
            return number // BLOCK
    return None


def blocks(*samples: int, others: int = 1) -> list[int]:
    """Intervals whose last two of each block have so many operations."""
    return [count for each in samples for count in (others, others, each, each)]


def test_a_trial_ends_after_the_first_window_of_steady_samples() -> None:
    assert ends_after(blocks(50, 50, 50, 50)) == WINDOW
    assert ends_after(blocks(100, 52, 50, 50, 50)) == 4


def test_a_trial_whose_samples_are_never_steady_is_never_long_enough() -> None:
    assert ends_after(blocks(100, 80, 60, 45, 30)) is None


def test_only_the_asked_sample_of_each_block_is_judged() -> None:
    falling = [count for each in (100, 70, 45, 30) for count in (each, each, 50, 50)]
    assert ends_after(falling, rule(SampleOf.LAST)) == WINDOW
    assert ends_after(falling, rule(SampleOf.FIRST)) is None


def test_the_warm_up_is_no_part_of_a_sample() -> None:
    watch = SampleWatch(rule(), Operation.WRITE)
    for interval in [*intervals([1] * 3, Phase.WARMUP), *intervals(blocks(50, 50, 50))]:
        watch.take(interval)
    assert watch.is_enough()


def test_a_sample_without_completions_begins_a_new_window() -> None:
    assert ends_after(blocks(50, 0, 50, 50, 50)) == 5
    assert ends_after(blocks(0, 0, 0, 0)) is None


def test_the_quantity_can_be_a_latency() -> None:
    assert ends_after(blocks(100, 80, 60), rule(quantity=Quantity.LATENCY_NS_MEAN)) == WINDOW
    # A p99 needs 1000 operations.
    assert ends_after(blocks(100, 100, 100), rule(quantity=Quantity.LATENCY_NS_P99)) is None
    assert ends_after(blocks(600, 600, 600), rule(quantity=Quantity.LATENCY_NS_P99)) == WINDOW


def test_a_merged_interval_counts_for_each_sample_that_it_overlaps() -> None:
    watch = SampleWatch(rule(), Operation.WRITE)
    (first,) = intervals([100])
    merged = interval_record(0, first.operations, end_ns=first.start_ns + 2 * BLOCK * LENGTH_NS)
    for interval in [merged, *intervals([100 // 8] * BLOCK)]:
        watch.take(interval)
    assert watch.is_enough()


DRIVE = "sim:sata-dc,seed=2,scale=1024"
LONG = """name = "long"
[[procedure]]
name = "saturation"
[[procedure.phase]]
name = "fill"
[[procedure.phase.cells]]
pattern = "sequential"
read = 0
block_size = "128KiB"
queue_depth = 8
capacities = 1
limit = "60s"
[[procedure.phase]]
name = "writes"
[procedure.phase.steady]
sample = "50ms"
block = "200ms"
window = 4
[[procedure.phase.cells]]
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 16
duration = "20s"
[[procedure.phase]]
name = "after"
[[procedure.phase.cells]]
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 4
duration = "40ms"
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("long") / "long.toml"
    file.write_text(LONG, encoding="utf-8")
    return file


def measured(campaign: Path, directory: Path, observer: Interrupting | None = None) -> RunRecord:
    measure(profile_request([DRIVE], campaign, time_scale=1), directory, observer)
    return load_run(directory)


@pytest.fixture(scope="module")
def unbroken(campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    return measured(campaign, tmp_path_factory.mktemp("unbroken") / "run")


def test_a_trial_on_a_drive_ends_with_the_block_in_which_it_is_steady(unbroken: RunRecord) -> None:
    _, first, second = unbroken.cells
    stop = unbroken.header.plan.procedures[0].phases[1].stop
    assert isinstance(stop, SteadySamples)
    assert first.outcome is Outcome.FINISHED
    # The drive was written in order, so it takes some blocks until garbage collection has settled.
    assert stop.window + 2 < first.measured_ns // stop.block_ns < 50
    assert first.measured_ns % stop.block_ns == 0
    watch = SampleWatch(stop, first.workload.subject)
    ends = []
    for interval in first.intervals:
        watch.take(interval)
        ends.append(watch.is_enough())
    assert ends.index(True) == len(ends) - 1
    assert second.measured_ns == second.timing.measure_ns


def test_each_run_ends_the_trial_at_the_same_block(unbroken: RunRecord, campaign: Path, tmp_path: Path) -> None:
    assert measured(campaign, tmp_path / "run").cells == unbroken.cells


@pytest.mark.parametrize(("after", "within"), [(1, True), (2, False), (2, True)])
def test_a_run_that_was_interrupted_ends_it_at_the_same_block(
    unbroken: RunRecord, campaign: Path, tmp_path: Path, *, after: int, within: bool
) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(campaign, tmp_path / "run", Interrupting(after, within=within))
    resume(tmp_path / "run")
    assert load_run(tmp_path / "run").cells == unbroken.cells
