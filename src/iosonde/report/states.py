"""In words: the state of the target, and whether a cell became steady."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.series import Steadiness
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.target_state import RULES, Beginning, RunState, TargetState, steadiness_of
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import Aim, CellRecord
from iosonde.units import format_duration

CELLS_NAMED_MAX: Final = 3
BEGAN: Final = {
    Beginning.FILLED: "filled by this run before anything was measured",
    Beginning.FOUND: "as it was found, with a past that nobody knows",
}


def beginning_text(found: RunState) -> str:
    """What is known of the target before the first cell."""
    return NO_VALUE if found.began is None else BEGAN[found.began]


def state_text(found: RunState) -> str:
    """What is known of the target's state, and what that does to the numbers."""
    named = ", ".join(found.cells[:CELLS_NAMED_MAX])
    more = f" and {len(found.cells) - CELLS_NAMED_MAX} more" if len(found.cells) > CELLS_NAMED_MAX else ""
    words = {
        TargetState.UNKNOWN: "unknown: nothing was measured",
        TargetState.READ_ONLY: "only read: figures of writes on it would be another matter",
        TargetState.TRANSITION: f"in transition: {named}{more} changed while it was measured; what came first is left "
        "out, and a longer run may find another state again",
        TargetState.STEADY: "steady: every cell that writes kept within the SNIA's bounds for five repeats, so that "
        "its figures last as long as the load does",
        TargetState.UNPROVEN: f"not shown to be steady: {named}{more} had fewer than five repeats within the SNIA's "
        "bounds, so that writes may be slower after a longer time",
    }
    return words[found.state]


def aim_text(aim: Aim | None) -> str:
    """When measuring was to end."""
    if aim is None:
        return "fixed times are over"
    budget = format_duration(aim.budget_ns)
    return (
        f"throughput and mean latency are known to ±{aim.precision_percent:g} % and p99 to ±{aim.tail_percent:g} %, "
        f"or {budget} are spent"
    )


def steady_text(records: Sequence[CellRecord]) -> str:
    """Whether a cell became steady by each of the criteria, its repeats taken as rounds."""
    found = [each for rule in RULES if (each := steadiness_of(records, rule)) is not None]
    return "; ".join(f"{each.rule.name}: {_told(each)}" for each in found) or "nothing was measured"


def left_out_text(records: Sequence[CellRecord]) -> str:
    """Which repeats are left out of the figures, and why."""
    repeats = sort_repeats(records)
    used = {record.repeat for record in repeats.used}
    early = [str(record.repeat) for record in repeats.early]
    unsettled = [str(record.repeat) for record in repeats.unsettled if record.repeat not in used]
    parts = [
        *([f"{', '.join(early)} (another state of the target)"] if early else []),
        *([f"{', '.join(unsettled)} (had not settled)"] if unsettled else []),
    ]
    return "; ".join(parts) or "none"


def _told(each: Steadiness) -> str:
    if each.rounds < each.rule.window:
        return f"needs {each.rule.window} repeats"
    if each.reached is None:
        return "not reached"
    return f"reached at repeat {each.reached}" + ("" if each.left is None else f", left again at repeat {each.left}")
