"""Standard procedures: tests of several phases, each with its cells, its stop rule and its tracking variables."""

from typing import Annotated, Final, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.records.purge import PurgeRecord
from iosonde.vocabulary import Mode, PhaseRole, ProcedureKind, PurgeState, Quantity, SampleOf


class Tracked(Record):
    """A tracking variable: a quantity of one cell that must reach steady state."""

    cell: str
    quantity: Quantity


class SteadyState(Record):
    """Rounds over all cells are repeated until every tracking variable is steady, at most ``rounds_max`` times.

    A variable is steady if, over the last ``window`` rounds, its values range over at most ``range_share`` of their
    mean, and the least-squares line changes by at most ``excursion_share`` of it (SNIA PTS 2.0.2, 2.1.24).
    """

    kind: Literal["steady_state"] = "steady_state"
    tracked: tuple[Tracked, ...]
    window: int = Field(default=5, ge=2)
    range_share: float = Field(default=0.20, gt=0)
    excursion_share: float = Field(default=0.10, gt=0)
    rounds_max: int = Field(default=25, ge=1)


class Rounds(Record):
    """A fixed number of rounds over the cells of a phase."""

    kind: Literal["rounds"] = "rounds"
    rounds: int = Field(default=1, ge=1)


class SteadySamples(Record):
    """One continuous trial ends as soon as samples of ``sample_ns`` are steady: one of each block of ``block_ns``.

    ``sample_of`` says which sample of a block is judged, the first or the last. The criterion is that of
    ``SteadyState``, for ``quantity``. Without steady state, the trial ends by its own timing.
    """

    kind: Literal["steady_samples"] = "steady_samples"
    quantity: Quantity = Quantity.IOPS
    sample_ns: int = Field(gt=0)
    block_ns: int = Field(gt=0)
    sample_of: SampleOf = SampleOf.LAST
    window: int = Field(default=5, ge=2)
    range_share: float = Field(default=0.20, gt=0)
    excursion_share: float = Field(default=0.10, gt=0)


LONG_ROLES: Final = (
    PhaseRole.SATURATION,
    PhaseRole.STIMULUS,
    PhaseRole.IDLE_RECOVERY,
    PhaseRole.BASELINE,
)
"""Phases of one long trial, of which reports show the course."""


PhaseStop = Annotated[Rounds | SteadyState | SteadySamples, Field(discriminator="kind")]
"""When a phase ends: after some rounds, once rounds are steady, or once samples of its only trial are steady."""


class OperatingPoints(Record):
    """Three operating points, chosen from the rounds of an earlier phase (SNIA PTS 2.0.2, chapters 13 and 14).

    The maximum is the cell with the highest mean throughput among those whose mean latency is at most
    ``latency_ns_max``, the minimum the one with the fewest operations in flight, and the middle the one whose
    throughput is nearest to the mean of both. Each cell of ``phase`` has an entry in ``cells``: the cells that are
    measured at that point, in order.
    """

    phase: str
    latency_ns_max: int = Field(gt=0)
    cells: dict[str, tuple[str, ...]]


class PhasePlan(Record):
    """One phase of a procedure: rounds over ``cells`` in this order until ``stop`` is met.

    A cell may occur several times in a round. With ``points``, the cells are those of the operating points, and
    ``cells`` is empty. ``name`` is unique within the procedure.
    """

    name: str
    role: PhaseRole
    cells: tuple[str, ...] = ()
    stop: PhaseStop = Rounds()
    points: OperatingPoints | None = None

    def rounds(self, *, at_most: bool) -> int:
        """The number of rounds, at most or at least."""
        match self.stop:
            case Rounds(rounds=rounds):
                return rounds
            case SteadySamples():
                return 1
            case SteadyState(rounds_max=most, window=window):
                return most if at_most else min(window, most)

    @property
    def round_cells(self) -> tuple[str, ...]:
        """The cells of a round, in run order. Those of operating points are not known yet, but their number is."""
        if self.points is None:
            return self.cells
        # Three operating points. All cells of a demand variation take the same time.
        return tuple(cell for cells in list(self.points.cells.values())[:3] for cell in cells)

    @property
    def every_cell(self) -> tuple[str, ...]:
        """The names of all cells that it may measure, each once."""
        chosen = () if self.points is None else self.points.cells.values()
        return tuple(dict.fromkeys([*self.cells, *(cell for cells in chosen for cell in cells)]))


class Procedure(Record):
    """One test: a purge unless ``purged`` is false, then its phases without a gap.

    ``name`` is unique within the run. ``kind`` decides on the report. ``specification`` is the text that it follows
    (``SNIA SSS PTS 2.0.2, chapter 7``), ``version`` the version of the procedure itself. A gap of more than
    ``gap_ns_max`` between two trials of a phase begins a new window. ``active_range_percent`` is the part of the
    capacity that it uses. ``open_points`` are sentences about what could not be confirmed in the specification.
    ``is_like`` marks a short form, which must not be presented as the test itself. With ``repeats_offsets`` each trial
    of a cell has the same seed, as TKperf has, so random offsets are the same in each round.
    """

    name: str
    kind: ProcedureKind
    title: str
    version: int = Field(ge=1)
    specification: str = ""
    mode: Mode | None = None
    is_like: bool = False
    repeats_offsets: bool = False
    purged: bool = True
    active_range_percent: int = Field(default=100, ge=1, le=100)
    gap_ns_max: int = Field(gt=0)
    phases: tuple[PhasePlan, ...] = Field(min_length=1)
    open_points: tuple[str, ...] = ()

    @property
    def every_cell(self) -> tuple[str, ...]:
        """The names of all cells that it may measure, each once."""
        return tuple(dict.fromkeys(cell for phase in self.phases for cell in phase.every_cell))


class Procedures(Record):
    """The run consists of procedures, one after the other. All of their times were divided by ``time_scale``."""

    kind: Literal["procedures"] = "procedures"
    procedures: tuple[Procedure, ...] = Field(min_length=1)
    time_scale: int = Field(default=1, ge=1)


class ProcedureStart(Record):
    """A procedure begins, at the trial ``order``. ``attempt`` counts from 1.

    ``purge`` says how far its purge was verified, and ``reason`` why not. ``records`` are the purges of block devices.
    """

    procedure: str
    attempt: int = Field(ge=1)
    order: int = Field(ge=1)
    purge: PurgeState
    reason: str = ""
    records: tuple[PurgeRecord, ...] = ()
