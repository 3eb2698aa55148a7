"""A checked campaign: preparation, trials and their order, and the stop rule."""

from typing import Annotated, Final, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.records.procedure import LONG_ROLES, PhasePlan, Procedure, Procedures, SteadyState
from iosonde.records.workload import Timing, Workload
from iosonde.vocabulary import Experiment, OnError, PurgeMethod


class Stream(Record):
    """One of the workloads that a cell runs at the same time; ``name`` is empty if it is the only one."""

    name: str = ""
    workload: Workload


def one_stream(workload: Workload) -> tuple[Stream, ...]:
    """The streams of a cell with a single workload."""
    return (Stream(workload=workload),)


class CellPlan(Record):
    """A cell before it is measured. ``experiments`` are all experiments that use it."""

    cell: str
    experiments: tuple[Experiment, ...]
    streams: tuple[Stream, ...] = Field(min_length=1)
    timing: Timing

    @property
    def workload(self) -> Workload:
        """The workload of a single-stream cell; cells with several streams cannot be measured yet."""
        (stream,) = self.streams
        return stream.workload


class PlannedExperiment(Record):
    """An experiment of the campaign file: its name, its kind and the names of its cells.

    A cell that several experiments ask for is measured once, and is in each of them.
    """

    name: str
    kind: Experiment
    cells: tuple[str, ...]


class CellTurn(Record):
    """One trial: its cell, timing and seed. ``order`` is its place in the run order.

    ``round`` is the pass over the cells, counted from 1; None in runs before record version 5. ``timing`` is that of
    this trial; None means that of its cell. A trial of a procedure names it and its phase, within which rounds count.
    ``attempt`` counts from 1; a procedure that was interrupted starts again from the purge with the next attempt.
    """

    order: int
    cell: str
    repeat: int
    seed: int
    timing: Timing | None = None
    round: int | None = None
    procedure: str | None = None
    phase: str | None = None
    attempt: int = Field(default=1, ge=1)


class WriteStep(Record):
    """A preconditioning write: reads then find data, and writes find a drive that is no longer empty."""

    kind: Literal["write"] = "write"
    order: int = Field(le=0)
    cell: CellPlan


class IdleStep(Record):
    """Idle time, in which a drive may collect garbage."""

    kind: Literal["idle"] = "idle"
    order: int = Field(le=0)
    duration_ns: int = Field(gt=0)


Step = Annotated[WriteStep | IdleStep, Field(discriminator="kind")]
"""One preconditioning step. ``order`` is its place in the run order: the last step has 0, earlier ones -1, -2, ..."""


def in_order(steps: tuple[CellPlan | int, ...]) -> tuple[WriteStep | IdleStep, ...]:
    """Numbers the steps. A cell becomes a write step, a number of nanoseconds an idle step."""
    first = 1 - len(steps)
    return tuple(
        IdleStep(order=order, duration_ns=each) if isinstance(each, int) else WriteStep(order=order, cell=each)
        for order, each in enumerate(steps, first)
    )


AIM_REPEATS_MIN: Final = 6
"""A few repeats do not show their spread. With a requested precision, a cell has this many before the first check."""

TAIL_TOLERANCE: Final = 2.0
"""A p99 is based on one hundredth of the operations, so the precision of a mean would take it many times as long."""


class FixedTrials(Record):
    """The run ends after the trials of its plan."""

    kind: Literal["fixed"] = "fixed"


class Aim(Record):
    """The requested precision and its time budget.

    Each cell is repeated until the 95 % intervals of its throughput and mean latency are within ``precision_percent``
    on either side, and that of its p99 within twice as much. The run ends earlier if all cells together have used
    ``budget_ns`` of measurement time and warm-up.
    """

    kind: Literal["precision"] = "precision"
    precision_percent: float = Field(gt=0, lt=100)
    budget_ns: int = Field(gt=0)

    @property
    def tail_percent(self) -> float:
        """The requested precision of p99."""
        return TAIL_TOLERANCE * self.precision_percent


StopRule = Annotated[FixedTrials | Aim | SteadyState | Procedures, Field(discriminator="kind")]
"""When a run ends: after the planned trials, at the requested precision, in steady state, or after its procedures."""


