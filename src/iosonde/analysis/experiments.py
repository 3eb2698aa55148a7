"""The estimates of a whole run, arranged by the question that each cell helps to answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from iosonde.analysis.cells import CellEstimate, estimate_cell, was_looked_at
from iosonde.analysis.knee import Knee, depth_points, knee_of
from iosonde.analysis.scaling import Scaling, scaling_of
from iosonde.records import CellPlan, CellRecord, Experiment, Operation, RunRecord, Workload

DIRECTIONS: Final = (Operation.READ, Operation.WRITE)
SWEEP_DEPTHS_MIN: Final = 3
"""Two depths are a pair of cells; from three on, a line through them shows something."""


@dataclass(frozen=True)
class RunEstimates:
    """Every planned cell of a run, in the plan's order; a cell that was never measured has no figures.

    ``records`` are the measurements by cell, for what needs each repeat by itself.
    """

    cells: tuple[CellEstimate, ...]
    records: Mapping[str, Sequence[CellRecord]] = field(default_factory=dict, repr=False)

    @cached_property
    def closed_loops(self) -> "RunEstimates":
        """The same without open loops: what a rate asks for is neither the best nor the least that a target can do."""
        return replace(self, cells=tuple(cell for cell in self.cells if not cell.workload.is_open_loop))

    def of(self, experiment: Experiment) -> tuple[CellEstimate, ...]:
        """The cells of one experiment. A cell that serves several experiments is in each of them."""
        return tuple(cell for cell in self.cells if experiment in cell.experiments)

    @property
    def sweep(self) -> tuple[CellEstimate, ...]:
        """The sweep of queue depths: the experiment of that name, or the longest that a matrix holds for a direction.

        Cells of one sweep differ in nothing but their depth (and their number of workers); below three depths there
        is none.
        """
        named = self.of(Experiment.QUEUE_DEPTH)
        if named:
            return named
        found: list[CellEstimate] = []
        for direction in DIRECTIONS:
            families: dict[Workload, list[CellEstimate]] = defaultdict(list)
            for cell in self.of(Experiment.MATRIX):
                if cell.direction is direction and not cell.workload.is_open_loop:
                    families[cell.workload.model_copy(update={"queue_depth": 1})].append(cell)
            longest = max(families.values(), key=_depths, default=[])
            if _depths(longest) >= SWEEP_DEPTHS_MIN:
                found.extend(longest)
        return tuple(found)

    def knee(self, direction: Operation) -> Knee:
        """The knee of the sweep of queue depths of pure reads or pure writes."""
        return self._knees[direction]

    def scaling(self, direction: Operation) -> Scaling:
        """What bounds and the Universal Scalability Law say of that sweep."""
        return self._scalings[direction]

    @cached_property
    def _knees(self) -> dict[Operation, Knee]:
        return {direction: knee_of(self._swept(direction), direction, self.records) for direction in DIRECTIONS}

    @cached_property
    def _scalings(self) -> dict[Operation, Scaling]:
        return {
            direction: scaling_of(depth_points(self._swept(direction), direction, self.records))
            for direction in DIRECTIONS
        }

    def _swept(self, direction: Operation) -> list[CellEstimate]:
        return [cell for cell in self.sweep if cell.direction is direction]


def _depths(cells: Sequence[CellEstimate]) -> int:
    return len({cell.queue_depth_asked for cell in cells})


def estimate_run(run: RunRecord) -> RunEstimates:
    """The estimates of all cells of a run, whether it finished or not.

    Those of the last run are kept: summary, findings and page ask for the same ones.
    """
    if _last and _last[0][0] is run:
        return _last[0][1]
    estimates = _estimate(run)
    _last[:] = [(run, estimates)]
    return estimates


_last: list[tuple[RunRecord, RunEstimates]] = []


def _estimate(run: RunRecord) -> RunEstimates:
    records: dict[str, list[CellRecord]] = defaultdict(list)
    for record in run.cells:
        records[record.cell].append(record)
    ordered = {cell: sorted(found, key=lambda record: record.repeat) for cell, found in records.items()}

    def estimated(plan: CellPlan) -> CellEstimate:
        found = ordered.get(plan.cell, [])
        return estimate_cell(plan, found, looked=was_looked_at(run.header.plan, found))

    return RunEstimates(tuple(estimated(plan) for plan in _planned(run.header.plan.cells, run.cells)), ordered)


def _planned(plans: Sequence[CellPlan], records: Sequence[CellRecord]) -> list[CellPlan]:
    """The plan's cells, then any that only the records know of (an imported run may have no plan)."""
    known = {plan.cell: plan for plan in plans}
    for record in records:
        known.setdefault(
            record.cell,
            CellPlan(cell=record.cell, experiments=record.experiments, workload=record.workload, timing=record.timing),
        )
    return list(known.values())
