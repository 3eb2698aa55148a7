"""The intervals of one trial in bounded memory: a trial of days has too many to keep each with its histograms."""

from itertools import groupby
from typing import Final

from iosonde.analysis.totals import merged_interval
from iosonde.records import IntervalRecord

SERIES_MAX: Final = 2048
"""Batch means and the tests for a warm-up need hundreds of values. A histogram in memory may have 40 kB."""


class IntervalSeries:
    """Takes the intervals of a trial in order. Once there are too many, adjacent ones are merged, two by two.

    All sums stay exact. An interval of the warm-up is never merged with one of the measurement.
    """

    def __init__(self, at_most: int = SERIES_MAX) -> None:
        self._at_most = at_most
        self._kept: list[IntervalRecord] = []
        # What is merged next: so many of ``_size`` intervals.
        self._group: list[IntervalRecord] = []
        self._filled = 0
        self._size = 1

    def append(self, interval: IntervalRecord) -> None:
        """Takes the next interval."""
        if self._group and self._group[0].phase is not interval.phase:
            self._end_group()
        self._group.append(interval)
        self._filled += 1
        if self._filled == self._size:
            self._end_group()
            if len(self._kept) >= self._at_most:
                self._halve()

    @property
    def intervals(self) -> tuple[IntervalRecord, ...]:
        """The intervals so far, of which the last may be shorter than the others."""
        rest = [_merged(self._group)] if self._group else []
        return (*self._kept, *rest)

    def _end_group(self) -> None:
        self._kept.append(_merged(self._group))
        self._group, self._filled = [], 0

    def _halve(self) -> None:
        phases = [list(same) for _, same in groupby(self._kept, key=lambda each: each.phase)]
        if len(phases[-1]) % 2:
            # It goes on, so that all intervals of the phase have the same length.
            self._group, self._filled = [phases[-1].pop()], self._size
        self._size *= 2
        self._kept = [_merged(same[at : at + 2]) for same in phases for at in range(0, len(same), 2)]


def _merged(intervals: list[IntervalRecord]) -> IntervalRecord:
    return intervals[0] if len(intervals) == 1 else merged_interval(intervals[0].phase, intervals)
