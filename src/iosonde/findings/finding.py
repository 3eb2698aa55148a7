"""The form of everything that iosonde says about validity."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """What a finding does to the numbers it names, the most severe first.

    ``invalid``: they don't mean what they seem to. ``doubtful``: they may not. ``note``: a reader should know.
    """

    INVALID = "invalid"
    DOUBTFUL = "doubtful"
    NOTE = "note"


class Confidence(StrEnum):
    """How sure the rule is of its statement; a cause is never more than ``likely``."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True)
class Finding:
    """One statement about a run, with what it rests on and what to do about it.

    ``id`` is stable and documented. ``statement`` is a sentence with its numbers. ``evidence`` are pairs of a name
    and a value with its unit. ``deciding_test`` is the test that would settle it, empty where nothing is open.
    ``cells`` are the cells whose figures it touches; none means the whole run.
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
    """The ids of the findings that make a cell's figures invalid: they name it, or are about the whole run."""
    touching = (
        each for each in findings if each.severity is Severity.INVALID and (cell in each.cells or not each.cells)
    )
    return tuple(dict.fromkeys(each.id for each in touching))


def unreliable_by(findings: Iterable[Finding], cell: str) -> tuple[str, ...]:
    """The ids of the findings that name a cell and make its figures doubtful, the invalid ones left aside."""
    naming = (each for each in findings if each.severity is Severity.DOUBTFUL and cell in each.cells)
    return tuple(dict.fromkeys(each.id for each in naming))


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By severity; findings of one severity keep their order."""
    order = list(Severity)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))
