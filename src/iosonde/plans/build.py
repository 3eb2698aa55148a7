"""Builds plans: named cells, and the trials that measure them, each with its own seed."""

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import CampaignTable, ExperimentTable, Kind, Order
from iosonde.plans.limits import check_cells, check_turns
from iosonde.plans.names import cell_name, timing_name
from iosonde.plans.precision import check_budget, first_timing
from iosonde.plans.preconditioning import Preconditioning, TargetInfo, asked_preconditioning, preparation_steps
from iosonde.plans.timings import amount_timing, long_timing, timing_of
from iosonde.plans.workloads import workload_of
from iosonde.records import (
    Access,
    Aim,
    CellPlan,
    CellTurn,
    Experiment,
    FixedTrials,
    Plan,
    PlannedExperiment,
    Timing,
    Workload,
    one_stream,
)
from iosonde.records.plan import AIM_REPEATS_MIN
from iosonde.records.workload import ALL_READS
from iosonde.units import SECOND_NS
from iosonde.workload_keys import WORKLOAD_KEYS
from iosonde.workload_keys.keys import AMOUNT, DURATION, WARMUP

# Seeds stay below 2^53, so that every JSON reader keeps them exact.
SEED_BITS: Final = 53

QUICK_TIMING: Final = Timing(warmup_ns=SECOND_NS // 5, measure_ns=SECOND_NS // 2, interval_ns=SECOND_NS // 10)


@dataclass(frozen=True)
class _Cell:
    """The values that distinguish one cell from another."""

    workload: Workload
    timing: Timing
    repeats: int


def campaign_plan(
    campaign: CampaignTable, target: TargetInfo, *, quick: bool, seed: int, aim: Aim | None = None
) -> Plan:
    """The plan of a campaign: every cell once per repeat, in a new random order for each repeat.

    With an ``aim`` the repeats are short, and the run adds more as results arrive. Raises UsageError if its budget is
    too small.

    Experiments may overlap: the queue-depth sweep at depth 1 is the baseline's random read. Such a cell is measured
    once, so that two tables of one report agree on it.
    """
    asked: dict[_Cell, tuple[Experiment, ...]] = {}
    held: list[tuple[_Cell, ...]] = []
    for table in campaign.experiment:
        kind, cells_of = Experiment(table.kind.value), _cells_of(campaign, table, quick=quick, targets=target.targets)
        held.append(tuple(dict.fromkeys(cells_of)))
        for cell in cells_of:
            asked[cell] = tuple(dict.fromkeys((*asked.get(cell, ()), kind)))
    names = _names(list(asked))
    experiments = tuple(
        PlannedExperiment(name=table.name, kind=Experiment(table.kind.value), cells=tuple(names[cell] for cell in each))
        for table, each in zip(campaign.experiment, held, strict=True)
    )
    cells = tuple(
        CellPlan(cell=names[cell], experiments=kinds, streams=one_stream(cell.workload), timing=cell.timing)
        for cell, kinds in asked.items()
    )
    check_cells(len(cells), "the campaign")
    repeats = {names[cell]: max(cell.repeats, AIM_REPEATS_MIN) if aim else cell.repeats for cell in asked}
    check_turns(sum(repeats.values()))
    plan = Plan(
        profile=campaign.name,
        about=campaign.about,
        quick=quick,
        seed=seed,
        repeats=max(repeats.values()),
        span_bytes=target.span_bytes,
        purge=campaign.purge,
        preparation=preparation_steps(target, asked_preconditioning(campaign)),
        cells=cells,
        turns=_turns(campaign, cells, repeats, seed, aim=aim is not None),
        stop=aim or FixedTrials(),
        experiments=experiments,
        on_error=campaign.on_error,
    )
    check_budget(plan)
    return plan


def _cells_of(campaign: CampaignTable, table: ExperimentTable, *, quick: bool, targets: int) -> list[_Cell]:
    """All combinations. Raises UsageError if there are more than a plan may have cells, before any is created."""
    axes = {key.name: table.values(key) or [None] for key in WORKLOAD_KEYS if key.in_file is not None}
    timings = _timings(campaign, table, quick=quick)
    check_cells(prod(map(len, axes.values())) * len(timings), f"the experiment {table.name}")
    cells = []
    for chosen in product(*axes.values()):
        values = dict(zip(axes, chosen, strict=True))
        verify = campaign.verify and values["read"] < ALL_READS
        workload = workload_of({**values, "verify": verify}, targets=targets)
        if workload.read_percent == ALL_READS:
            workload = workload.pure_reads
        repeats = 1 if table.kind is Kind.SUSTAINED else table.repeats or campaign.repeats
        cells += [_Cell(workload, timing, repeats) for timing in timings]
    return cells


def _timings(campaign: CampaignTable, table: ExperimentTable, *, quick: bool) -> list[Timing]:
    if quick:
        return [QUICK_TIMING]
    amounts = table.values(AMOUNT)
    if table.kind is Kind.SUSTAINED:
        whole = [amount_timing(amount) for amount in amounts] or [long_timing(each) for each in table.values(DURATION)]
        return [each.model_copy(update={"idle_ns": idle_ns}) for each in whole for idle_ns in table.idle]
    if amounts:
        return [amount_timing(amount) for amount in amounts]
    (warmup_ns,) = table.values(WARMUP) or [campaign.warmup]
    return [timing_of(warmup_ns, measure_ns) for measure_ns in table.values(DURATION) or [campaign.duration]]


def _names(cells: list[_Cell]) -> dict[_Cell, str]:
    """A name for each cell. If a workload has several timings or repeats, the name contains them.

    Raises UsageError if two cells have the same name, because only one of them would be measured.
    """
    often = Counter(cell.workload for cell in cells)
    alike = Counter(_without_warmup(cell) for cell in cells)
    names: dict[_Cell, str] = {}
    for cell in cells:
        name = cell_name(cell.workload)
        if often[cell.workload] > 1:
            long = timing_name(cell.timing, with_warmup=alike[_without_warmup(cell)] > 1)
            name = f"{name}-{long}-x{cell.repeats}"
        names[cell] = name
    _check_names(names)
    return names


def _without_warmup(cell: _Cell) -> _Cell:
    return replace(cell, timing=cell.timing.model_copy(update={"warmup_ns": 0}))


def _check_names(names: dict[_Cell, str]) -> None:
    """Raises UsageError if two cells have the same name. Names are exact, so this only guards against lost cells."""
    held: dict[str, _Cell] = {}
    for cell, name in names.items():
        other = held.setdefault(name, cell)
        if other != cell:
            raise UsageError(
                f"two different cells have the same name: {name}",
                f"they differ in {', '.join(_differences(cell, other))}; put them in separate campaign files",
            )


def _differences(one: _Cell, other: _Cell) -> list[str]:
    pairs = ((one.workload, other.workload), (one.timing, other.timing))
    found = [name for a, b in pairs for name in type(a).model_fields if getattr(a, name) != getattr(b, name)]
    return [*found, *(["repeats"] if one.repeats != other.repeats else [])]


def probe_plan(workload: Workload, timing: Timing, target: TargetInfo, *, seed: int) -> Plan:
    """A plan of one cell, measured once with exactly the requested seed."""
    cell = CellPlan(
        cell=cell_name(workload), experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=timing
    )
    asked = Preconditioning(data=workload.data, verify=workload.verify, write_cache=workload.write_cache)
    return Plan(
        profile="probe",
        quick=False,
        seed=seed,
        repeats=1,
        span_bytes=target.span_bytes,
        preparation=preparation_steps(target, asked),
        cells=(cell,),
        turns=(CellTurn(order=1, cell=cell.cell, repeat=1, seed=seed, round=1),),
    )


def cell_seed(seed: int, cell: str, repeat: int) -> int:
    """The seed of one trial: a BLAKE2b hash of the run's seed, the cell and the repeat."""
    digest = hashlib.blake2b(f"{seed}/{cell}/{repeat}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - SEED_BITS)


def _turns(
    campaign: CampaignTable, cells: Sequence[CellPlan], repeats: Mapping[str, int], seed: int, *, aim: bool
) -> tuple[CellTurn, ...]:
    """Every cell once per repeat. With an ``aim``, the phases follow one another, each with all its repeats.

    Sustained cells are last, in the order of the file: each stretch begins with the state that the one before it left.
    """
    turns: list[CellTurn] = []
    order = campaign.order
    long = [cell for cell in cells if Experiment.SUSTAINED in cell.experiments]
    usual = [cell for cell in cells if cell not in long]
    phases = _phases(usual) if aim and order is Order.RANDOM else [usual]
    passes = [(phase, repeat) for phase in phases for repeat in range(1, max(repeats.values()) + 1) if phase]
    passes += [(long, 1)] if long else []
    for number, (phase, repeat) in enumerate(passes, 1):
        asked = [cell for cell in phase if repeats[cell.cell] >= repeat]
        if order is Order.RANDOM and phase is not long:
            random.Random(cell_seed(seed, "order", repeat)).shuffle(asked)
        turns += [
            CellTurn(
                order=len(turns) + place,
                cell=cell.cell,
                repeat=repeat,
                seed=cell_seed(seed, cell.cell, repeat),
                timing=first_timing(cell, campaign.first_duration) if aim else None,
                round=number,
            )
            for place, cell in enumerate(asked, 1)
        ]
    return tuple(turns)


def _phases(cells: Sequence[CellPlan]) -> list[list[CellPlan]]:
    """Reads, then sequential writes, then random writes, so that each phase finds the state that its own kind leaves.

    A drive collects garbage long after random writes, and all other operations are slower meanwhile.
    """
    phases: dict[int, list[CellPlan]] = {}
    for cell in cells:
        is_random = cell.workload.pattern is not Access.SEQUENTIAL
        phases.setdefault(cell.workload.changes * (1 + is_random), []).append(cell)
    return [phases[place] for place in sorted(phases)]
