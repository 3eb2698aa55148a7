"""What the largest block size and the deepest queue gain and cost, in words."""

from collections.abc import Mapping, Sequence

from iosonde.analysis.experiments import estimate_run
from iosonde.records import Experiment, Workload
from iosonde.report.growth_words import depth_growth_sentences, size_growth_sentences
from iosonde.report.headline import headline_of
from tests.builders import workload
from tests.sweep_builder import cells_of, run_of_cells

EVEN = (0.999, 1.0, 1.001)
WIDE = (0.5, 1.0, 2.0)


def latencies(latencies_us: Mapping[Workload, float], repeats: Sequence[float]) -> dict[Workload, list[float]]:
    return {asked: [1000 * latency_us * each for each in repeats] for asked, latency_us in latencies_us.items()}


def sizes(latencies_us: Mapping[Workload, float], repeats: Sequence[float] = EVEN) -> list[str]:
    return size_growth_sentences(cells_of(latencies(latencies_us, repeats)))


def depths(
    latencies_us: Mapping[int, float], repeats: Sequence[float] = EVEN, invalid: tuple[str, ...] = (), read: int = 50
) -> list[str]:
    asked = {workload(read_percent=read, queue_depth=depth): each for depth, each in latencies_us.items()}
    estimates = estimate_run(run_of_cells(latencies(asked, repeats), Experiment.QUEUE_DEPTH))
    return depth_growth_sentences(headline_of(estimates).knees, invalid)


def test_latency_at_the_largest_size_is_compared_with_the_smallest_for_reads_and_writes() -> None:
    ends = ((4096, 100.0, 100.0), (16384, 150.0, 300.0), (131072, 400.0, 2000.0))
    (sentence,) = sizes(
        {
            workload(read_percent=read, block_size_bytes=size): (reads if read else writes)
            for read in (100, 0)
            for size, reads, writes in ends
        }
    )
    assert sentence.startswith("Mean latency at 128 KiB compared with 4 KiB: random read 4.00 times (95 % CI ")
    assert "random write 20.0 times (95 % CI 1" in sentence


def test_the_reads_and_writes_of_a_mix_are_named_apart() -> None:
    mix = {workload(read_percent=50, block_size_bytes=size): each for size, each in ((4096, 100.0), (65536, 500.0))}
    (sentence,) = sizes(mix)
    assert "reads of random 50/50 mix 5.00 times" in sentence
    assert "writes of random 50/50 mix 5.00 times" in sentence


def test_a_change_within_the_intervals_is_not_significant() -> None:
    (sentence,) = sizes({workload(block_size_bytes=size): each for size, each in ((4096, 100.0), (65536, 100.1))})
    assert "random read no significant change (ratio 0.99" in sentence


def test_a_wide_interval_is_not_read_as_no_change() -> None:
    (sentence,) = sizes({workload(block_size_bytes=size): each for size, each in ((4096, 100.0), (65536, 130.0))}, WIDE)
    assert sentence == (
        "Mean latency at 64 KiB compared with 4 KiB: random read a change that is too uncertain to judge "
        "(ratio 0.13 to 13.0)."
    )


def test_a_single_repeat_or_a_single_size_says_nothing_about_growth() -> None:
    both = {workload(block_size_bytes=size): each for size, each in ((4096, 100.0), (65536, 500.0))}
    assert sizes(both, (1.0,)) == []
    assert sizes({workload(): 100.0}) == []


def test_the_deepest_queue_is_compared_with_the_shallowest_where_there_is_no_knee() -> None:
    (sentence,) = depths({16: 100, 64: 370, 256: 1400, 1024: 5500})
    assert sentence.startswith(
        "4 KiB random 50/50 mix at depth 1024 compared with depth 16: reads have 1.16 times (95 % CI"
    )
    assert "the IOPS and 55.0 times (95 % CI" in sentence
    assert "; writes have 1.16 times (95 % CI" in sentence


def test_a_sweep_with_a_knee_says_nothing_more() -> None:
    assert depths({1: 100, 2: 100, 4: 100, 8: 100, 16: 200, 32: 400, 64: 800}, read=100) == []


def test_throughput_that_a_deeper_queue_does_not_raise_is_no_significant_change() -> None:
    (sentence,) = depths({16: 100, 64: 400, 256: 1600, 1024: 6400}, read=100)
    assert "at depth 1024 compared with depth 16: no significant change in IOPS (ratio 0.996 to 1.004)" in sentence
    assert "and 64.0 times (95 % CI" in sentence


def test_a_single_repeat_or_an_invalid_cell_says_nothing_about_depths() -> None:
    grown = {16: 100.0, 64: 370.0, 256: 1400.0, 1024: 5500.0}
    assert depths(grown, (1.0,)) == []
    assert depths(grown, invalid=("random-mix50-4KiB-qd64",)) == []
