"""Rules about standard procedures: steady state that was not reached."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from iosonde.findings.case import Case, count_of
from iosonde.findings.finding import Confidence, Finding, Severity

if TYPE_CHECKING:
    from iosonde.analysis.procedures import Criterion, ProcedureRounds


def steady_state_missed(case: Case) -> Iterator[Finding]:
    """A procedure ended without steady state of all tracking variables, or left it again."""
    if not case.run.header.plan.procedures:
        return
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures import Verdict, criteria_of, procedures_of
    from iosonde.analysis.procedures.conditions import undecided_text

    judged = [(each, each.judged) for each in procedures_of(case.run) if each.judged is not None]
    found = [(each, phase, criteria_of(phase)[0]) for each, phase in judged]
    missed = [
        (each, undecided_text(case.run, phase) or _verdict(own))
        for each, phase, own in found
        if own.verdict is not Verdict.REACHED
    ]
    if not missed:
        return
    cells = tuple(tracked.cell for each, _ in missed if each.judged is not None for tracked in each.judged.tracked)
    yield Finding(
        id="steady-state-missed",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{'; '.join(_told(each, verdict) for each, verdict in missed)}. The reported figures are those of a "
            "target that still changed."
        ),
        evidence=tuple((each.procedure.name, verdict) for each, verdict in missed),
        advice=(
            "Report the figures only together with this statement. If the values still approach a level, allow more "
            "rounds (rounds_max). If they scatter, measure longer in each round, or find what disturbs the target."
        ),
        deciding_test="Run the procedure again with more rounds.",
        cells=tuple(dict.fromkeys(cells)),
    )


def _told(rounds: "ProcedureRounds", verdict: str) -> str:
    name = rounds.procedure.title or rounds.procedure.name
    return f"{name}: steady state was {verdict}"


def _verdict(own: "Criterion") -> str:
    if own.left is not None:
        return f"left again in round {own.left}"
    return f"not reached after {count_of(own.rounds, 'round')}"
