"""Mixes compared with their pure workloads."""

import pytest

from iosonde.analysis.interference import Interference, interference_of
from iosonde.records import Experiment, Sync
from tests.builders import workload
from tests.sweep_builder import cells_of

EVEN = (0.99, 1.0, 1.01)


def interference(mixed_us: float, repeats: tuple[float, ...] = EVEN, share: int = 70) -> tuple[Interference, ...]:
    """A mix of this mean latency, between reads of 100 µs and writes of 200 µs."""
    latencies_us = {100: 100.0, share: mixed_us, 0: 200.0}
    cells = cells_of(
        {
            workload(read_percent=read): [1000 * value * each for each in repeats]
            for read, value in latencies_us.items()
        },
        Experiment.MIX,
    )
    return interference_of(cells, cells)


def test_a_mix_without_interference_is_the_weighted_mean_of_its_pure_workloads() -> None:
    (found,) = interference(0.7 * 100 + 0.3 * 200)
    assert found.latency_of_weighted.value == pytest.approx(1, rel=0.01)
    assert found.latency_of_weighted.ratio is not None
    assert not found.latency_of_weighted.ratio.differs


def test_the_excess_over_the_weighted_mean_has_an_interval() -> None:
    (found,) = interference(1.5 * 130)
    assert found.latency_of_weighted.value == pytest.approx(1.5, rel=0.01)
    assert found.latency_of_weighted.ratio is not None
    assert found.latency_of_weighted.ratio.low > 1.4
    assert found.reads.latency_mean.value == pytest.approx(1.95, rel=0.01)
    assert found.writes.latency_mean.value == pytest.approx(0.975, rel=0.01)
    assert found.reads.latency_p99 is not None


def test_one_repeat_gives_values_without_intervals() -> None:
    (found,) = interference(130, (1.0,))
    assert found.latency_of_weighted.ratio is None


def test_a_mix_without_both_pure_workloads_is_not_compared() -> None:
    cells = cells_of({workload(read_percent=read): [100_000.0] for read in (100, 70)}, Experiment.MIX)
    assert interference_of(cells, cells) == ()


def test_pure_workloads_at_another_depth_do_not_count() -> None:
    asked = [workload(read_percent=70), *(workload(read_percent=read, queue_depth=1) for read in (100, 0))]
    cells = cells_of({each: [100_000.0] for each in asked}, Experiment.MIX)
    assert interference_of(cells, cells) == ()


def test_a_durable_mix_is_compared_with_durable_writes_and_with_reads_which_need_no_flush() -> None:
    durable = {
        workload(read_percent=share, sync=Sync.DSYNC): [1000 * each] for share, each in ((70, 260.0), (0, 200.0))
    }
    cells = cells_of({workload(): [100_000.0], **durable}, Experiment.MIX)
    (found,) = interference_of(cells, cells)
    assert found.latency_of_weighted.value == pytest.approx(2, rel=0.01)


def test_a_durable_mix_is_never_compared_with_plain_writes() -> None:
    asked = [workload(), workload(read_percent=70, sync=Sync.DSYNC), workload(read_percent=0)]
    cells = cells_of({each: [100_000.0] for each in asked}, Experiment.MIX)
    assert interference_of(cells, cells) == ()
