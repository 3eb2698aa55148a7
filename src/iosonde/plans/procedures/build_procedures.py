"""The plan of a campaign of standard procedures, for targets of a known size."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.plans.limits import check_cells
from iosonde.plans.names import cell_name, timing_name
from iosonde.plans.preconditioning import TargetInfo
from iosonde.plans.procedures.layout import layout_steps
from iosonde.plans.procedures.read_procedures import ProcedureCampaign
from iosonde.plans.procedures.stops import check_idle, stop_of
from iosonde.plans.procedures.tables import CellsTable, PhaseTable, ProcedureTable
from iosonde.plans.procedures.timings import Clock
from iosonde.plans.workloads import workload_of
from iosonde.records import (
    LONG_ROLES,
    CellPlan,
    Experiment,
    FastRandom,
    OperatingPoints,
    PhasePlan,
    Plan,
    PlannedExperiment,
    Procedure,
    Procedures,
    Timing,
    Workload,
    one_stream,
)
from iosonde.records.pattern import OVER_PROVISIONING_PERMILLE_MAX, WHOLE_PERMILLE
from iosonde.units import exact_size
from iosonde.workload_keys import WORKLOAD_KEYS
from iosonde.workload_keys.keys import BLOCK_SIZE, JOBS, PATTERN, QUEUE_DEPTH, READ

# A round of a SNIA procedure nests the mixes outermost, then block sizes, then jobs, then queue depths.
NESTED: Final = (READ, BLOCK_SIZE, JOBS, QUEUE_DEPTH)
_ORDER: Final = (*NESTED, *(key for key in WORKLOAD_KEYS if key.in_file is not None and key not in NESTED))
WHOLE_PERCENT: Final = 100
POINTS: Final = 3
"""The number of operating points, each of which is another cell."""


@dataclass(frozen=True)
class _Ground:
    """What the cells of a procedure are planned for.

    ``span_bytes`` is its active range, and ``spare_permille`` the flash beyond that which the drive is assumed to have.
    """

    target: TargetInfo
    clock: Clock
    span_bytes: int
    spare_permille: int


@dataclass(frozen=True)
class _Cell:
    workload: Workload
    timing: Timing


@dataclass(frozen=True)
class _Phase:
    """A phase with its cells, table by table; at operating points, those of each cell of the earlier phase."""

    table: PhaseTable
    rounds: tuple[tuple[_Cell, ...], ...] = ()
    at: dict[_Cell, tuple[_Cell, ...]] = field(default_factory=dict)

    @property
    def cells(self) -> tuple[_Cell, ...]:
        return tuple(cell for table in (*self.rounds, *self.at.values()) for cell in table)


def procedures_plan(campaign: ProcedureCampaign, target: TargetInfo, *, seed: int, time_scale: int = 1) -> Plan:
    """The plan of standard procedures. All trials are chosen during the run. Raises UsageError.

    All times are divided by ``time_scale``, for simulated drives whose capacity is divided by as much.
    """
    clock = Clock(time_scale)
    cells: dict[str, CellPlan] = {}
    built: list[Procedure] = []
    for table in campaign.procedure:
        phases = _phases(table, target, clock)
        for phase in phases:
            check_idle(phase.table, gap_ns=table.gap)
        names = _names(table.name, [cell for phase in phases for cell in phase.cells])
        cells |= {
            name: CellPlan(
                cell=name,
                experiments=(Experiment.PROCEDURE,),
                streams=one_stream(cell.workload),
                timing=cell.timing,
            )
            for cell, name in names.items()
        }
        built.append(_procedure(table, phases, names, cells))
    check_cells(len(cells), "the campaign")
    if campaign.purge is not None and not any(each.purged for each in built):
        raise UsageError(
            f"purge = {campaign.purge} has nothing to purge: the procedures begin with the target as it is",
            "omit --purge, and in a procedure file the method at its top",
        )
    return Plan(
        profile=campaign.name,
        about=campaign.about,
        quick=False,
        seed=seed,
        repeats=1,
        span_bytes=target.span_bytes,
        purge=campaign.purge,
        preparation=layout_steps(built, cells, target),
        cells=tuple(cells.values()),
        turns=(),
        stop=Procedures(procedures=tuple(built), time_scale=time_scale),
        experiments=tuple(
            PlannedExperiment(name=each.title or each.name, kind=Experiment.PROCEDURE, cells=each.every_cell)
            for each in built
        ),
        on_error=campaign.on_error,
    )


def _phases(table: ProcedureTable, target: TargetInfo, clock: Clock) -> list[_Phase]:
    if not table.gap:
        raise UsageError("gap = 0s breaks every window", "set gap to the longest time between two trials, such as 10s")
    ground = _ground(table, target, clock)
    found: list[_Phase] = []
    for phase in table.phase:
        if phase.points is None:
            rounds = tuple(tuple(_cells(each, ground, phase)) for each in phase.cells)
            _check_distinct(phase, [cell for each in rounds for cell in each])
            found.append(_Phase(phase, rounds))
            continue
        named = next((each for each in found if each.table.name == phase.points.phase and each.rounds), None)
        if named is None:
            raise UsageError(
                f"the phase {phase.name} has operating points of {phase.points.phase}, which is no earlier phase",
                "name an earlier phase with cells of its own",
            )
        if len(set(named.rounds[-1])) < POINTS:
            raise UsageError(
                f"the phase {phase.name} has operating points of {named.table.name}, which has too few cells",
                "name a phase with a cell for each of several numbers of jobs and queue depths",
            )
        if len({each.workload.model_copy(update={"jobs": 1, "queue_depth": 1}) for each in named.rounds[-1]}) > 1:
            raise UsageError(
                f"the phase {phase.name} has operating points of {named.table.name}, whose cells differ in more than "
                "jobs and queue_depth",
                "name a phase whose last cells have one mix, block size and pattern",
            )
        at = {
            cell: tuple(each for own in phase.cells for each in _cells(own, ground, phase, point=cell.workload))
            for cell in named.rounds[-1]
        }
        found.append(_Phase(phase, at=at))
    return found


def _check_distinct(phase: PhaseTable, cells: Sequence[_Cell]) -> None:
    """Raises UsageError if a round measures the same twice: it would have two values for one figure."""
    twice = next((cell for cell, often in Counter(cells).items() if often > 1), None)
    if twice is not None:
        raise UsageError(
            f"the phase {phase.name} has {cell_name(twice.workload)} twice in a round",
            "remove one of them, or give it another duration or a phase of its own",
        )


def _cells(table: CellsTable, ground: _Ground, phase: PhaseTable, *, point: Workload | None = None) -> Iterator[_Cell]:
    """The cells of one table: all combinations of its values, in nesting order. ``point`` sets the demand."""
    target, clock, steady = ground.target, ground.clock, phase.steady
    axes: dict[str, list[Any]] = {key.name: table.values(key.name) or [None] for key in _ORDER}
    if table.fast_random:
        axes[PATTERN.name] = [FastRandom(min(ground.spare_permille, OVER_PROVISIONING_PERMILLE_MAX))]
    if point is not None:
        axes |= {JOBS.name: [point.jobs], QUEUE_DEPTH.name: [point.queue_depth]}
    for region, chosen in product(_regions(table, ground), list(product(*axes.values()))):
        values = dict(zip(axes, chosen, strict=True)) | {"verify": False}
        if not target.is_device:
            # Neither files nor simulated drives have a write cache that could be set.
            values["write_cache"] = None
        workload = workload_of(values, targets=target.targets)
        if workload.span_bytes is None and region != (0, target.span_bytes):
            workload = workload.model_copy(update={"offset_bytes": region[0], "span_bytes": region[1]})
        in_rounds = phase.role not in LONG_ROLES
        timing = clock.timing(table, workload, target.span_bytes, steady, in_rounds=in_rounds)
        yield _Cell(clock.exact(workload, steady), timing)


def _regions(table: CellsTable, ground: _Ground) -> list[tuple[int, int]]:
    """Start and size of the regions that the cells of a table are measured in."""
    if table.zones is None:
        return [(0, ground.span_bytes)]
    zone_bytes = ground.span_bytes // table.zones >> 20 << 20
    if not zone_bytes:
        raise UsageError(
            f"the target of {exact_size(ground.target.span_bytes)} is too small for {table.zones} zones of 1 MiB",
            "use a larger target, or fewer zones",
        )
    return [(number * zone_bytes, zone_bytes) for number in range(table.zones)]


def _ground(procedure: ProcedureTable, target: TargetInfo, clock: Clock) -> _Ground:
    """The ground of a procedure. Its active range begins at the start of the target and has whole MiB."""
    spare_permille = procedure.over_provisioning
    if procedure.active_range >= WHOLE_PERCENT:
        return _Ground(target, clock, target.span_bytes, spare_permille)
    share = procedure.active_range / WHOLE_PERCENT
    spare_permille = round((WHOLE_PERMILLE + spare_permille) / share) - WHOLE_PERMILLE
    return _Ground(target, clock, int(target.span_bytes * share) >> 20 << 20, spare_permille)


def _names(procedure: str, cells: list[_Cell]) -> dict[_Cell, str]:
    """A name for each cell: that of its workload after that of the procedure, with its time where they differ."""
    distinct = list(dict.fromkeys(cells))
    often = Counter(cell.workload for cell in distinct)
    names = {}
    for cell in distinct:
        long = f"-{timing_name(cell.timing, with_warmup=False)}" if often[cell.workload] > 1 else ""
        names[cell] = f"{procedure}-{cell_name(cell.workload)}{long}"
    assert len(set(names.values())) == len(names), "cells of a procedure need different names"
    return names


def _procedure(
    table: ProcedureTable, phases: list[_Phase], names: dict[_Cell, str], cells: Mapping[str, CellPlan]
) -> Procedure:
    built = tuple(
        PhasePlan(
            name=phase.table.name,
            role=phase.table.role,
            cells=tuple(names[cell] for each in phase.rounds for cell in each),
            stop=stop_of(phase.table, {names[cell]: cells[names[cell]] for cell in phase.cells}),
            points=_points(phase, names),
        )
        for phase in phases
    )
    return Procedure(
        name=table.name,
        kind=table.kind,
        title=table.title or table.name,
        version=table.version,
        specification=table.specification,
        mode=table.mode,
        is_like=table.is_like,
        purged=table.purge,
        repeats_offsets=table.repeats_offsets,
        active_range_percent=round(table.active_range),
        # Operations in flight at the end of a trial take their time on any scale.
        gap_ns_max=table.gap,
        phases=built,
        open_points=tuple(table.open_points),
    )


def _points(phase: _Phase, names: dict[_Cell, str]) -> OperatingPoints | None:
    points = phase.table.points
    if points is None:
        return None
    return OperatingPoints(
        phase=points.phase,
        latency_ns_max=points.latency_max,
        cells={names[cell]: tuple(names[each] for each in own) for cell, own in phase.at.items()},
    )
