"""In words: the state of the target, and what the repeats of a cell are by the criteria for a steady state."""

from collections.abc import Sequence
from typing import Final, assert_never

from iosonde.analysis.series import Steadiness
from iosonde.analysis.states import Repeats
from iosonde.analysis.target_state import RULES, Beginning, Rounds, RunState, TargetState, rounds_of, steadiness_of
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.repeats import WHY_DISCARDED
from iosonde.records import Aim, CellRecord, FixedTrials, SteadyState, StopRule
from iosonde.units import format_duration
from iosonde.vocabulary import DiscardReason

CELLS_NAMED_MAX: Final = 3
BOUNDS: Final = "range within 20 % and slope within 10 % of their mean"
KINDS: Final = {
    Rounds.CONSECUTIVE: "consecutive repeats of equal length",
    Rounds.INTERLEAVED: "interleaved repeats",
    Rounds.UNEQUAL: "repeats of different lengths",
    Rounds.INTERLEAVED_UNEQUAL: "interleaved repeats of different lengths",
}
BEGAN: Final = {
    Beginning.FILLED: "filled by this run before anything was measured",
    Beginning.FOUND: "as it was found, with unknown write history",
}


def beginning_text(found: RunState) -> str:
    """What is known of the target before the first cell."""
    return NO_VALUE if found.began is None else BEGAN[found.began]


def state_text(found: RunState) -> str:
    """What is known of the target's state, and what that does to the numbers."""
    named = ", ".join(found.cells[:CELLS_NAMED_MAX])
    more = f" and {len(found.cells) - CELLS_NAMED_MAX} more" if len(found.cells) > CELLS_NAMED_MAX else ""
    kind = "" if found.rounds is None else KINDS[found.rounds]
    words = {
        TargetState.UNKNOWN: "unknown: nothing was measured",
        TargetState.READ_ONLY: "only read: figures of writes on it would be another matter",
        TargetState.TRANSITION: f"in transition: {named}{more} changed while it was measured; what came first was "
        "discarded, and a longer run may find another state again",
        TargetState.STEADY: "steady: the last five consecutive rounds of what writes, equally long, fulfil the "
        f"criterion of SNIA PTS and TKperf ({BOUNDS})",
        TargetState.WITHIN_BOUNDS: f"last five repeats of every cell that writes: {BOUNDS}; this is the arithmetic "
        f"of the SNIA's criterion, applied to {kind}, so that writes may still be slower after a longer time",
        TargetState.UNPROVEN: f"not shown to last: {named}{more} had no five repeats in a row with a {BOUNDS}, so "
        "that writes may be slower after a longer time",
    }
    return words[found.state]


def stop_text(stop: StopRule) -> str:
    """When measuring was to end."""
    match stop:
        case FixedTrials():
            return "fixed times are over"
        case Aim():
            return (
                f"throughput and mean latency are known to ±{stop.precision_percent:g} % "
                f"and p99 to ±{stop.tail_percent:g} %, or {format_duration(stop.budget_ns)} are spent"
            )
        case SteadyState():
            tracked = ", ".join(f"{each.quantity} of {each.cell}" for each in stop.tracked)
            return (
                f"{tracked} are steady over {stop.window} rounds (range {stop.range_share:.0%}, "
                f"slope {stop.excursion_share:.0%}), or {stop.rounds_max} rounds are measured"
            )
        case _:
            assert_never(stop)


def steady_text(records: Sequence[CellRecord]) -> str:
    """What the repeats of a cell are by each of the criteria, and whether they are rounds as these mean them."""
    found = [each for rule in RULES if (each := steadiness_of(records, rule)) is not None]
    if not found:
        return "nothing was measured"
    told = "; ".join(f"{each.rule.name}: {_told(each)}" for each in found)
    rounds = rounds_of(records)
    if rounds is Rounds.CONSECUTIVE:
        return told
    return f"arithmetic only, applied to {KINDS[rounds]}, which are no rounds of these criteria: {told}"


def discarded_text(repeats: Repeats) -> str:
    """Which finished repeats are in no figure, and why."""
    parts = [
        f"{', '.join(str(record.repeat) for record in found)} ({WHY_DISCARDED[fate]})"
        for fate in DiscardReason
        if (found := repeats.of(fate))
    ]
    return "; ".join(parts) or "none"


def discard_reason_word(fate: DiscardReason) -> str:
    """The fate of a repeat in a table: ``initial state``."""
    return str(fate).replace("_", " ")


def discard_reason_text(fate: DiscardReason) -> str:
    """The same with its reason, which a used repeat needs none of."""
    return (
        discard_reason_word(fate)
        if fate not in WHY_DISCARDED
        else f"discarded, {discard_reason_word(fate)}: {WHY_DISCARDED[fate]}"
    )


def _told(each: Steadiness) -> str:
    if each.rounds < each.rule.window:
        return f"needs {each.rule.window} repeats"
    if each.reached is None:
        return "not fulfilled"
    return f"fulfilled at repeat {each.reached}" + ("" if each.left is None else f", no more at repeat {each.left}")
