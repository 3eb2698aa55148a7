"""A plan as text, for `plan` and for the beginning of `run`."""

import json
from dataclasses import asdict

from iosonde.campaign import Preflight, RemainingRun
from iosonde.campaign.endurance import Endurance
from iosonde.campaign.limits import limits_line
from iosonde.campaign.preconditioning_left import done_bytes_of
from iosonde.campaign.slow_targets import SLOW_IOPS
from iosonde.cli.procedure_text import no_gap, procedure_lines, purge_line, range_lines
from iosonde.cli.target_text import tag_lines, target_lines
from iosonde.errors import UsageError
from iosonde.plans import (
    SLOW_FORMS,
    Buffers,
    Cost,
    account_bytes,
    is_verified,
    largest_buffers,
    verified_step_bytes,
)
from iosonde.printing import printable, trials_text
from iosonde.records import Arrivals, Experiment, Plan, SteadyState
from iosonde.report.preconditioning_words import writes_text
from iosonde.sources import BlockDevice, ExistingFile, NewFile, NullTarget, SimulatedDrive
from iosonde.units import (
    exact_duration,
    format_amount,
    format_bandwidth,
    format_duration,
    format_rate,
    format_size,
    parse_bytes,
)
from iosonde.vocabulary import EngineChoice

EXPERIMENTS = {
    Experiment.BASELINE: "baseline latency",
    Experiment.BLOCK_SIZE: "block-size sweep",
    Experiment.MIX: "read/write mix",
    Experiment.QUEUE_DEPTH: "queue-depth sweep",
    Experiment.TAIL: "tail latency",
    Experiment.SUSTAINED: "sustained",
    Experiment.MATRIX: "matrix",
    Experiment.PROCEDURE: "standard procedure",
}

VIRTUAL = " of virtual time (real time is much shorter)"

# More measurement times than this are counted, not listed.
LENGTHS_NAMED_MAX = 3
WARRANTY_DAYS = 5 * 365


def plan_lines(ahead: Preflight, cost: Cost) -> list[str]:
    """What will be measured, its time and its wear."""
    plan, many = ahead.plan, len(ahead.targets) > 1
    is_null = isinstance(ahead.targets[0], NullTarget)
    return [
        *(line for target in ahead.targets for line in target_lines(ahead.host, target, plan)),
        *(
            ["targets   measured at the same time, with the same workload; results are totals over all targets"]
            if many
            else []
        ),
        *(_measured_lines(ahead, cost) if plan.cells else []),
        *_rate_lines(plan),
        *_verify_lines(plan, cost),
        *_memory_lines(ahead),
        *tag_lines(ahead),
        *_purge_lines(ahead),
        *_preconditioning_lines(plan),
        *(_procedure_cost(ahead, cost) if plan.procedures else [_time_line(ahead, cost)]),
        *(["writes    nothing"] if is_null else _wear_lines(ahead, cost) if not plan.procedures else []),
        *([f"limits    {limits_line(ahead.limits)}"] if ahead.limits.is_set else []),
        *([f"power     sampled by running: {printable(ahead.power_command)}"] if ahead.power_command else []),
    ]


def _measured_lines(ahead: Preflight, cost: Cost) -> list[str]:
    """The profile and its cells."""
    plan = ahead.plan
    if plan.procedures:
        return procedure_lines(plan, capacity_scale=ahead.capacity_scale)
    return [
        f"profile   {plan.profile}{' (quick)' if plan.quick else ''}: {_experiments(ahead)}",
        *_slow_lines(ahead),
        *_cell_lines(plan, cost),
    ]


