"""Mechanisms that would explain the results of a run, with the evidence for and against each of them.

An explanation is a hypothesis. It is named only if a comparison within the run shows its mark with 95 % confidence, and
it always comes with a campaign that decides whether it is right. A rule per mechanism, in the file of its subject.
"""

from iosonde.explanations.deciding import DECISIONS, Decision
from iosonde.explanations.examined import Examined, Outcome, examine
from iosonde.explanations.explain import RULES, decision_for, explain
from iosonde.explanations.mechanism import OF_HOST, Explanation, Mechanism
from iosonde.explanations.observations import Observation, observations

__all__ = [
    "DECISIONS",
    "OF_HOST",
    "RULES",
    "Decision",
    "Examined",
    "Explanation",
    "Mechanism",
    "Observation",
    "Outcome",
    "decision_for",
    "examine",
    "explain",
    "observations",
]
