"""The results of a run: its cells with their figures, and the findings that call these into question."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.figures import figure_of
from iosonde.analysis.results import Results, ResultsKind
from iosonde.figures import Figure
from iosonde.findings.finding import Finding, invalid_by, unreliable_by
from iosonde.records import Operation, Workload
from iosonde.vocabulary import Quantity


@dataclass(frozen=True)
class EstimatedCell:
    """The ``CellResults`` of a run's cell."""

    estimate: CellEstimate
    findings: Sequence[Finding]

    @property
    def name(self) -> str:
        """The cell's."""
        return self.estimate.cell

    @property
    def workload(self) -> Workload:
        """What was asked of the target."""
        return self.estimate.workload

    @property
    def subject(self) -> Operation:
        """What the workload is about."""
        return self.workload.subject

    @property
    def invalid_by(self) -> tuple[str, ...]:
        """The findings that name the cell, or are about the whole run."""
        return invalid_by(self.findings, self.name)

    @property
    def unreliable_by(self) -> tuple[str, ...]:
        """The findings that name the cell."""
        return unreliable_by(self.findings, self.name)

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """The figure that an estimate is; None where nothing of the class completed."""
        estimates = self.estimate.of(operation)
        return None if estimates is None else figure_of(quantity, estimates, self.name)


def results_of_run(run: str, estimates: RunEstimates, findings: Sequence[Finding]) -> Results:
    """The results of the run with this name."""
    return Results(ResultsKind.RUN, run, tuple(EstimatedCell(cell, findings) for cell in estimates.cells))
