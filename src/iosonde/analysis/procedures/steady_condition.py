"""The verdict on the steady state of a procedure, as a condition and in words."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from iosonde.analysis.procedures.condition import Condition, ConditionState
from iosonde.analysis.procedures.courses import sample_rule
from iosonde.analysis.procedures.determination import Criterion, Verdict, criteria_of, no_window_text, rule_of
from iosonde.analysis.procedures.of_targets import unsteady_targets
from iosonde.analysis.procedures.rounds import Counted, PhaseRounds, ProcedureRounds
from iosonde.records import RunRecord

STEADY_STATE: Final = "Steady state"
NONE_INVALID: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})


def steady_condition(
    run: RunRecord, rounds: ProcedureRounds, invalid: Mapping[str, Sequence[str]] = NONE_INVALID
) -> Condition:
    """Whether steady state was reached; unknown if the figures of a tracked cell are ``invalid``."""
    return _without_invalid(_steady_state(run, rounds), rounds, invalid)


def _steady_state(run: RunRecord, rounds: ProcedureRounds) -> Condition:
    name, phase = STEADY_STATE, rounds.judged
    if phase is None and sample_rule(rounds) is not None:
        return _steady_samples(name, rounds.samples)
    if phase is None:
        planned = any(getattr(each.stop, "tracked", ()) for each in rounds.procedure.phases)
        if planned:
            return Condition(name, ConditionState.FAILED, "no round is complete")
        return Condition(name, ConditionState.SKIPPED, "the procedure has a fixed number of rounds")
    if alone := unsteady_alone(run, rounds):
        return Condition(
            name, ConditionState.FAILED, f"{steady_text(run, phase)} by the sum of all targets, but {alone}"
        )
    if undecided_text(run, phase):
        state = ConditionState.UNKNOWN
    else:
        state = ConditionState.VERIFIED if criteria_of(phase)[0].verdict is Verdict.REACHED else ConditionState.FAILED
    before = unsteady_before(run, rounds)
    if before:
        return Condition(name, ConditionState.FAILED, f"{steady_text(run, phase)}, but {before}")
    return Condition(name, state, steady_text(run, phase))


def _without_invalid(condition: Condition, rounds: ProcedureRounds, invalid: Mapping[str, Sequence[str]]) -> Condition:
    judged = {each.cell for phase in rounds.every_judged for each in phase.tracked}
    ids = dict.fromkeys(each for cell in sorted(judged) for each in invalid.get(cell, ()))
    if not ids or condition.state is not ConditionState.VERIFIED:
        return condition
    said = f"{condition.reason}, but from invalid figures (see {', '.join(ids)})"
    return Condition(condition.name, ConditionState.UNKNOWN, said)


def _steady_samples(name: str, samples: PhaseRounds | None) -> Condition:
    said = block_text(samples)
    if samples is None or _lacks_window(samples):
        return Condition(name, ConditionState.UNKNOWN, said)
    is_steady = criteria_of(samples)[0].verdict is Verdict.REACHED
    state = ConditionState.VERIFIED if is_steady else ConditionState.FAILED
    return Condition(name, state, f"{said} of its samples")


def unsteady_alone(run: RunRecord, rounds: ProcedureRounds) -> str:
    """Which of several targets are not steady alone although all of them together are, in words; else empty."""
    if rounds.judged is None or criteria_of(rounds.judged)[0].verdict is not Verdict.REACHED:
        return ""
    found = [
        f"{run.header.targets[target].path} alone {verdict_text(own)}" for target, own in unsteady_targets(run, rounds)
    ]
    return ", ".join(found)


def unsteady_before(run: RunRecord, rounds: ProcedureRounds) -> str:
    """The verdicts on phases that had to be steady before the last judged one and were not, in words; else empty."""
    if rounds.judged is None:
        return ""
    before = verdicts_of(run, rounds)[:-1]
    unsteady = [each for each in before if criteria_of(each[0])[0].verdict is not Verdict.REACHED]
    return ", ".join(f"{phase.name} {text}" for phase, _, text in unsteady)


def verdicts_of(run: RunRecord, rounds: ProcedureRounds) -> list[tuple[PhaseRounds, str, str]]:
    """All that is judged, in order: its rounds, what they are called (``blocks``, ``rounds``), and the verdict."""
    samples = rounds.samples
    found = [] if samples is None else [(samples, samples.counted.many, block_text(samples))]
    return [*found, *((phase, phase.counted.many, steady_text(run, phase)) for phase in rounds.all_judged)]


def steady_text(run: RunRecord | None, phase: PhaseRounds, *, first_round: int = 1) -> str:
    """Whether a phase with a criterion reached steady state, in words. ``first_round`` is the number of the first."""
    return undecided_text(run, phase) or verdict_text(criteria_of(phase)[0], first_round=first_round)


def undecided_text(run: RunRecord | None, phase: PhaseRounds) -> str:
    """Why steady state is not decided, in words: the run ended before it was reached and before the last round.

    Empty if it is decided. The rounds of another tool (no run) are complete, but can be too few to judge.
    """
    rule = phase.rule
    if rule is None:
        return ""
    if run is None:
        return f"undecided: {reason}" if (reason := no_window_text(phase)) else ""
    if criteria_of(phase)[0].reached is not None:
        return ""
    if run.damage is not None:
        return "not decided: part of the journal is unreadable"
    if run.finished or phase.rounds >= rule.rounds_max:
        return ""
    return f"not decided: the run ended after {phase.rounds} of at most {rule.rounds_max} rounds"


def verdict_text(criterion: Criterion, *, first_round: int = 1, counted: Counted = Counted.ROUND) -> str:
    """The verdict of a criterion in words: ``reached in round 7``. ``first_round`` is the number of the first one."""
    if criterion.reached is None:
        return f"not reached after {counted.times(criterion.rounds)}"
    shift = first_round - 1
    left = "" if criterion.left is None else f", left again in {counted} {criterion.left + shift}"
    return f"reached in {counted} {criterion.reached + shift}{left}"


def block_text(samples: PhaseRounds | None) -> str:
    """The verdict on the blocks of a long trial, each judged by one sample: ``reached in block 7``.

    Fewer blocks than those of a window, or none (None), decide nothing.
    """
    if samples is None:
        return "not decided: no block of its samples is complete"
    if _lacks_window(samples):
        complete = f"{samples.counted.times(samples.rounds)} {'is' if samples.rounds == 1 else 'are'}"
        return f"not decided: only {complete} complete, and a window has {rule_of(samples).window}"
    return verdict_text(criteria_of(samples)[0], counted=samples.counted)


def _lacks_window(samples: PhaseRounds) -> bool:
    return samples.rounds < rule_of(samples).window
