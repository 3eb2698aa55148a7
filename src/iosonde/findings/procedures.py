"""Rules about standard procedures: steady state that was not reached, and trials that are too short for their queue."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from iosonde.analysis.queue_rounds import queue_rounds
from iosonde.analysis.totals import total_of
from iosonde.findings.case import Case, count_of, of_trial, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord

if TYPE_CHECKING:
    from iosonde.analysis.procedures import Criterion, PhaseRounds, ProcedureRounds


COUNTED_SHARE_MIN: Final = 0.95
"""Completed operations that explain less of the queue than this leave the mean latency wrong by 5 %."""

LONG_ROUNDS: Final = 100
"""After so many rounds of the queue, those in flight at the end change the mean by less than 1 %."""

EVIDENCE_MAX: Final = 10

STILL_CHANGED: Final = "The reported figures are those of a target that still changed."
NOT_KNOWN: Final = "It is not known whether the target still changed."
GAP_ONLY: Final = (
    "The values are within the limits, but too long a gap between two trials interrupts each window: what the target "
    "did in the gap is unknown."
)
ADVICE: Final = (
    "Report the figures only together with this statement. If the values still approach a level, allow more rounds "
    "(rounds_max). If they scatter, measure longer in each round, or find what disturbs the target."
)
OPEN_ADVICE: Final = "Report the figures only together with this statement."
GAP_ADVICE: Final = (
    "Report the figures only together with this statement. Find what delayed the host between trials, or set gap to a "
    "longer time if the target may be idle."
)


def steady_state_missed(case: Case) -> Iterator[Finding]:
    """A procedure ended without steady state of all tracking variables, or left it again."""
    if not case.run.header.plan.procedures:
        return
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures import Verdict, criteria_of
    from iosonde.analysis.procedures.steady_condition import undecided_text

    judged = [(each, phase) for each in case.procedures for phase in each.all_judged]
    found = [(each, phase, criteria_of(phase)[0]) for each, phase in judged]
    unsteady = [each for each in found if each[-1].verdict is not Verdict.REACHED]
    if not unsteady:
        return
    opened = [undecided_text(case.run, phase) for _, phase, _ in unsteady]
    missed = [
        (_name(each, phase), open_text or _verdict(own))
        for (each, phase, own), open_text in zip(unsteady, opened, strict=True)
    ]
    # What a drive does before steady state is not a result, whether a cell is tracked or not.
    cells = tuple(
        cell
        for procedure, phase, _ in unsteady
        for later in procedure.phases[procedure.phases.index(phase) :]
        for cell in later.cells
    )
    without_gaps = [criteria_of(replace(phase, broken=frozenset()))[0] for _, phase, _ in unsteady]
    if all(opened):
        told, advice, test = NOT_KNOWN, OPEN_ADVICE, "Let the procedure run to its end."
    elif all(each.verdict is Verdict.REACHED for each in without_gaps):
        told, advice, test = GAP_ONLY, GAP_ADVICE, "Run the procedure again without gaps."
    else:
        told, advice, test = STILL_CHANGED, ADVICE, "Run the procedure again with more rounds."
    yield Finding(
        id="steady-state-missed",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=f"{'; '.join(f'{name}: steady state was {verdict}' for name, verdict in missed)}. {told}",
        evidence=tuple(missed),
        advice=advice,
        deciding_test=test,
        cells=tuple(dict.fromkeys(cells)),
    )


def preconditioning_failed(case: Case) -> Iterator[Finding]:
    """A procedure went on although its preconditioning did not write what it should."""
    if not case.run.header.plan.procedures:
        return
    from iosonde.analysis.procedures.condition import ConditionState
    from iosonde.analysis.procedures.conditions import PRECONDITIONING, conditions_of

    failed = [
        (each.procedure.title or each.procedure.name, condition.reason)
        for each in case.procedures
        for condition in (conditions_of(case.run, each) if each.judged or each.main else ())
        if (condition.name, condition.state) == (PRECONDITIONING, ConditionState.FAILED)
    ]
    if failed:
        yield Finding(
            id="preconditioning-failed",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=f"{'; '.join(f'{name}: the preconditioning failed: {reason}' for name, reason in failed)}. "
            "The results describe a target that is not in the state that the procedure requires.",
            evidence=tuple(failed),
            advice="Do not report the figures as results of the procedure.",
            deciding_test="Run the procedure again, with a preconditioning that may take as long as it needs.",
        )


def latency_cut_short(case: Case) -> Iterator[Finding]:
    """Trials of a procedure end before the operations of a deep queue complete, so only the fast ones are counted.

    By Little's law, the latencies of all operations that complete in a second add up to the queue depth in seconds.
    """
    if not case.run.header.plan.procedures:
        return
    least: dict[str, tuple[CellRecord, float]] = {}
    for record in case.used:
        found, kept = queue_rounds(record), record.queue_depth_kept
        if found is None or not kept or found.rounds > LONG_ROUNDS:
            continue
        totals = total_of(record.operations, record.workload.subject)
        assert totals is not None, "a trial with rounds has completed operations"
        share = totals.latency_ns_sum / record.measured_ns / kept
        if share < COUNTED_SHARE_MIN and share < least.get(record.cell, (record, 1.0))[1]:
            least[record.cell] = record, share
    if not least:
        return
    worst_first = sorted(least.values(), key=lambda each: each[1])
    record, share = worst_first[0]
    yield Finding(
        id="latency-cut-short",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(least), 'cell')}, trials are too short for the queue: operations still in flight at the "
            f"end take longer than those that completed. In {record.cell}, {trial_name(record)}, the "
            f"completed ones explain {100 * share:.0f} % of the operations in flight. By Little's law, the true mean "
            f"latency is about {1 / share:.2f} times that of the report; percentiles and maximum are too low as well."
        ),
        evidence=tuple(
            of_trial(each, f"{100 * part:.0f} % of the operations in flight")
            for each, part in worst_first[:EVIDENCE_MAX]
        ),
        advice="Report the latencies of these cells as lower bounds. The throughput of a mix can be too high: "
        "mix-not-kept names the cells.",
        deciding_test=case.longer,
        cells=tuple(least),
    )


def _name(rounds: "ProcedureRounds", phase: "PhaseRounds") -> str:
    """The procedure, and its phase if steady state is judged in several of them."""
    name = rounds.procedure.title or rounds.procedure.name
    return f"{name}, {phase.name}" if len(rounds.all_judged) > 1 else name


def _verdict(own: "Criterion") -> str:
    if own.left is not None:
        return f"left again in round {own.left}"
    return f"not reached after {count_of(own.rounds, 'round')}"
