"""Rounds of cells that another tool measured, and the procedure that they most likely belong to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from iosonde.analysis.procedures import PhaseRounds, ProcedureRounds, RoundValue
from iosonde.errors import UsageError
from iosonde.plans import cell_name
from iosonde.records import Access, BlockSizes, PhasePlan, Procedure, Rounds, SteadyState, Tracked, Workload
from iosonde.sources.rounds.tracking import Tracking, only_cell, tracked_of
from iosonde.vocabulary import PhaseRole, ProcedureKind, Quantity

GAP_NS_MAX: Final = 10**10
READ_MAX: Final = 100
BLOCK_BYTES_MIN: Final = 512
BLOCK_BYTES_MAX: Final = 1 << 30
DEMAND_MAX: Final = 65_536
ROUNDS_MAX: Final = 10_000
CONTRADICTING_TIMES: Final = 2
"""Values that should be equal are contradictory if they differ by this factor. Rounding explains less."""

SHARE_OFF_MAX: Final = 15
"""Percentage points by which the share of reads may differ from a mix: short trials do not keep it exactly."""

WORKLOADS_KEPT: Final = 1024
VALUE_MAX: Final = 1e15
"""More than any drive has operations, bytes or nanoseconds: larger values would be mistakes."""


@dataclass(frozen=True)
class GivenCell:
    """What the user says of all cells of a table that has no columns for it; None is not said."""

    read: int | None = None
    block_size: int | None = None
    queue_depth: int | None = None
    jobs: int | None = None


NOTHING_GIVEN: Final = GivenCell()


@dataclass(frozen=True)
class Measured:
    """One cell in one round, counted as the tool counts.

    Without ``states_demand`` the source does not say how many operations were in flight; one is assumed. ``test`` is
    the name of the test in the source; empty if it has none. ``cell`` is the name that the source gives to the cell; it
    tells cells apart that have the same workload, such as the zones of a disk. ``tracked`` are the
    quantities for which the source checks the cell for steady state.
    """

    round: int
    workload: Workload
    value: RoundValue
    states_demand: bool = True
    test: str = ""
    cell: str = ""
    tracked: tuple[Quantity, ...] = ()


@dataclass(frozen=True)
class MeasuredRounds:
    """The rounds of one test of a file.

    ``first_round`` is the number that the tool gave to the first round: TKperf counts from 0. ``said`` are the verdict
    and the window that the file itself contains, by name. ``not_read`` are other files in the folder, with the reasons.
    ``doubts`` are sentences on what speaks against these being the rounds that the names say. ``facts`` are what the
    file says of the drive, the host and the software, by the names of reports.
    """

    source: str
    rounds: ProcedureRounds
    first_round: int = 1
    said: Mapping[str, str] = field(default_factory=dict)
    not_read: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def phase(self) -> PhaseRounds:
        """The rounds."""
        return self.rounds.phases[0]


@dataclass(frozen=True)
class Demand:
    """How operations are issued: their order, and how many are in flight."""

    is_sequential: bool = False
    queue_depth: int = 1
    jobs: int = 1


def is_contradictory(one: float, other: float) -> bool:
    """Whether two values above 0 that should be equal differ by more than rounding explains."""
    return max(one / other, other / one) >= CONTRADICTING_TIMES


def other_share(reads: float, writes: float, told: int) -> float | None:
    """The percentage of reads if it differs from ``told``; None if it does not, or without any operation."""
    total = reads + writes
    # Divided first: of pure reads, the share is then exactly 1.
    share = 100 * (reads / total) if total else told
    limit = SHARE_OFF_MAX if 0 < told < READ_MAX else 0
    return share if abs(share - told) > limit else None


@lru_cache(maxsize=WORKLOADS_KEPT)
def workload_of(
    read_percent: int, block_size_bytes: int, demand: Demand, block_sizes: BlockSizes | None = None
) -> Workload:
    """A workload of random or sequential blocks. Raises ValueError for one that no tool can measure.

    With ``block_sizes`` operations have several sizes, and ``block_size_bytes`` is the largest.
    """
    if not 0 <= read_percent <= READ_MAX:
        raise ValueError(f"{read_percent} % of reads is not from 0 to 100")
    if not BLOCK_BYTES_MIN <= block_size_bytes <= BLOCK_BYTES_MAX:
        raise ValueError(f"a block of {block_size_bytes} bytes is not from 512 bytes to 1 GiB")
    if not 1 <= demand.queue_depth <= DEMAND_MAX or not 1 <= demand.jobs <= DEMAND_MAX:
        raise ValueError(f"{demand.jobs} jobs with a queue depth of {demand.queue_depth} is no demand")
    return Workload(
        pattern=Access.SEQUENTIAL if demand.is_sequential else Access.RANDOM,
        read_percent=read_percent,
        block_size_bytes=block_size_bytes,
        block_sizes=block_sizes,
        queue_depth=demand.queue_depth,
        jobs=demand.jobs,
    )


def rounds_of(  # noqa: PLR0913 - all but two are by name
    source: str,
    measured: Sequence[Measured],
    *,
    name: str,
    kind: ProcedureKind,
    tracking: Sequence[Tracking] = (),
    steady: bool = True,
    said: Mapping[str, str] | None = None,
) -> MeasuredRounds:
    """The rounds of a test. Without ``tracking`` the variables follow from its kind. Raises UsageError.

    A round in which a cell is missing has no value for it. Without ``steady`` the rounds are not judged.
    """
    names = _names(measured)
    workloads: dict[str, Workload] = {name: each.workload for name, each in zip(names, measured, strict=True)}
    by_round: dict[int, dict[str, RoundValue]] = defaultdict(dict)
    for cell, each in zip(names, measured, strict=True):
        _check_value(source, cell, each)
        if cell in by_round[each.round]:
            raise UsageError(
                f"{source}: round {each.round} has {cell} twice",
                "give each round one value per cell, or name the rounds in the files' names",
            )
        by_round[each.round][cell] = each.value
    first, last = min(by_round), max(by_round)
    if last - first >= ROUNDS_MAX:
        raise UsageError(
            f"{source} has rounds {first} to {last}", f"number the rounds from 1 on; {ROUNDS_MAX:,} are the most"
        )
    values = tuple(
        tuple(by_round[number].get(cell, RoundValue()) for cell in workloads) for number in range(first, last + 1)
    )
    cells = zip(names, measured, strict=True)
    stated = dict.fromkeys((cell, quantity) for cell, each in cells for quantity in each.tracked)
    if stated and not tracking:
        tracked = tuple(Tracked(cell=cell, quantity=quantity) for cell, quantity in stated)
    else:
        tracked = tracked_of(source, workloads, kind, tracking) if steady else ()
        if steady and not tracked and len(workloads) == 1:
            tracked = only_cell(next(iter(workloads)), [each.value for each in measured])
    places = list(workloads)
    for one in tracked:
        if tracking and all(row[places.index(one.cell)].of(one.quantity) is None for row in values):
            raise UsageError(
                f"{source} has no {one.quantity} of {one.cell}, which --track names", "track a quantity that it has"
            )
    rule = SteadyState(tracked=tracked) if tracked else None
    phase = PhasePlan(name=name, role=PhaseRole.ROUNDS, cells=tuple(workloads), stop=rule or Rounds(rounds=len(values)))
    procedure = Procedure(name=name, kind=kind, title=name, version=1, gap_ns_max=GAP_NS_MAX, phases=(phase,))
    rounds = PhaseRounds(
        name=name, role=PhaseRole.ROUNDS, cells=tuple(workloads), workloads=workloads, values=values, rule=rule
    )
    return MeasuredRounds(source, ProcedureRounds(procedure, (rounds,)), first_round=first, said=said or {})


def _names(measured: Sequence[Measured]) -> list[str]:
    """The name of the cell of each value: that of the source where several of its cells have the same workload."""
    by_workload = {workload: cell_name(workload) for workload in {each.workload for each in measured}}
    every = [by_workload[each.workload] for each in measured]
    called = defaultdict(set)
    for name, each in zip(every, measured, strict=True):
        called[name].add(each.cell)
    return [each.cell or name if len(called[name]) > 1 else name for name, each in zip(every, measured, strict=True)]


def _check_value(source: str, cell: str, measured: Measured) -> None:
    value = measured.value
    known = (value.iops, value.bytes_per_s, value.latency_ns_mean, value.latency_ns_min, value.latency_ns_max)
    wrong = [each for each in known if each is not None and not 0 <= each <= VALUE_MAX]
    if wrong:
        raise UsageError(
            f"{source}: {wrong[0]} is no value of {cell} in round {measured.round}",
            f"values are from 0 to {VALUE_MAX:g}",
        )
