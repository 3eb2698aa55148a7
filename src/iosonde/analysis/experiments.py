"""The estimates of a run, grouped by experiment."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from iosonde.analysis.block_sizes import SizeSweep, size_sweeps
from iosonde.analysis.cells import CellEstimate, estimate_cell, plan_of, was_looked_at
from iosonde.analysis.families import Along, Family, families_of
from iosonde.analysis.knee import Knee, depth_points, find_knee, knee_of
from iosonde.analysis.scaling import Scaling, scaling_of
from iosonde.analysis.states import WindowOrders, sort_rounds
from iosonde.analysis.stretches import Stretch, stretch_of
from iosonde.analysis.sustained import Sustained, sustained_of
from iosonde.records import CellPlan, CellRecord, Experiment, Operation, Plan, PlannedExperiment, RunRecord
from iosonde.vocabulary import PhaseRole

SWEEP_DEPTHS_MIN: Final = 3
"""Fewer than three depths do not show a trend."""


@dataclass(frozen=True)
class RunEstimates:
    """Every planned cell of a run, in the plan's order. A cell without a trial has no results.

    ``records`` are the repeats of each cell, for code that needs them individually. ``planned`` are the experiments of
    the campaign file; runs of schema 5 and older have none. ``preparation`` are the preconditioning writes.
    ``beside_rounds`` are the cells of standard procedures that only precondition or only give a histogram.
    """

    cells: tuple[CellEstimate, ...]
    records: Mapping[str, Sequence[CellRecord]] = field(default_factory=dict, repr=False)
    planned: tuple[PlannedExperiment, ...] = ()
    preparation: tuple[CellRecord, ...] = field(default=(), repr=False)
    beside_rounds: frozenset[str] = frozenset()

    @cached_property
    def closed_loops(self) -> "RunEstimates":
        """The same without open loops: their throughput is the offered load, not the limit of the target."""
        return replace(self, cells=tuple(cell for cell in self.cells if not cell.workload.is_open_loop))

    @cached_property
    def without_sustained(self) -> "RunEstimates":
        """The same without sustained cells, whose mean depends on how long they run."""
        return replace(self, cells=tuple(cell for cell in self.cells if cell.experiments != (Experiment.SUSTAINED,)))

    @cached_property
    def without_beside_rounds(self) -> "RunEstimates":
        """The same without the cells of standard procedures that only precondition or only give a histogram."""
        return replace(self, cells=tuple(cell for cell in self.cells if cell.cell not in self.beside_rounds))

    def of(self, experiment: Experiment) -> tuple[CellEstimate, ...]:
        """The cells of one experiment. A cell may belong to several experiments."""
        return tuple(cell for cell in self.cells if experiment in cell.experiments)

    @cached_property
    def experiments(self) -> "tuple[ExperimentCells, ...]":
        """The campaign's experiments in their order. Cells that are in none of them follow, one experiment per kind.

        Older plans have no names: all cells of one kind are then one experiment.
        """
        found = [
            ExperimentCells(each.kind, tuple(cell for cell in self.cells if cell.cell in set(each.cells)), each.name)
            for each in self.planned
        ]
        for kind in Experiment:
            held = {cell.cell for each in found if each.kind is kind for cell in each.cells}
            rest = tuple(cell for cell in self.of(kind) if cell.cell not in held)
            found += [ExperimentCells(kind, rest)] if rest else []
        return tuple(each for each in found if each.cells)

    @cached_property
    def sweeps(self) -> "tuple[DepthSweep, ...]":
        """The queue-depth sweeps of the queue-depth experiment, or of the matrix if there is no such experiment.

        A matrix has the longest sweep of reads, of writes and of each mix, each with at least three depths.
        """
        named = [each.cells for each in self.experiments if each.kind is Experiment.QUEUE_DEPTH]
        families = [family for cells in named for family in families_of(cells, Along.DEPTH)] or self._of_matrix()
        # Two experiments may have the same cells, which are then one sweep.
        once = {tuple(cell.cell for cell in family.cells): family for family in families}
        return tuple(DepthSweep(family.cells) for family in once.values())

    def _of_matrix(self) -> list[Family]:
        closed = [cell for cell in self.of(Experiment.MATRIX) if not cell.workload.is_open_loop]
        longest: dict[tuple[int, int, Operation], Family] = {}
        for family in families_of(closed, Along.DEPTH):
            asked = family.workload
            kind = (asked.read_percent, asked.trim_percent, asked.subject)
            if _depths(family.cells) > _depths(longest[kind].cells if kind in longest else ()):
                longest[kind] = family
        return [family for family in longest.values() if _depths(family.cells) >= SWEEP_DEPTHS_MIN]

    @cached_property
    def size_sweeps(self) -> tuple[SizeSweep, ...]:
        """The sweeps over block sizes of every experiment, each once."""
        found = (sweep for each in self.experiments for sweep in size_sweeps(each.cells))
        return tuple({tuple(cell.cell for cell in sweep.cells): sweep for sweep in found}.values())

    @cached_property
    def fills(self) -> tuple[Stretch, ...]:
        """The preconditioning writes as continuous transfers, finished or not."""
        return tuple(stretch_of(record) for record in self.preparation)

    @cached_property
    def sustained(self) -> tuple[Sustained, ...]:
        """The finished trials of sustained cells by workload, in run order."""
        return sustained_of([*self.preparation, *(record for each in self.records.values() for record in each)])

    def knee(self, operation: Operation) -> Knee:
        """The knee of the first queue-depth sweep of this operation."""
        return next((sweep.knee for sweep in self.sweeps if sweep.whole is operation), None) or find_knee([])


@dataclass(frozen=True)
class ExperimentCells:
    """The cells of one experiment in the plan's order; ``name`` is empty if the plan does not name it."""

    kind: Experiment
    cells: tuple[CellEstimate, ...]
    name: str = ""


