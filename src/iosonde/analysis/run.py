"""A run and its estimates."""

from dataclasses import dataclass
from functools import cached_property

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.streams import by_stream
from iosonde.records import RunRecord


@dataclass(frozen=True)
class RunAnalysis:
    """A recorded run and its estimates, which are computed once, on first use.

    Keep this object to reuse the estimates. Nothing is cached elsewhere, so a process can analyse any number of runs.
    Two threads that access the estimates at the same time may both compute them, with equal results.
    """

    recorded: RunRecord

    @cached_property
    def run(self) -> RunRecord:
        """The run with one cell per stream."""
        return by_stream(self.recorded)

    @cached_property
    def estimates(self) -> RunEstimates:
        """The estimates of all cells."""
        return estimate_run(self.run)