def _procedure_cost(ahead: Preflight, cost: Cost) -> list[str]:
    """The cost of procedures with the fewest rounds and with the most, and the share of the rated endurance."""
    best = ahead.cost(cost.assumed_bytes_per_s, at_most=False)
    virtual = VIRTUAL if ahead.is_simulated else ""
    slower = ahead.cost(max(cost.assumed_bytes_per_s // 2, 1))
    told = range_lines(best, cost, slower, ahead.plan, len(ahead.targets), virtual=virtual)
    return [
        *told,
        *(endurance_line(each, cost.total_bytes_max // len(ahead.targets)) for each in ahead.endurances),
    ]


def _slow_lines(ahead: Preflight) -> list[str]:
    """Why the slow variant of a profile is used."""
    fast = {slow: fast for fast, slow in SLOW_FORMS.items()}.get(ahead.plan.profile)
    if not ahead.why_slow or fast is None:
        return []
    return [f"          used instead of {fast}, which requires at least {SLOW_IOPS:,} IOPS: {ahead.why_slow}"]


def _cell_lines(plan: Plan, cost: Cost) -> list[str]:
    """The number of cells, their repeats and times."""
    if plan.aim is not None:
        percent, tail, budget = plan.aim.precision_percent, plan.aim.tail_percent, exact_duration(plan.aim.budget_ns)
        aim = f"±{percent:g} % for throughput and mean latency, ±{tail:g} % for p99 (95 % CI); time limit {budget}"
        return [
            f"cells     {cost.cells} distinct, {cost.measurements} initial trials, more until the precision is reached",
            f"precision {aim}",
        ]
    if isinstance(plan.stop, SteadyState):
        window = plan.stop.window
        variables = ", ".join(f"{each.quantity} of {each.cell}" for each in plan.stop.tracked)
        return [
            f"cells     {cost.cells} distinct, each once per round, {_lengths(plan)}",
            f"rounds    until the last {window} are in steady state, at most {plan.stop.rounds_max}: {variables}",
        ]
    repeats = {turn.cell: turn.repeat for turn in plan.turns}
    every = f"x {plan.repeats} repeats" if len(set(repeats.values())) == 1 else f"x up to {plan.repeats} repeats"
    return [f"cells     {cost.cells} distinct {every}, {cost.measurements} trials, each {_lengths(plan)}"]


def _time_line(ahead: Preflight, cost: Cost) -> str:
    # The speed of a cell with an amount of data is unknown. Its time is calculated at the highest speed assumed.
    moves = any(cell.timing.amount_bytes is not None for cell in ahead.plan.cells)
    most = "at least " if moves else "" if ahead.plan.is_fixed else "at most "
    return f"time      {most}{format_duration(cost.duration_ns)}{VIRTUAL if ahead.is_simulated else ''}"


def _lengths(plan: Plan) -> str:
    lengths = dict.fromkeys(cell.timing.text for cell in plan.cells)
    return (
        ", or ".join(lengths) if len(lengths) <= LENGTHS_NAMED_MAX else f"with one of {len(lengths)} measurement times"
    )


def _rate_lines(plan: Plan) -> list[str]:
    """The rates of open loops, each once, by the distribution of arrivals."""
    rates: dict[Arrivals, dict[str, None]] = {}
    for asked in (cell.workload for cell in plan.cells):
        if asked.rate_per_s is not None and asked.arrivals is not None:
            rates.setdefault(asked.arrivals, {})[f"{format_rate(asked.rate_per_s)}/s"] = None
    parts = "; ".join(f"{', '.join(each)} ({arrivals})" for arrivals, each in rates.items())
    some = "" if all(cell.workload.is_open_loop for cell in plan.cells) else " in some cells"
    return [f"rates     open loop{some}, arrival rate on each target: {parts}"] if rates else []


def _verify_lines(plan: Plan, cost: Cost) -> list[str]:
    """The cost of reading back; its time is part of the cells' time."""
    if not is_verified(plan):
        return []
    writing = {cell.cell for cell in plan.cells if cell.workload.verify}
    times = sum(turn.cell in writing for turn in plan.turns)
    step, account = format_size(verified_step_bytes(plan)), format_size(account_bytes(plan))
    least = "" if plan.is_fixed else "at least "
    again = f"{least}{'once' if times == 1 else f'{times} times'}"
    size, all_of_it = format_size(plan.span_bytes), format_amount(cost.read_back_bytes)
    back = f"{size} of each target read back {again}, {all_of_it} in total, in blocks of {step}"
    return [f"verify    {back}; the write ledger uses {account}"]


def _memory_lines(ahead: Preflight) -> list[str]:
    """The memory of the engine."""
    buffers = _buffers(ahead)
    if buffers is None:
        return []
    size, beside = format_size(buffers.buffer_bytes), format_size(buffers.beside_bytes)
    return [f"memory    up to {size} for I/O buffers ({buffers.cell}), plus {beside} for the rest of the engine"]


def _buffers(ahead: Preflight) -> Buffers | None:
    match ahead.targets[0]:
        case SimulatedDrive():
            return largest_buffers(ahead.plan, EngineChoice.SIMULATION)
        case NullTarget():
            return largest_buffers(ahead.plan, EngineChoice.NULL)
        case _:
            return largest_buffers(ahead.plan, ahead.engine)


def plan_json(ahead: Preflight, cost: Cost) -> str:
    """The same as JSON: targets, plan, cost and memory, in base units."""
    buffers, span_bytes = _buffers(ahead), ahead.plan.span_bytes * len(ahead.targets)
    found = {
        "targets": [
            {"path": each.name, "kind": each.kind, "made": isinstance(each, NewFile)} for each in ahead.targets
        ],
        "plan": ahead.plan.model_dump(mode="json"),
        "cost": {**asdict(cost), "total_bytes_max": cost.total_bytes_max, "fills": cost.fills(span_bytes)},
        "memory": None if buffers is None else asdict(buffers),
    }
    return json.dumps(found, indent=1)


def _purge_lines(ahead: Preflight) -> list[str]:
    if ahead.plan.procedures:
        return [purge_line(ahead.plan, simulated=ahead.is_simulated, has_fresh_state=ahead.has_fresh_state)]
    if ahead.plan.purge is None or ahead.is_simulated:
        return []
    return [f"purge     {ahead.plan.purge} of each whole device, verified by reading back"]


def _preconditioning_lines(plan: Plan) -> list[str]:
    """The preconditioning writes with their amounts, unless they only write every block once."""
    writes = [step.cell for step in plan.writes_first]
    if plan.purge is not None and not writes and not plan.procedures:
        return ["first     no preconditioning: the target is measured fresh out of the box"]
    if all(cell.timing.amount_bytes == plan.span_bytes for cell in writes):
        return []
    told = [f"{writes_text(each.workload)}, {format_size(each.timing.amount_bytes or 0)}" for each in writes]
    return [f"{'first' if number == 0 else 'then':<10}{each}" for number, each in enumerate(told)]


def _wear_lines(ahead: Preflight, cost: Cost) -> list[str]:
    if not cost.total_bytes_max:
        return ["writes    nothing"]
    rate = format_bandwidth(cost.assumed_bytes_per_s)
    it, each = ("the target", "") if len(ahead.targets) == 1 else ("the targets", " each")
    most = f"{format_amount(cost.write_bytes_max)} at {rate}{each} (see plan --write-rate)"
    first = f"{format_amount(cost.fill_bytes)} to precondition {it}, then " if cost.fill_bytes else ""
    span = ahead.plan.span_bytes
    fills = cost.fills(span * len(ahead.targets))
    return [
        f"writes    {first}{f'up to {most}' if cost.write_bytes_max else 'nothing'}",
        f"fills     at most {fills:,.0f} full writes of the test region ({format_size(span)}{each})",
        *(endurance_line(each, cost.total_bytes_max // len(ahead.targets)) for each in ahead.endurances),
    ]


def endurance_line(drive: Endurance, written_bytes: int) -> str:
    """The share of a drive's rated endurance that writes would use, from what the drive reports."""
    if drive.rated_bytes is None:
        return f"endurance of {drive.disk} unknown: {drive.reason}"
    share = written_bytes / drive.rated_bytes
    basis = f"it reports {drive.used_percent} % as used after {format_amount(drive.written_bytes or 0)}"
    return f"endurance at most about {_percent(share)} % of the rated life of {drive.disk} ({basis})"


def _percent(share: float) -> str:
    """A share in percent with two digits, or as a whole number from 100 % on."""
    return f"{100 * share:.2g}" if share < 1 else f"{100 * share:,.0f}"


def rated_line(ahead: Preflight, cost: Cost, tbw: str | None, dwpd: float | None) -> list[str]:
    """The share of the rated endurance of each drive that the plan uses, if the user states it. Raises UsageError."""
    if tbw is not None and dwpd is not None:
        raise UsageError("--tbw and --dwpd both state the rated endurance", "omit one of them")
    if tbw is None and dwpd is None:
        return []
    if dwpd is not None and any(isinstance(each, NewFile | ExistingFile) for each in ahead.targets):
        raise UsageError("--dwpd needs the capacity of a drive, and a file is a part of one", "use --tbw")
    if tbw is not None and tbw.strip().isdecimal() and int(tbw):
        raise UsageError(f"--tbw {tbw} has no unit", f"write --tbw {tbw.strip()}TB")
    rated = (
        parse_bytes(tbw, "--tbw") if tbw is not None else round((dwpd or 0) * _smallest_bytes(ahead) * WARRANTY_DAYS)
    )
    if not rated:
        raise UsageError("--tbw must be greater than 0", "use the endurance of the data sheet, such as 1752TB")
    each = cost.total_bytes_max // len(ahead.targets)
    basis = f"{format_amount(rated)}" + (
        "" if dwpd is None else f", {dwpd:g} {'fill' if dwpd == 1 else 'fills'} a day for five years"
    )
    return [f"endurance up to {_percent(each / rated)} % of the rated {basis}"]


def _smallest_bytes(ahead: Preflight) -> int:
    """The capacity of the smallest drive, of which a run may use only a part."""
    found = []
    for target in ahead.targets:
        known: int | None = None
        if isinstance(target, SimulatedDrive):
            known = target.drive.size_bytes
        elif isinstance(target, BlockDevice):
            known = ahead.host.look(str(target.path)).size_bytes
        found.append(known or ahead.plan.span_bytes)
    return min(found)


def rest_line(rest: RemainingRun) -> str:
    """The trials that are left of a run, and their time."""
    plan = rest.run.header.plan
    if rest.is_done:
        whole = f"all {len(rest.run.turns)} trials are" if rest.run.turns else "the preconditioning is"
        if rest.run.damage is not None and plan.procedures:
            return "the run is complete but for damaged parts, which a procedure cannot repeat; regenerating the report"
        return f"{whole} complete; regenerating the report"
    again = rest.begins_again
    if again is not None:
        way = " from its purge" if plan.purge is not None and again.purged else ""
        most = format_duration(rest.left_ns)
        return f"{again.name} begins again{way}, because {no_gap(again)}; at most {most} left"
    left = _trials_left(rest)
    if rest.run.header.is_simulated:
        left = f"{left}{VIRTUAL}" if plan.is_fixed else f"{left}; this is{VIRTUAL.removeprefix(' of')}"
    elif done_bytes := done_bytes_of(rest.steps):
        left = f"{left}; preconditioning continues at {format_size(done_bytes)}"
    elif rest.preparation_ns and rest.run.turns:
        left = f"{left}; the target is preconditioned first"
    if rest.replayed:
        left = f"{left}; the {len(rest.replayed)} completed trials are replayed first"
    return left


def _trials_left(rest: RemainingRun) -> str:
    """The trials that remain, or that are complete if the results decide on their number, and their time."""
    plan, time = rest.run.header.plan, format_duration(rest.left_ns)
    trials = f"{len(rest.turns)} of {len(rest.run.turns)} trials remain"
    left = trials if rest.run.turns else "preconditioning remains"
    if plan.is_fixed:
        return f"{left}, {time}"
    if plan.procedures:
        known = trials_text(len(rest.kept), plan.trials_least, is_fixed=False)
        return f"{known} are complete, at most {time} left"
    left = f"{left} (more may be added), at most {time} left"
    if plan.aim is None:
        return left
    spent, budget = format_duration(rest.budget_spent_ns), exact_duration(plan.aim.budget_ns)
    return f"{left}, {spent} of the budget of {budget} used"


def _experiments(ahead: Preflight) -> str:
    counts = {
        experiment: sum(experiment in cell.experiments for cell in ahead.plan.cells) for experiment in EXPERIMENTS
    }
    return ", ".join(f"{EXPERIMENTS[experiment]} {count}" for experiment, count in counts.items() if count)


def cell_lines(ahead: Preflight) -> list[str]:
    """Every cell with its experiments."""
    return [
        f"  {cell.cell:<44} {', '.join(EXPERIMENTS[each] for each in cell.experiments)}" for cell in ahead.plan.cells
    ]
