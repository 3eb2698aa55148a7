"""Writes docs/reference/findings.md: the text of each finding.

The runs are those of the tests, so the text is exactly what the rules report.
"""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Case, Finding, Severity, find
from iosonde.records import RunRecord
from tests.findings.test_rules import FIRES
from tools.reference.markdown import code, page, table

_LEAD: Final = (
    "The text of every finding, with the numbers of an example run from the tests. [Findings](../findings.md) "
    "describes the conditions and thresholds of each rule, and [concepts](../concepts.md#findings) defines severity "
    "and confidence. Some findings can have more than one severity; this page shows that of the example."
)


def findings_page() -> str:
    """The text of the page."""
    found = [_only(make(), identity) for identity, make in FIRES.items()]
    found.sort(key=lambda each: (list(Severity).index(each.severity), each.id))
    overview = table(
        ("finding", "severity", "confidence"),
        [(f"[{each.id}](#{each.id})", str(each.severity), str(each.confidence)) for each in found],
    )
    return page("Findings by example", _LEAD, [overview, *(part for each in found for part in _section(each))])


def _only(run: RunRecord, identity: str) -> Finding:
    return next(each for each in find(Case.of(RunAnalysis(run))) if each.id == identity)


def _section(finding: Finding) -> Iterator[str]:
    yield f"## {finding.id}"
    yield f"{str(finding.severity).capitalize()}, {finding.confidence}. [Conditions](../findings.md#{finding.id})."
    yield f"> {finding.statement}"
    yield table(
        ("part", "text"),
        [
            *(("evidence", f"{name}: {code(value)}") for name, value in finding.evidence[:1]),
            ("advice", finding.advice),
            *((("to confirm", finding.deciding_test),) if finding.deciding_test else ()),
        ],
    )
