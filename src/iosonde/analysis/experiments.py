"""The estimates of a whole run, arranged by the question that each cell helps to answer."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.cells import CellEstimate, estimate_cell
from iosonde.analysis.knee import Knee, knee_of
from iosonde.records import CellPlan, CellRecord, Experiment, Operation, RunRecord


@dataclass(frozen=True)
class RunEstimates:
    """Every planned cell of a run, in the plan's order; a cell that was never measured has no figures."""

    cells: tuple[CellEstimate, ...]

    def of(self, experiment: Experiment) -> tuple[CellEstimate, ...]:
        """The cells of one experiment. A cell that serves several experiments is in each of them."""
        return tuple(cell for cell in self.cells if experiment in cell.experiments)

    def knee(self, direction: Operation) -> Knee:
        """The knee of the queue-depth sweep of pure reads or pure writes."""
        sweep = [cell for cell in self.of(Experiment.QUEUE_DEPTH) if cell.direction is direction]
        return knee_of(sweep, direction)


def estimate_run(run: RunRecord) -> RunEstimates:
    """The estimates of all cells of a run, whether it finished or not."""
    records: dict[str, list[CellRecord]] = defaultdict(list)
    for record in run.cells:
        records[record.cell].append(record)
    return RunEstimates(
        tuple(
            estimate_cell(plan, sorted(records[plan.cell], key=lambda record: record.repeat))
            for plan in _planned(run.header.plan.cells, run.cells)
        )
    )


def _planned(plans: Sequence[CellPlan], records: Sequence[CellRecord]) -> list[CellPlan]:
    """The plan's cells, then any that only the records know of (an imported run may have no plan)."""
    known = {plan.cell: plan for plan in plans}
    for record in records:
        known.setdefault(
            record.cell,
            CellPlan(cell=record.cell, experiments=record.experiments, workload=record.workload, timing=record.timing),
        )
    return list(known.values())
