"""What a reader wants to know first, in at most five sentences."""

from collections.abc import Callable, Sequence
from typing import Final

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.knee import Knee
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.model import Finding, Severity
from iosonde.findings.rules import FINDINGS
from iosonde.records import Experiment, Operation
from iosonde.report.display import figure_text
from iosonde.report.headline import Headline, HeadlineGroup
from iosonde.report.knee_words import knee_sentence, knee_short
from iosonde.report.sentences import experiment_sentence

_BEST: Final = {
    "random-read-iops": "of random 4 KiB reads",
    "random-write-iops": "of random 4 KiB writes",
    "sequential-read-bandwidth": "of sequential reads",
    "sequential-write-bandwidth": "of sequential writes",
}
ANSWERS_MAX: Final = 5
NAMED_MAX: Final = 4
"""More ids than this make a sentence unreadable; all of them stand beside it."""


def answers_of(
    estimates: RunEstimates, headline: Headline, findings: Sequence[Finding], failures: FailureLog = STRICT
) -> tuple[str, ...]:
    """What the target reaches, where its knee is, what its tail is, and what should not be believed."""
    writers: tuple[tuple[str, Callable[[], str]], ...] = (
        ("what the target reaches", lambda: _reached(headline)),
        ("durable writes", lambda: _durable(headline)),
        ("other cells", lambda: _others(estimates)),
        ("knees", lambda: _knees(headline.knees)),
        ("the tail", lambda: _tail(headline)),
    )
    told = (failures.attempt(f"the answer about {about}", writer, lambda _: "", "answers") for about, writer in writers)
    said = [sentence for sentence in told if sentence]
    return (*said[: ANSWERS_MAX - 1], _doubts(findings, was_asked=not failures.sentences_of(FINDINGS)))


def _reached(headline: Headline) -> str:
    best = [group for group in headline.groups if group.id in _BEST and group.figures]
    parts = [f"{_main(group)} {_BEST[group.id]} ({group.where})" for group in best]
    return f"At best {'; '.join(parts)}." if parts else ""


def _durable(headline: Headline) -> str:
    group = _group(headline, "durable-write")
    return f"Writes made durable by fdatasync reach {_main(group)} ({group.where})." if group else ""


def _tail(headline: Headline) -> str:
    group = _group(headline, "random-read-tail")
    if group is None:
        return ""
    known = [(figure.name, figure_text(figure)) for figure in group.figures if figure.value is not None]
    parts = [f"{name} is {text.value} {text.unit}" for name, text in known]
    return f"The tail of random reads at {group.where}: {', '.join(parts)}." if parts else ""


def _others(estimates: RunEstimates) -> str:
    """What a campaign of one's own or a probe has to say, for which there is no headline."""
    for experiment in (Experiment.MATRIX, Experiment.PROBE):
        if estimates.of(experiment):
            return experiment_sentence(experiment, estimates)
    return ""


def _knees(knees: Sequence[tuple[Operation, Knee]]) -> str:
    if len(knees) > 1 and all(knee.point is not None for _, knee in knees):
        return " and ".join(knee_short(direction, knee) for direction, knee in knees).capitalize() + "."
    return " ".join(knee_sentence(direction, knee) for direction, knee in knees)


def _doubts(findings: Sequence[Finding], *, was_asked: bool) -> str:
    """What may be wrong; ``was_asked`` says that every rule could look for it."""
    grave = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if not grave and not was_asked:
        return "Not every rule could be asked what makes these numbers doubtful: the findings say which."
    if not grave:
        return "No finding makes these numbers doubtful."
    counts = [
        f"{number} {severity}"
        for severity in (Severity.INVALID, Severity.DOUBTFUL)
        if (number := sum(finding.severity is severity for finding in grave))
    ]
    named = ", ".join(finding.id for finding in grave[:NAMED_MAX])
    more = f" and {len(grave) - NAMED_MAX} more" if len(grave) > NAMED_MAX else ""
    said = "finding ({}) names" if len(grave) == 1 else "findings ({}) name"
    return f"Before any of it is believed: {' and '.join(counts)} {said.format(named + more)} what may be wrong."


def _group(headline: Headline, identity: str) -> HeadlineGroup | None:
    return next((group for group in headline.groups if group.id == identity and group.figures), None)


def _main(group: HeadlineGroup) -> str:
    text = figure_text(group.figures[0])
    return " ".join(part for part in (text.value, text.spread, text.unit) if part)
