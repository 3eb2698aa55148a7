"""A run with what is computed from it."""

from dataclasses import dataclass
from functools import cached_property

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.streams import by_stream
from iosonde.records import RunRecord


@dataclass(frozen=True)
class RunAnalysis:
    """A run as it was recorded, and its estimates, which are computed once, when they are first asked for.

    Whoever asks for the same figures twice holds on to it: nothing is kept elsewhere, so any number of runs can be
    looked at beside one another. Two threads that ask at once compute the same twice.
    """

    recorded: RunRecord

    @cached_property
    def run(self) -> RunRecord:
        """The run as it is looked at: with a cell for each stream."""
        return by_stream(self.recorded)

    @cached_property
    def estimates(self) -> RunEstimates:
        """The estimates of all cells."""
        return estimate_run(self.run)
