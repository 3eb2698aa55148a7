"""A run and its estimates."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.streams import by_stream
from iosonde.records import RunRecord

if TYPE_CHECKING:
    from iosonde.analysis.procedures import ProcedureRounds


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
    def procedures(self) -> "tuple[ProcedureRounds, ...]":
        """The standard procedures that the run consists of, with their rounds; none for any other run."""
        if not self.recorded.header.plan.procedures:
            return ()
        # Imported here: few runs have procedures.
        from iosonde.analysis.procedures import procedures_of

        return procedures_of(self.recorded)

    @cached_property
    def estimates(self) -> RunEstimates:
        """The estimates of all cells."""
        return estimate_run(self.run)