@dataclass(frozen=True)
class DepthSweep(Family):
    """The cells of one workload in order of queue depth, with their knee and scaling. A mix is taken as a whole."""

    @cached_property
    def knee(self) -> Knee:
        """The depth above which throughput no longer grows."""
        return knee_of(self.cells, self.whole)

    @cached_property
    def scaling(self) -> Scaling:
        """The asymptotic bounds and the Universal Scalability Law."""
        return scaling_of(depth_points(self.cells, self.whole))


def _depths(cells: Sequence[CellEstimate]) -> int:
    return len({cell.queue_depth_asked for cell in cells})


def estimate_run(run: RunRecord) -> RunEstimates:
    """The estimates of all cells of a run, finished or not."""
    records: dict[str, list[CellRecord]] = defaultdict(list)
    for record in run.cells:
        records[record.cell].append(record)
    ordered = {cell: sorted(found, key=lambda record: record.repeat) for cell, found in records.items()}

    planned = run.header.plan
    windows = _windows(run) if planned.procedures else None

    def estimated(plan: CellPlan) -> CellEstimate:
        found = ordered.get(plan.cell, [])
        if windows is not None:
            return estimate_cell(plan, found, repeats=sort_rounds(found, windows))
        return estimate_cell(plan, found, looked=was_looked_at(planned, found))

    cells = tuple(estimated(plan) for plan in _planned(planned.cells, run.cells))
    if windows is not None:
        ordered = {cell: [each for each in found if each.order in windows.last] for cell, found in ordered.items()}
    return RunEstimates(cells, ordered, planned.experiments, run.preparation, _beside_rounds(planned))


def _windows(run: RunRecord) -> WindowOrders:
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures import window_orders

    return window_orders(run)


def _beside_rounds(plan: Plan) -> frozenset[str]:
    """The cells that only the preconditioning or histogram phases of standard procedures have.

    The histogram phase repeats a cell of the measured rounds. Its figures are no means over the window.
    """
    phases = [phase for each in plan.procedures for phase in each.phases]
    beside = {PhaseRole.PRECONDITIONING}
    if any(each.role is PhaseRole.ROUNDS for each in phases):
        beside.add(PhaseRole.HISTOGRAM)
    aside = {cell for each in phases if each.role in beside for cell in each.cells}
    return frozenset(aside - {cell for each in phases if each.role not in beside for cell in each.cells})


def _planned(plans: Sequence[CellPlan], records: Sequence[CellRecord]) -> list[CellPlan]:
    """The plan's cells, then the cells that only the records have (an imported run may have no plan)."""
    known = {plan.cell: plan for plan in plans}
    for record in records:
        known.setdefault(record.cell, plan_of(record))
    return list(known.values())