class Plan(Record):
    """A checked campaign: its preparation steps, cells, trials and stop rule.

    ``span_bytes`` is the size of the test region on each target. ``turns`` are the trials known in advance. Unless
    ``stop`` is a fixed number, further trials are added during the run. With a requested precision, a cell's ``timing``
    is that of its longest trial. ``experiments`` are those of the campaign file in its order; a probe and runs before
    record version 6 have none. ``purge`` is how block devices are purged first. ``about`` are the names and values
    under ``[about]`` of the campaign file. ``on_error`` says whether a trial ends at its first failed operation.
    """

    profile: str
    about: tuple[tuple[str, str], ...] = ()
    quick: bool
    seed: int
    repeats: int
    span_bytes: int
    purge: PurgeMethod | None = None
    preparation: tuple[Step, ...] = ()
    cells: tuple[CellPlan, ...]
    turns: tuple[CellTurn, ...]
    stop: StopRule = FixedTrials()
    experiments: tuple[PlannedExperiment, ...] = ()
    on_error: OnError = OnError.CONTINUE

    @property
    def aim(self) -> Aim | None:
        """The requested precision, if it ends the run."""
        return self.stop if isinstance(self.stop, Aim) else None

    @property
    def procedures(self) -> tuple[Procedure, ...]:
        """The standard procedures that it consists of; none for any other campaign."""
        return self.stop.procedures if isinstance(self.stop, Procedures) else ()

    @property
    def has_long_trials(self) -> bool:
        """Whether its procedures have long trials, whose result is a time series and not its mean."""
        return any(each.role in LONG_ROLES for procedure in self.procedures for each in procedure.phases)

    def phase_of(self, turn: CellTurn) -> PhasePlan | None:
        """The phase of a procedure that a trial belongs to; None for the trials of other campaigns."""
        phases = (
            phase
            for procedure in self.procedures
            for phase in procedure.phases
            if (procedure.name, phase.name) == (turn.procedure, turn.phase)
        )
        return next(phases, None)

    @property
    def is_fixed(self) -> bool:
        """Whether all trials are known in advance."""
        return isinstance(self.stop, FixedTrials)

    @property
    def trials_least(self) -> int:
        """The number of trials: all of them if they are known in advance, otherwise as few as the stop rule allows."""
        phases = [phase for procedure in self.procedures for phase in procedure.phases]
        if phases:
            return sum(phase.rounds(at_most=False) * len(phase.round_cells) for phase in phases)
        return len(self.turns) or len(self.cells) * self.repeats

    @property
    def last_round(self) -> tuple[CellTurn, ...]:
        """The trials of the last planned round, in run order. Further rounds measure the same cells."""
        last = max((turn.round or 1 for turn in self.turns), default=1)
        return tuple(turn for turn in self.turns if (turn.round or 1) == last)

    @property
    def writes_first(self) -> tuple[WriteStep, ...]:
        """The preconditioning writes."""
        return tuple(step for step in self.preparation if isinstance(step, WriteStep))

    @property
    def last_write(self) -> int | None:
        """The order of the last preconditioning write, after which the targets are prepared. None without one."""
        return max((step.order for step in self.writes_first), default=None)

    @property
    def every_cell(self) -> tuple[CellPlan, ...]:
        """All cells that do I/O: the preconditioning writes, then the measured cells."""
        return (*(step.cell for step in self.writes_first), *self.cells)

    def turn_of(self, step: WriteStep) -> CellTurn:
        """The trial that records a write step."""
        return CellTurn(order=step.order, cell=step.cell.cell, repeat=0, seed=self.seed, round=0)

    @property
    def purges_first(self) -> bool:
        """Whether block devices are purged before the first trial: not if the first procedure has no purge."""
        return self.purge is not None and (not self.procedures or self.procedures[0].purged)

    @property
    def changes(self) -> bool:
        """Whether it writes, trims or purges."""
        return self.purge is not None or any(cell.workload.changes for cell in self.every_cell)

    @property
    def sets_write_cache(self) -> bool:
        """Whether it sets the write caches of drives."""
        return any(cell.workload.write_cache is not None for cell in self.every_cell)

    @property
    def needs_grant(self) -> bool:
        """Whether block devices have to be granted: it changes their data, or their settings."""
        return self.changes or self.sets_write_cache
