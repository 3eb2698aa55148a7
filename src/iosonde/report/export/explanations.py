"""Explanations of the results in the JSON document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import Mechanism, decision_for, explain
from iosonde.findings.case import Case
from iosonde.findings.finding import Confidence, Finding


@dataclass(frozen=True)
class ExportedExplanation:
    """A mechanism that would explain the results, and the campaign (``profile``) that decides whether it does.

    ``expected`` is what that campaign shows if the explanation is right.
    """

    mechanism: Mechanism
    confidence: Confidence
    evidence: tuple[str, ...]
    against: tuple[str, ...]
    profile: str
    expected: str


def exported_explanations(analysis: RunAnalysis, findings: Sequence[Finding]) -> Iterator[ExportedExplanation]:
    """The mechanisms that would explain the results, most likely first."""
    for found in explain(Case.of(analysis), findings):
        decision = decision_for(found)
        yield ExportedExplanation(
            found.mechanism, found.confidence, found.evidence, found.against, decision.profile, decision.expected
        )
