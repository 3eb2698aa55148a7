"""Plans that end at a requested precision: the timing of their repeats, and the check of their budget."""

from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.cost import CELL_OVERHEAD_NS, cell_duration_ns, timed
from iosonde.records import CellPlan, CellTurn, Plan, Timing
from iosonde.units import MILLISECOND_NS, SECOND_NS, exact_duration, format_duration, minutes_flag

DEFAULT_BUDGET_NS: Final = 300 * SECOND_NS
# Two intervals for each of thirty batch means.
INTERVALS: Final = 60
INTERVAL_STEP_NS: Final = MILLISECOND_NS // 2
# Rounding up to whole intervals can lengthen a repeat by this much.
ROUNDING_NS: Final = INTERVALS * INTERVAL_STEP_NS
# The first repeats are a small share of the longest. Cells that write need longer ones to fill the drive's cache.
FIRST_SHARE: Final = 16
FIRST_SHARE_CHANGING: Final = 8
WARMUP_SHARE: Final = 5


def first_timing(cell: CellPlan, asked_ns: int | None = None) -> Timing:
    """The timing of a cell's first repeats. The campaign's timing is that of the longest.

    ``asked_ns`` is their requested duration. Their warm-up is then shortened in proportion.
    """
    if asked_ns is not None:
        return timing_between(cell, cell.timing.warmup_ns * asked_ns // cell.timing.measure_ns, asked_ns)
    share = FIRST_SHARE_CHANGING if cell.workload.changes else FIRST_SHARE
    return timing_between(cell, cell.timing.warmup_ns // WARMUP_SHARE, round(cell.timing.measure_ns / share))


def timing_between(cell: CellPlan, warmup_ns: int, measure_ns: int) -> Timing:
    """A timing with intervals for batch means, at most as long as the cell's longest repeat."""
    if cell.timing.amount_bytes is not None:
        return cell.timing
    wanted_ns = min(measure_ns, cell.timing.measure_ns)
    interval_ns = max(-(-wanted_ns // (INTERVALS * INTERVAL_STEP_NS)) * INTERVAL_STEP_NS, MILLISECOND_NS)
    warm_ns = min(warmup_ns, cell.timing.measure_ns) // MILLISECOND_NS * MILLISECOND_NS
    return Timing(warmup_ns=warm_ns, measure_ns=interval_ns * INTERVALS, interval_ns=interval_ns)


def turn_cost_ns(cell: CellPlan, turn: CellTurn) -> int:
    """The time that a trial uses of the budget: 0 for a cell with an amount."""
    if cell.timing.amount_bytes is not None:
        return 0
    return cell_duration_ns(timed(cell, turn), overhead_ns=CELL_OVERHEAD_NS)


def check_budget(plan: Plan) -> None:
    """Raises UsageError if the first repeats alone would exceed the budget."""
    if plan.aim is None:
        return
    cells = {cell.cell: cell for cell in plan.cells}
    first_ns = sum(turn_cost_ns(cells[turn.cell], turn) for turn in plan.turns)
    if first_ns > plan.aim.budget_ns:
        raise UsageError(
            f"a budget of {exact_duration(plan.aim.budget_ns)} is too short for the first {plan.repeats} repeats of "
            f"{len(plan.cells)} cells, which take {format_duration(first_ns)}",
            f"set --budget to {minutes_flag(2 * first_ns)} or more, or measure fewer cells",
        )
