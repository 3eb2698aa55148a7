"""The condition that the drive did not rest between the trials of a procedure."""

from collections.abc import Sequence
from itertools import pairwise

from iosonde.analysis.procedures.condition import Condition, ConditionState
from iosonde.analysis.procedures.rounds import ProcedureRounds
from iosonde.analysis.rounds import gap_ns
from iosonde.records import CellRecord
from iosonde.units import format_duration


def gap_condition(rounds: ProcedureRounds, trials: Sequence[CellRecord], scale: int) -> Condition:
    """The gaps in the window of the phase that was judged last; without rounds, those between all trials.

    ``scale`` is by how much all times of the procedure were divided, but for the longest gap.
    """
    name, phase = "No gap in the window", rounds.judged or rounds.main
    if phase is None:
        return _of_trials(name.removesuffix(" in the window"), trials, rounds.procedure.gap_ns_max, scale)
    if phase.broken is None:
        return Condition(name, ConditionState.UNKNOWN, "the time between some trials is unknown")
    # A gap before the first round of the window does not matter.
    inside = sorted(phase.broken.intersection(phase.window[1:]))
    allowed = _allowed(rounds.procedure.gap_ns_max, scale)
    if inside:
        said = f"more than {allowed} passed before or in round {', '.join(map(str, inside))}"
        return Condition(name, ConditionState.FAILED, said)
    drained = _drain_text(phase.drain_ns_longest, rounds.procedure.gap_ns_max)
    if phase.gap_ns_longest is None:
        return Condition(name, ConditionState.VERIFIED, f"no gap of more than {allowed}{drained}")
    longest = format_duration(phase.gap_ns_longest)
    if phase.broken and not phase.is_whole_window:
        said = f"there is no whole window; {longest} passed between two trials, and {allowed} is allowed"
        return Condition(name, ConditionState.FAILED, said)
    where = "before it, the longest" if phase.broken else "the longest"
    return Condition(name, ConditionState.VERIFIED, f"no gap of more than {allowed}; {where} was {longest}{drained}")


def _allowed(gap_ns_max: int, scale: int) -> str:
    """The longest gap. The host needs the same time between trials whatever the scale, so it is not divided."""
    return f"{format_duration(gap_ns_max)}{' (not scaled)' if scale > 1 else ''}"


def _drain_text(drain_ns: int | None, gap_ns_max: int) -> str:
    """How long operations completed after a trial, if that is longer than a gap may be; else empty."""
    if drain_ns is None or drain_ns <= gap_ns_max:
        return ""
    return f"; operations in flight at the end of a trial took up to {format_duration(drain_ns)} to complete"


def _of_trials(name: str, trials: Sequence[CellRecord], gap_ns_max: int, scale: int) -> Condition:
    """Between long trials, which follow each other at once but for the idle time that belongs to them."""
    if not trials:
        return Condition(name, ConditionState.UNKNOWN, "no trial is complete")
    gaps = [(after, gap_ns(before, after)) for before, after in pairwise(trials)]
    found = [gap - after.timing.idle_ns for after, gap in gaps if gap is not None]
    if len(found) < len(gaps):
        return Condition(name, ConditionState.UNKNOWN, "the time between some trials is unknown")
    allowed, longest = _allowed(gap_ns_max, scale), max(found, default=0)
    if longest > gap_ns_max:
        said = f"{format_duration(longest)} passed between two trials; {allowed} is allowed"
        return Condition(name, ConditionState.FAILED, said)
    but = ", apart from the idle time that belongs to them" if any(each.timing.idle_ns for each in trials) else ""
    return Condition(name, ConditionState.VERIFIED, f"no gap of more than {allowed} between trials{but}")
