"""Ends one long trial once the samples of its last blocks are steady."""

from iosonde.analysis.samples import BlockSamples
from iosonde.analysis.series.steady import is_steady, recorded_rule
from iosonde.records import IntervalRecord, SteadySamples
from iosonde.vocabulary import Operation


class SampleWatch:
    """Judges the samples of a trial at the end of each block."""

    def __init__(self, rule: SteadySamples, subject: Operation) -> None:
        self._samples = BlockSamples(rule, subject)
        self._criterion = recorded_rule(rule)

    def take(self, interval: IntervalRecord) -> None:
        """Takes an interval of the trial."""
        self._samples.take(interval)

    def is_enough(self) -> bool:
        """Whether the samples of the last window of blocks are steady. One without a value begins a new window."""
        last = self._samples.values[-self._criterion.window :]
        return len(last) == self._criterion.window and is_steady(last, self._criterion)
