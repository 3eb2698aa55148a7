"""docs/reference/findings.md: each finding as a run that sets it off words it.

The runs are those of the tests, so the text here is what the rules say and not what somebody remembers of it.
"""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Case, Finding, Severity, find
from iosonde.records import RunRecord
from tests.findings.test_rules import FIRES
from tools.reference.markdown import code, page, table

_LEAD: Final = (
    "Every finding in the words that a run gets, by a run in the tests that sets it off; the numbers are that run's. "
    "When a rule speaks, and with which threshold, is told in [findings](../findings.md); "
    "what severity and confidence mean, in [concepts](../concepts.md#findings). Some findings weigh more in another "
    "run: there stands the severity of the example."
)


def findings_page() -> str:
    """The text of the page."""
    found = [_only(make(), identity) for identity, make in FIRES.items()]
    found.sort(key=lambda each: (list(Severity).index(each.severity), each.id))
    overview = table(
        ("finding", "severity", "confidence"),
        [(f"[{each.id}](#{each.id})", str(each.severity), str(each.confidence)) for each in found],
    )
    return page("Findings in their own words", _LEAD, [overview, *(part for each in found for part in _section(each))])


def _only(run: RunRecord, identity: str) -> Finding:
    return next(each for each in find(Case.of(RunAnalysis(run))) if each.id == identity)


def _section(finding: Finding) -> Iterator[str]:
    yield f"## {finding.id}"
    yield f"{str(finding.severity).capitalize()}, {finding.confidence}. [When it speaks](../findings.md#{finding.id})."
    yield f"> {finding.statement}"
    yield table(
        ("part", "text"),
        [
            *(("evidence", f"{name}: {code(value)}") for name, value in finding.evidence[:1]),
            ("advice", finding.advice),
            *((("what would decide", finding.deciding_test),) if finding.deciding_test else ()),
        ],
    )
