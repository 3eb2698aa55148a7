"""The plan of standard procedures as text: their phases, and the time and wear at best and at worst."""

from collections import Counter
from typing import Final

from iosonde.campaign.procedure_starts import NO_STATE
from iosonde.plans.cost import Cost
from iosonde.records import PhasePlan, Plan, Procedure, Procedures, SteadySamples, SteadyState, Timing
from iosonde.units import SECOND_NS, format_amount, format_bandwidth, format_duration, format_size, short_duration
from iosonde.vocabulary import PurgeState

QUEUES_SHARE: Final = 0.01
"""The operations in flight at the end of trials are named if they take this share of the time, as on scaled drives."""


def no_gap(procedure: Procedure) -> str:
    """Why an interrupted procedure cannot be continued."""
    return f"{'its specification' if procedure.specification else 'a procedure'} does not allow a gap"


def procedure_lines(plan: Plan, *, capacity_scale: int) -> list[str]:
    """A line for each procedure, and one for each of its phases. ``capacity_scale`` is that of a simulated drive."""
    assert isinstance(plan.stop, Procedures), "only such plans have procedures"
    told = _scaled(plan.stop.time_scale, capacity_scale)
    for procedure in plan.procedures:
        told.append(f"procedure {procedure.name}: {_title(procedure)}")
        told += [f"          {phase.name}: {_phase(plan, phase)}" for phase in procedure.phases]
    if plan.writes_first:
        told.append("layout    every block is written once first: a procedure reads blocks that it has not written")
    return told


def _scaled(time: int, capacity: int) -> list[str]:
    """By how much times and capacity are divided."""
    if time == capacity:
        return [f"scaled    all times are divided by {time}, as the capacity is"] if time > 1 else []
    times = f"all times are divided by {time}" if time > 1 else "the times are those of the procedure"
    size = f"the capacity is divided by {capacity}" if capacity > 1 else "the capacity is that of the target"
    return [f"scaled    {times}; {size}"]


def _title(procedure: Procedure) -> str:
    parts = [procedure.title, f"after {procedure.specification}" if procedure.specification else ""]
    parts += [f"{procedure.mode} mode" if procedure.mode else "", "PTS-like" if procedure.is_like else ""]
    return ", ".join(filter(None, parts))


def _phase(plan: Plan, phase: PhasePlan) -> str:
    cells = {cell.cell: cell for cell in plan.cells}
    if phase.points is not None:
        times = dict.fromkeys(_length(cells[name].timing) for name in phase.round_cells)
        number = f"{len(phase.round_cells)} trials at the operating points of {phase.points.phase}"
        return f"{number}, each {' or '.join(times)}"
    lengths = Counter(_length(cells[name].timing) for name in phase.cells)
    if len(phase.cells) == 1:
        each = f"{phase.cells[0]}, {next(iter(lengths))}"
    else:
        each = ", ".join(
            f"1 cell, {text}" if count == 1 else f"{count} cells, each {text}" for text, count in lengths.items()
        )
    return f"{each}{_until(phase)}"


def _length(timing: Timing) -> str:
    """How long a cell lasts."""
    if timing.amount_bytes is not None:
        return timing.text
    warmup = f"{short_duration(timing.warmup_ns)} warm-up + " if timing.warmup_ns else ""
    idle = f"{short_duration(timing.idle_ns)} idle + " if timing.idle_ns else ""
    return f"{idle}{warmup}{short_duration(timing.measure_ns)}"


def _until(phase: PhasePlan) -> str:
    match phase.stop:
        case SteadyState(window=window, rounds_max=most, tracked=tracked):
            variables = f"{len(tracked)} tracking {'variable' if len(tracked) == 1 else 'variables'}"
            return f", in rounds until the last {window} are in steady state in {variables}, at most {most}"
        case SteadySamples(sample_ns=sample_ns, block_ns=block_ns):
            return (
                f", ends earlier once samples of {format_duration(sample_ns)} every {format_duration(block_ns)} "
                "are in steady state"
            )
        case _:
            rounds = phase.rounds(at_most=True)
            return f", in {rounds} rounds" if rounds > 1 else ""


def range_lines(best: Cost, worst: Cost, slower: Cost, plan: Plan, targets: int, *, virtual: str) -> list[str]:
    """Time, bytes and drive fills, with steady state as early as possible, and with all rounds and time limits.

    ``slower`` is the cost at a lower write bandwidth, which shows how far the time depends on it.
    """
    rate = format_bandwidth(worst.assumed_bytes_per_s)
    span = format_size(plan.span_bytes)
    first, last = (f"{each.fills(plan.span_bytes * targets):,.1f}" for each in (best, worst))
    time = _range(format_duration(best.duration_ns), format_duration(worst.duration_ns))
    amounts = [format_amount(each.total_bytes_max) for each in (best, worst)]
    return [
        f"time      {time}{virtual}, without purges",
        *_dependence(worst, slower),
        *_queues(worst, targets),
        f"writes    up to {_range(*amounts)}, if every cell wrote {rate} (see plan --write-rate)",
        f"fills     up to {_range(first, last)} (full writes of the target of {span})",
    ]


def _dependence(worst: Cost, slower: Cost) -> list[str]:
    """The time at a lower bandwidth, if some cells end with an amount: how fast they are is unknown before the run."""
    if slower.duration_ns == worst.duration_ns:
        return []
    assumed, lower = (format_bandwidth(each.assumed_bytes_per_s) for each in (worst, slower))
    assumption = f"assumes {assumed} for the cells that transfer an amount; random writes can be slower"
    return [f"          {assumption}: {format_duration(slower.duration_ns)} at worst with {lower}"]


def _queues(worst: Cost, targets: int) -> list[str]:
    """The operations that complete after the end of trials, if that takes a noticeable part of the time."""
    queues_ns = worst.in_flight_bytes * SECOND_NS // (worst.assumed_bytes_per_s * targets)
    if queues_ns < QUEUES_SHARE * worst.duration_ns:
        return []
    amount, time = format_amount(worst.in_flight_bytes), format_duration(queues_ns)
    told = f"up to {amount}, which takes at least {time}, and several times as long for random writes"
    return [f"          plus the operations in flight at the ends of trials: {told}"]


def _range(best: str, worst: str) -> str:
    return best if best == worst else f"{best} at best, {worst} at worst"


def purge_line(plan: Plan, *, simulated: bool, has_fresh_state: bool) -> str:
    """How the targets are purged before each procedure. Only a model of an SSD has a fresh state."""
    if not any(each.purged for each in plan.procedures):
        return "purge     none: the procedures begin with the target as it is"
    if simulated and not has_fresh_state:
        return f"purge     {PurgeState.SKIPPED}: {NO_STATE}"
    if simulated:
        return f"purge     {PurgeState.SIMULATED}: each procedure begins with a drive that is fresh out of the box"
    if plan.purge is None:
        return "purge     none before any procedure: the report says that it was skipped"
    names = [each.name for each in plan.procedures if each.purged]
    if len(names) < len(plan.procedures):
        return f"purge     {plan.purge} before {', '.join(names)} only, verified by reading back"
    return f"purge     {plan.purge} before each procedure, verified by reading back"
