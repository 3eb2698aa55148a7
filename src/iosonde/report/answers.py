"""The answers at the top of a report: at most five sentences on what a reader wants to know first."""

from collections.abc import Callable, Sequence
from typing import Final

from iosonde.analysis.experiments import RunEstimates
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.finding import Finding, Severity
from iosonde.findings.rules import FINDINGS
from iosonde.records import Experiment
from iosonde.report.display import figure_text
from iosonde.report.headline_figures import Headline, HeadlineGroup, SweptKnee
from iosonde.report.knee_words import TOLD_IN_FULL_MAX, knee_sentence, knee_short, knees_in_brief
from iosonde.report.parentheses import in_parentheses
from iosonde.report.sentences import experiment_sentence
from iosonde.report.sustained_words import sustained_brief
from iosonde.report.titles import IN_SHORT
from iosonde.report.validity import MARK, UNRELIABLE, Invalid, invalid_cells, see

ANSWERS_MAX: Final = 5
BESTS_MAX: Final = 4
"""A sentence with more best figures than this is unreadable. The headline has the others."""
NAMED_MAX: Final = 4
"""A sentence with more finding ids than this is unreadable. The list beside it has all of them."""


def answers_of(
    estimates: RunEstimates, headline: Headline, findings: Sequence[Finding], failures: FailureLog = STRICT
) -> tuple[str, ...]:
    """The highest throughput of the target, its knees, its tail latency, and which results are unreliable."""
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    writers: tuple[tuple[str, Callable[[], str]], ...] = (
        ("the highest throughput", lambda: _reached(headline)),
        ("durable writes", lambda: _durable(headline)),
        ("the other cells", lambda: _others(estimates, invalid)),
        ("the knees", lambda: _knees(headline)),
        ("tail latency", lambda: _tail(headline)),
        ("sustained performance", lambda: sustained_brief(estimates.sustained, invalid)),
    )
    told = (
        failures.attempt(f"the answer about {about}", writer, lambda _: "", IN_SHORT.id) for about, writer in writers
    )
    said = [sentence for sentence in told if sentence]
    return (*said[: ANSWERS_MAX - 1], _doubts(findings, was_asked=not failures.sentences_of(FINDINGS)))


def _reached(headline: Headline) -> str:
    best = [group for group in headline.groups if group.is_best]
    parts = [f"{_main(group)} of {group.of} {in_parentheses(group.where)}" for group in best[:BESTS_MAX]]
    rates = [group for group in headline.groups if group.id.endswith("-rate") and group.figures]
    parts += [f"{_main(group)} of {group.of}, sustained {in_parentheses(group.where)}" for group in rates[:BESTS_MAX]]
    return f"Highest measured: {'; '.join(parts)}." if parts else ""


def _durable(headline: Headline) -> str:
    group = _group(headline, "durable-write")
    return f"{group.of} reach {_main(group)} {in_parentheses(group.where)}." if group else ""


def _tail(headline: Headline) -> str:
    group = _group(headline, "random-read-tail") or _group(headline, "tail")
    if group is None:
        return ""
    known = [(figure.name, figure_text(figure)) for figure in group.figures if figure.value is not None]
    parts = [f"{name} is {text.value} {text.unit}" for name, text in known]
    if not parts:
        return ""
    return f"Tail latency of {group.of} {in_parentheses(group.where)}: {', '.join(parts)}{_mark(group)}."


def _others(estimates: RunEstimates, invalid: Invalid) -> str:
    """The answer of a user-defined campaign or a probe, which has no headline."""
    for experiment in (Experiment.MATRIX, Experiment.PROBE):
        if estimates.of(experiment):
            return experiment_sentence(experiment, estimates, invalid)
    return ""


def _knees(headline: Headline) -> str:
    return " ".join(filter(None, [_knees_told(headline.knees), headline.knees_invalid]))


def _knees_told(knees: Sequence[SweptKnee]) -> str:
    if len(knees) > TOLD_IN_FULL_MAX:
        return knees_in_brief(knees)
    if len(knees) > 1 and all(each.knee.point is not None for each in knees):
        return " ".join(knee_short(each.operations, each.knee) for each in knees)
    return " ".join(knee_sentence(each.operations, each.knee) for each in knees)


def _doubts(findings: Sequence[Finding], *, was_asked: bool) -> str:
    """Which findings make the results unreliable. ``was_asked`` is whether all rules ran without failing."""
    grave = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if not grave and not was_asked:
        return "Some rules failed to run, so unreliable results might not be marked. The findings list these rules."
    if not grave:
        return "No finding affects the validity of these results."
    counts = [
        f"{number} {severity}"
        for severity in (Severity.INVALID, Severity.DOUBTFUL)
        if (number := sum(finding.severity is severity for finding in grave))
    ]
    named = ", ".join(finding.id for finding in grave[:NAMED_MAX])
    more = f" and {len(grave) - NAMED_MAX} more" if len(grave) > NAMED_MAX else ""
    noun = "finding" if len(grave) == 1 else "findings"
    return f"Before you rely on these results, review {len(grave)} {noun} ({', '.join(counts)}): {named}{more}."


def _group(headline: Headline, identity: str) -> HeadlineGroup | None:
    return next((group for group in headline.groups if group.id == identity and group.figures), None)


def _main(group: HeadlineGroup) -> str:
    text = figure_text(group.figures[0])
    return " ".join(part for part in (text.value, text.spread, text.unit) if part) + _mark(group)


def _mark(group: HeadlineGroup) -> str:
    """The mark after the figures of a group: the findings that make them invalid, or else unreliable."""
    if group.invalid_by:
        return f" [{MARK}, {see(group.invalid_by)}]"
    return f" [{UNRELIABLE}, {see(group.doubted_by)}]" if group.doubted_by else ""
