"""A checked campaign: preparation, trials and their order, and the stop rule."""

from typing import Annotated, Final, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.records.workload import Timing, Workload
from iosonde.vocabulary import Experiment, Quantity


class Stream(Record):
    """One of the workloads that a cell runs at the same time; ``name`` is empty if it is the only one."""

    name: str = ""
    workload: Workload


def one_stream(workload: Workload) -> tuple[Stream, ...]:
    """The streams of a cell with a single workload."""
    return (Stream(workload=workload),)


class CellPlan(Record):
    """A cell before it is measured; ``experiments`` are all that read their figures from it."""

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
    """One trial: which cell is measured, for which time, with which seed. ``order`` is its place in the run.

    ``round`` is the pass over the cells that it belongs to, counted from 1; None in runs of before record version 5.
    ``timing`` is that of this trial alone; None: its cell's.
    """

    order: int
    cell: str
    repeat: int
    seed: int
    timing: Timing | None = None
    round: int | None = None


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
"""One step of the preparation. ``order`` is its place in the run: the last step has 0, those before it -1, -2, ..."""


def in_order(steps: tuple[CellPlan | int, ...]) -> tuple[WriteStep | IdleStep, ...]:
    """Numbers the steps: a cell becomes a write, a number of nanoseconds an idle step."""
    first = 1 - len(steps)
    return tuple(
        IdleStep(order=order, duration_ns=each) if isinstance(each, int) else WriteStep(order=order, cell=each)
        for order, each in enumerate(steps, first)
    )


AIM_REPEATS_MIN: Final = 6
"""How repeats differ is a guess from a few of them: with an aim, a cell has so many before it is looked at first."""

TAIL_TOLERANCE: Final = 2.0
"""A p99 rests on a hundredth of the operations: to be known as well as a mean it would take many times as long."""


class FixedTrials(Record):
    """The run ends with the trials of its plan."""

    kind: Literal["fixed"] = "fixed"


class Aim(Record):
    """How well figures are to be known, and what that may cost.

    A cell is measured again until the 95 % intervals of its throughput and mean latency lie within
    ``precision_percent`` of them on either side, and that of its p99 within twice as much; or until ``budget_ns`` of
    measuring, warm-up included, are spent by all cells together.
    """

    kind: Literal["precision"] = "precision"
    precision_percent: float = Field(gt=0, lt=100)
    budget_ns: int = Field(gt=0)

    @property
    def tail_percent(self) -> float:
        """How well a p99 is to be known."""
        return TAIL_TOLERANCE * self.precision_percent


class Tracked(Record):
    """A tracking variable: a quantity of one cell that has to become steady."""

    cell: str
    quantity: Quantity


class SteadyState(Record):
    """Rounds over all cells are repeated until every tracking variable is steady, and at most ``rounds_max`` times.

    A variable is steady when, over the last ``window`` rounds, its values lie within ``range_share`` of their mean, and
    the least-squares line through them moves by no more than ``excursion_share`` of it (SNIA PTS 2.0.2, 2.1.24).
    """

    kind: Literal["steady_state"] = "steady_state"
    tracked: tuple[Tracked, ...]
    window: int = Field(default=5, ge=2)
    range_share: float = Field(default=0.20, gt=0)
    excursion_share: float = Field(default=0.10, gt=0)
    rounds_max: int = Field(default=25, ge=1)


StopRule = Annotated[FixedTrials | Aim | SteadyState, Field(discriminator="kind")]
"""When a run ends: after the planned trials, at the requested precision, or in steady state."""


class Plan(Record):
    """A checked campaign: its preparation steps, cells, trials and stop rule.

    ``span_bytes`` is the size of the test region on each target. ``turns`` are the trials known beforehand; unless
    ``stop`` is a fixed number, further trials are chosen during the run. With an aim, a cell's ``timing`` is that of
    its longest trial. ``experiments`` are those of the campaign file in its order; a probe and runs from before record
    version 6 have none.
    """

    profile: str
    quick: bool
    seed: int
    repeats: int
    span_bytes: int
    preparation: tuple[Step, ...] = ()
    cells: tuple[CellPlan, ...]
    turns: tuple[CellTurn, ...]
    stop: StopRule = FixedTrials()
    experiments: tuple[PlannedExperiment, ...] = ()

    @property
    def aim(self) -> Aim | None:
        """How well figures are to be known, where that ends the run."""
        return self.stop if isinstance(self.stop, Aim) else None

    @property
    def is_fixed(self) -> bool:
        """Whether all trials are known beforehand."""
        return isinstance(self.stop, FixedTrials)

    @property
    def last_round(self) -> tuple[CellTurn, ...]:
        """The trials of the last planned round, in their order; further rounds measure the same cells."""
        last = max((turn.round or 1 for turn in self.turns), default=1)
        return tuple(turn for turn in self.turns if (turn.round or 1) == last)

    @property
    def writes_first(self) -> tuple[WriteStep, ...]:
        """The steps of the preparation that write."""
        return tuple(step for step in self.preparation if isinstance(step, WriteStep))

    @property
    def last_write(self) -> int | None:
        """The place of the last step that writes: with it the targets are prepared. None where no step writes."""
        return max((step.order for step in self.writes_first), default=None)

    @property
    def every_cell(self) -> tuple[CellPlan, ...]:
        """All that does I/O: the writes of the preparation, then the cells that are measured."""
        return (*(step.cell for step in self.writes_first), *self.cells)

    def turn_of(self, step: WriteStep) -> CellTurn:
        """The trial under which a write step is recorded."""
        return CellTurn(order=step.order, cell=step.cell.cell, repeat=0, seed=self.seed, round=0)

    @property
    def changes(self) -> bool:
        """Whether it writes to its targets, or trims them."""
        return any(cell.workload.changes for cell in self.every_cell)
