"""Texts on the state of the target, the stop rule, steady state, and discarded repeats."""

from collections.abc import Sequence
from typing import Final, assert_never

from iosonde.analysis.series import Steadiness
from iosonde.analysis.states import Repeats
from iosonde.analysis.target_state import RULES, Beginning, Rounds, RunState, TargetState, rounds_of, steadiness_of
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.repeats import WHY_DISCARDED
from iosonde.records import Aim, CellRecord, FixedTrials, Procedures, SteadyState, StopRule
from iosonde.records.plan import WriteStep
from iosonde.report.preconditioning_words import assumptions_of
from iosonde.units import format_duration, format_percent
from iosonde.vocabulary import DiscardReason

CELLS_NAMED_MAX: Final = 3
BOUNDS: Final = "range at most 20 % and slope at most 10 % of the mean"
KINDS: Final = {
    Rounds.CONSECUTIVE: "consecutive repeats of equal length",
    Rounds.INTERLEAVED: "interleaved repeats",
    Rounds.UNEQUAL: "repeats of different lengths",
    Rounds.INTERLEAVED_UNEQUAL: "interleaved repeats of different lengths",
}
BEGAN: Final = {
    Beginning.FILLED: "preconditioned by this run before the first trial",
    Beginning.PURGED: "fresh out of the box: purged, and not preconditioned",
    Beginning.FOUND: "not preconditioned, write history unknown",
}


def beginning_text(found: RunState, steps: Sequence[WriteStep]) -> str:
    """The state of the target before the first cell, and what the preconditioning assumed; a dash if unknown."""
    if found.began is None:
        return NO_VALUE
    assumed = assumptions_of(steps) if found.began is Beginning.FILLED else ""
    return f"{BEGAN[found.began]} ({assumed})" if assumed else BEGAN[found.began]


def state_text(found: RunState) -> str:
    """The state of the target during the run, and its effect on the results."""
    named = ", ".join(found.cells[:CELLS_NAMED_MAX])
    more = f" and {len(found.cells) - CELLS_NAMED_MAX} more" if len(found.cells) > CELLS_NAMED_MAX else ""
    kind = "" if found.rounds is None else KINDS[found.rounds]
    # Cells that left steady state have rounds, but no discarded repeats.
    early = "; the early repeats were discarded" if found.rounds is None else ""
    words = {
        TargetState.UNKNOWN: "unknown: nothing was measured",
        TargetState.READ_ONLY: "reads only; write performance is unknown",
        TargetState.TRANSITION: f"in transition: the state changed during the run in {named}{more}{early}, and a "
        "longer run might reach a different state",
        TargetState.STEADY: "steady: the last five rounds of every cell with writes are consecutive, of equal length, "
        f"and meet the SNIA PTS and TKperf criterion ({BOUNDS})",
        TargetState.WITHIN_BOUNDS: f"last five repeats of every cell with writes: {BOUNDS}. The SNIA criterion is "
        f"defined for consecutive rounds of equal length, but these are {kind}, so writes might still slow down later",
        TargetState.TOO_FEW_REPEATS: "unknown: the SNIA PTS criterion requires five rounds (here, repeats), and "
        f"{named}{more} {'have' if len(found.cells) > 1 else 'has'} fewer, so writes might slow down later",
        TargetState.UNPROVEN: f"steady state not reached: in {named}{more}, no five consecutive repeats meet the "
        f"criterion ({BOUNDS}), so writes might slow down later",
    }
    return words[found.state]


def stop_text(stop: StopRule) -> str:
    """The condition on which the run was to stop."""
    match stop:
        case FixedTrials():
            return "all planned trials are complete"
        case Aim():
            return (
                f"throughput and mean latency have a precision of ±{stop.precision_percent:g} % "
                f"and p99 of ±{stop.tail_percent:g} %, or {format_duration(stop.budget_ns)} have elapsed"
            )
        case SteadyState():
            tracked = ", ".join(f"{each.quantity} of {each.cell}" for each in stop.tracked)
            verb = "is" if len(stop.tracked) == 1 else "are"
            return (
                f"{tracked} {verb} steady over {stop.window} rounds (range at most {format_percent(stop.range_share)} "
                f"and slope at most {format_percent(stop.excursion_share)} of the mean), or {stop.rounds_max} rounds "
                "are complete"
            )
        case Procedures():
            # Imported here: few runs have procedures, and the package imports NumPy.
            from iosonde.analysis.procedures.titles import titled_apart

            return f"each procedure is complete: {', '.join(each.title for each in titled_apart(stop.procedures))}"
        case _:
            assert_never(stop)


def steady_text(records: Sequence[CellRecord]) -> str:
    """The steady-state verdict of each criterion on a cell, and whether its repeats are consecutive rounds."""
    found = [each for rule in RULES if (each := steadiness_of(records, rule)) is not None]
    if not found:
        return "nothing was measured"
    told = "; ".join(f"{each.rule.name}: {_told(each)}" for each in found)
    rounds = rounds_of(records)
    if rounds is Rounds.CONSECUTIVE:
        return told
    return f"{told} (calculated from {KINDS[rounds]}; the criteria are defined for consecutive rounds of equal length)"


def discarded_text(repeats: Repeats) -> str:
    """The finished repeats that are discarded, with the reasons."""
    parts = [
        f"{', '.join(str(record.repeat) for record in found)} ({WHY_DISCARDED[fate]})"
        for fate in DiscardReason
        if (found := repeats.of(fate))
    ]
    return "; ".join(parts) or "none"


def discard_reason_word(fate: DiscardReason) -> str:
    """The reason in one or two words, for a table: ``initial state``."""
    return str(fate).replace("_", " ")


def discard_reason_text(fate: DiscardReason) -> str:
    """The reason with an explanation. A used repeat has no explanation."""
    return (
        discard_reason_word(fate)
        if fate not in WHY_DISCARDED
        else f"discarded, {discard_reason_word(fate)}: {WHY_DISCARDED[fate]}"
    )


def _told(each: Steadiness) -> str:
    if each.rounds < each.rule.window:
        return f"needs {each.rule.window} repeats"
    if each.reached is None:
        return "not met"
    return f"met at repeat {each.reached}" + ("" if each.left is None else f", no longer met at repeat {each.left}")
