"""A finding: one statement about the validity of results."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How a finding affects the results it names, most severe first.

    ``invalid``: do not use the results. ``doubtful``: they may be wrong. ``note``: know this when you read them.
    """

    INVALID = "invalid"
    DOUBTFUL = "doubtful"
    NOTE = "note"


class Confidence(StrEnum):
    """How sure the rule is of its statement. A cause is never more than ``likely``."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True)
class Finding:
    """One statement about a run, with its evidence and the action to take.

    ``id`` is stable and documented. ``statement`` says what happened, with numbers. ``evidence`` is pairs of a name
    and a value with its unit. ``deciding_test`` is the test that would settle the question, empty if none is open.
    ``cells`` are the affected cells; an empty tuple means the whole run.
    """

    id: str
    severity: Severity
    confidence: Confidence
    statement: str
    evidence: tuple[tuple[str, str], ...]
    advice: str
    deciding_test: str
    cells: tuple[str, ...] = ()


def invalid_by(findings: Iterable[Finding], cell: str) -> tuple[str, ...]:
    """The ids of the findings that make a cell invalid: they name the cell, or apply to the whole run."""
    touching = (
        each for each in findings if each.severity is Severity.INVALID and (cell in each.cells or not each.cells)
    )
    return tuple(dict.fromkeys(each.id for each in touching))


def unreliable_by(findings: Iterable[Finding], cell: str) -> tuple[str, ...]:
    """The ids of the doubtful findings that name a cell. Invalid ones are not included."""
    naming = (each for each in findings if each.severity is Severity.DOUBTFUL and cell in each.cells)
    return tuple(dict.fromkeys(each.id for each in naming))


def most_severe_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sorted by severity. Findings of equal severity keep their order."""
    order = list(Severity)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))
