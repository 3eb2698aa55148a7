"""Explanations of the results in the JSON document."""

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import (
    DECISIONS,
    Examined,
    Explanation,
    Mechanism,
    Observation,
    decision_for,
    examine,
    explain,
    observations,
)
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


@dataclass(frozen=True)
class ExportedObservation:
    """What asks for a cause, the mechanisms that could be it, and how far the host delayed the slowest operations.

    ``profiles`` are the campaigns that decide on these mechanisms, in the same order.
    """

    observation: str
    mechanisms: tuple[Mechanism, ...]
    profiles: tuple[str, ...]
    host_and_device: str


def exported_explanations(
    analysis: RunAnalysis, findings: Sequence[Finding]
) -> tuple[tuple[ExportedExplanation, ...], tuple[Examined, ...], tuple[ExportedObservation, ...]]:
    """The explanations, most likely first; what the run shows of every mechanism; and its observations."""
    case = Case.of(analysis)
    explanations = explain(case, findings)
    examined = examine(case, findings, explanations)
    observed = observations(case, findings, examined)
    return (
        tuple(_explanation(each) for each in explanations),
        examined,
        tuple(_observation(each) for each in observed),
    )


def _explanation(found: Explanation) -> ExportedExplanation:
    decision = decision_for(found)
    return ExportedExplanation(
        found.mechanism, found.confidence, found.evidence, found.against, decision.profile, decision.expected
    )


def _observation(found: Observation) -> ExportedObservation:
    mechanisms = tuple(each.mechanism for each in found.causes)
    profiles = tuple(DECISIONS[each].profile for each in mechanisms)
    return ExportedObservation(found.text, mechanisms, profiles, found.shares)
