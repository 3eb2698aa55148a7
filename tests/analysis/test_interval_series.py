"""The intervals of a long trial take bounded memory, and their sums stay exact."""

from itertools import pairwise

from iosonde.analysis.interval_series import IntervalSeries
from iosonde.analysis.totals import sums_of
from iosonde.records import IntervalRecord, Operation, Phase
from tests.builders import interval_record, totals_of

AT_MOST = 16


def trial(warmup: int, measured: int) -> list[IntervalRecord]:
    return [
        interval_record(
            index,
            {Operation.READ: totals_of([1_000 * (1 + index % 7)] * (index % 5))} if index % 5 else {},
            phase=Phase.WARMUP if index < warmup else Phase.MEASURE,
        )
        for index in range(warmup + measured)
    ]


def series_of(intervals: list[IntervalRecord]) -> tuple[IntervalRecord, ...]:
    series = IntervalSeries(AT_MOST)
    for each in intervals:
        series.append(each)
        assert len(series.intervals) <= AT_MOST
    return series.intervals


def test_a_short_trial_keeps_each_interval() -> None:
    intervals = trial(3, AT_MOST - 4)
    assert series_of(intervals) == tuple(intervals)


def test_the_sums_over_a_long_trial_are_exact() -> None:
    for warmup in (0, 1, 5, 40):
        intervals = trial(warmup, 333)
        assert sums_of(series_of(intervals)) == sums_of(intervals)


def test_merged_intervals_are_contiguous_and_cover_the_trial() -> None:
    intervals = trial(5, 333)
    found = series_of(intervals)
    assert (found[0].start_ns, found[-1].end_ns) == (intervals[0].start_ns, intervals[-1].end_ns)
    for before, after in pairwise(found):
        assert before.end_ns == after.start_ns
        assert before.interval_last + 1 == after.interval_first


def test_merged_intervals_are_of_one_phase_and_all_but_the_last_have_one_length() -> None:
    found = series_of(trial(50, 333))
    warmup_ns = sum(each.end_ns - each.start_ns for each in found if each.phase is Phase.WARMUP)
    assert warmup_ns == 50 * (interval_record(0, {}).end_ns)
    whole = [each.end_ns - each.start_ns for each in found if each.phase is Phase.MEASURE][:-1]
    assert len(whole) >= AT_MOST // 4
    assert max(whole) == min(whole)
