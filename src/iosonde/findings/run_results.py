"""The results of a run: its cells with their values, and the findings that make them invalid or doubtful."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.figures import figure_of
from iosonde.analysis.plateaus import Transfer
from iosonde.analysis.results import UNKNOWN_CONDITIONS, MeasuredConditions, Results, ResultsKind, WrittenState
from iosonde.analysis.sustained_figures import PartFigure, plateau_figures, without_interval
from iosonde.figures import Figure
from iosonde.findings.finding import Finding, invalid_by, unreliable_by
from iosonde.records import Experiment, Operation, Outcome, RunRecord, Workload
from iosonde.vocabulary import Quantity


@dataclass(frozen=True)
class EstimatedCell:
    """``CellResults`` for a cell of a run. ``transfer`` is that of a sustained cell; None for other cells."""

    estimate: CellEstimate
    findings: Sequence[Finding]
    transfer: Transfer | None = None

    @property
    def name(self) -> str:
        """The name of the cell."""
        return self.estimate.cell

    @property
    def workload(self) -> Workload:
        """The workload of the cell."""
        return self.estimate.workload

    @property
    def subject(self) -> Operation:
        """The operation that the workload measures."""
        return self.workload.subject

    @property
    def invalid_by(self) -> tuple[str, ...]:
        """The invalidating findings that name the cell or apply to the whole run."""
        return invalid_by(self.findings, self.name)

    @property
    def unreliable_by(self) -> tuple[str, ...]:
        """The doubtful findings that name the cell."""
        return unreliable_by(self.findings, self.name)

    @property
    def is_sustained(self) -> bool:
        """Whether the cell is one long transfer without repeats."""
        return self.estimate.experiments == (Experiment.SUSTAINED,)

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """The estimate of a quantity as a figure; None if no such operation completed."""
        estimates = self.estimate.of(operation)
        if estimates is None:
            return None
        figure = figure_of(quantity, estimates, self.name)
        return figure if self.transfer is None else without_interval(self.transfer, self.workload, figure)

    def parts(self, quantity: Quantity, operation: Operation) -> Sequence[PartFigure]:
        """The quantity in each plateau of a sustained transfer; empty for other cells and quantities."""
        figure = self.figure(quantity, operation)
        return () if figure is None or self.transfer is None else plateau_figures(self.transfer, self.workload, figure)


def results_of_run(
    run: str,
    estimates: RunEstimates,
    findings: Sequence[Finding],
    conditions: MeasuredConditions = UNKNOWN_CONDITIONS,
) -> Results:
    """The results of the run with this name."""
    transfers = {
        stretch.cell: stretch.transfer
        for each in estimates.sustained
        for stretch in each.stretches
        if stretch.record.experiments == (Experiment.SUSTAINED,)
    }
    cells = tuple(EstimatedCell(cell, findings, transfers.get(cell.cell)) for cell in estimates.cells)
    return Results(ResultsKind.RUN, run, cells, conditions)


def measured_conditions(run: RunRecord) -> MeasuredConditions:
    """The conditions that all cells of a run share. A run without preconditioning has an unknown write history."""
    return MeasuredConditions(run.header.plan.span_bytes, _state_of_procedures(run) or _state_of_preparation(run))


def _state_of_preparation(run: RunRecord) -> WrittenState | None:
    written = any(record.outcome is Outcome.FINISHED for record in run.preparation)
    return WrittenState.PRECONDITIONED if written else None


def _state_of_procedures(run: RunRecord) -> WrittenState | None:
    """The state that all procedures of a run reached; None without procedures, or if they did not reach one."""
    if not run.header.plan.procedures:
        return None
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures import procedures_of
    from iosonde.analysis.procedures.condition import ConditionState
    from iosonde.analysis.procedures.conditions import PRECONDITIONING, conditions_of
    from iosonde.analysis.procedures.steady_condition import STEADY_STATE

    verified: list[set[str]] = [
        {condition.name for condition in conditions_of(run, each) if condition.state is ConditionState.VERIFIED}
        for each in procedures_of(run)
    ]
    held = set.intersection(*verified)
    if STEADY_STATE in held:
        return WrittenState.STEADY
    return WrittenState.PRECONDITIONED if PRECONDITIONING in held else None
