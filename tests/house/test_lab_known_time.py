"""What the lab holds against a latency on a device of known time: each rule can fail, and right figures break none."""

from dataclasses import replace

import pytest

from lab.known_time.cells import CELLS, MIDDLE, Cell
from lab.known_time.judge import EARLY_NS_MAX, MIN_OVER_FIO_NS_MAX, P50_RATIO, P50_RATIO_ONE_TURN, complaints
from lab.known_time.seen import Pair, Seen, Trace

# A device of 1 ms, of whose thousand requests the kernel took 1.1 ms in each.
TRACE = Trace(count=1000, sum_ns=1_100_000_000, min_ns=1_010_000, buckets=((1_000_000, 500), (1_100_000, 500)))
OURS = Seen(
    cell=Cell(MIDDLE, "interrupt", 8, traced=True),
    tool="iosonde",
    turn=0,
    count=992,
    min_ns=1_020_000,
    p50_ns=1_200_000,
    p99_ns=1_300_000,
    sum_ns=1_190_400_000,
    censored=8,
    censored_ns_max=1_200_000,
    kernel_count=1000,
    kernel_ms=1100,
    trace=TRACE,
)
FIOS = replace(OURS, tool="fio", count=1000, censored=0, censored_ns_max=0)


def lines(ours: Seen, fios: Seen = FIOS) -> list[str]:
    return complaints([Pair(ours.cell, (ours,), (fios,))])


def test_figures_that_can_be_are_left_alone() -> None:
    assert lines(OURS) == []
    assert lines(replace(OURS, min_ns=1_000_000 - EARLY_NS_MAX)) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (replace(OURS, min_ns=1_000_000 - EARLY_NS_MAX - 100), "below the time that the device was set to"),
        (replace(OURS, min_ns=FIOS.min_ns + MIN_OVER_FIO_NS_MAX + 1000), "over fio's"),
        (replace(OURS, p50_ns=round(FIOS.p50_ns * (P50_RATIO_ONE_TURN[1] + 0.02))), "of fio's"),
        (replace(OURS, p50_ns=round(FIOS.p50_ns * (P50_RATIO_ONE_TURN[0] - 0.02)), trace=None), "of fio's"),
        (replace(OURS, sum_ns=1_080_000_000), "the kernel's to 1099"),
        (replace(OURS, p50_ns=1_050_000, trace=replace(TRACE, buckets=((1_100_000, 1000),))), "p50 is 1050.0 µs"),
        (replace(OURS, p99_ns=1_050_000), "p99 is 1050.0 µs, the kernel's 1100.0"),
    ],
)
def test_what_cannot_be_is_told(wrong: Seen, said: str) -> None:
    told = lines(wrong)
    assert len(told) == 1, told
    assert said in told[0]
    assert told[0].startswith("1000 µs, interrupt, depth 8, 1 job (traced): ")


def test_with_two_turns_fio_is_a_closer_measure() -> None:
    slow = replace(OURS, p50_ns=round(FIOS.p50_ns * (P50_RATIO[1] + 0.02)))
    assert lines(slow) == []
    assert len(complaints([Pair(OURS.cell, (slow, replace(slow, turn=1)), (FIOS, FIOS))])) == 1


def test_a_rank_counts_only_by_those_that_were_traced() -> None:
    # Had the 500 that are missing been the shortest, the lower half of the reads may have been shorter than any traced.
    traced = replace(TRACE, count=500, sum_ns=550_000_000, buckets=((1_100_000, 500),))
    assert lines(replace(OURS, p50_ns=1_050_000, trace=traced)) == []
    assert len(lines(replace(OURS, p50_ns=1_050_000, p99_ns=1_060_000, trace=traced))) == 1


def test_fio_is_held_to_the_same_since_it_tells_a_wrong_clock_from_a_wrong_stamp() -> None:
    assert "fio's shortest is" in lines(OURS, replace(FIOS, min_ns=900_000))[0]


def test_a_turn_that_the_host_disturbed_is_forgiven_and_one_that_is_too_short_is_not() -> None:
    slow = replace(OURS, turn=1, p50_ns=9_000_000, p99_ns=9_900_000)
    assert complaints([Pair(OURS.cell, (OURS, slow), (FIOS, FIOS))]) == []
    early = replace(OURS, turn=1, min_ns=700_000)
    assert len(complaints([Pair(OURS.cell, (OURS, early), (FIOS, FIOS))])) == 1


def test_where_the_emulated_cpus_are_too_slow_only_bounds_are_judged() -> None:
    cell = replace(OURS.cell, judged=False)
    assert lines(replace(OURS, cell=cell, p50_ns=9_000_000, p99_ns=9_900_000)) == []
    assert len(lines(replace(OURS, cell=cell, min_ns=900_000))) == 1


def test_each_cell_differs_from_every_other() -> None:
    assert len(set(CELLS)) == len(CELLS)
