"""Ends one long trial once the samples of its last blocks are steady."""

import numpy as np

from iosonde.analysis.samples import BlockSamples
from iosonde.analysis.series.steady import SteadyRule, holds, window_figures
from iosonde.records import IntervalRecord, SteadySamples
from iosonde.vocabulary import Operation


class SampleWatch:
    """Judges the samples of a trial at the end of each block."""

    def __init__(self, rule: SteadySamples, subject: Operation) -> None:
        self._samples = BlockSamples(rule, subject)
        self._criterion = SteadyRule(
            "steady state", rule.window, range_max=rule.range_share, excursion_max=rule.excursion_share
        )

    def take(self, interval: IntervalRecord) -> None:
        """Takes an interval of the trial."""
        self._samples.take(interval)

    def is_enough(self) -> bool:
        """Whether the samples of the last window of blocks are steady. One without a value begins a new window."""
        last = self._samples.values[-self._criterion.window :]
        known = [value for value in last if value is not None]
        if len(known) < self._criterion.window:
            return False
        return holds(window_figures(np.array(known, dtype=np.float64)), self._criterion)
