"""Mechanisms that would explain the results of a run, with the evidence for and against each of them.

An explanation is a hypothesis. It is named only if a comparison within the run shows its mark with 95 % confidence, and
it always comes with a campaign that decides whether it is right. A rule per mechanism, in the file of its subject.
"""

from iosonde.explanations.deciding import DECISIONS, Decision
from iosonde.explanations.explain import RULES, decision_for, explain
from iosonde.explanations.mechanism import Explanation, Mechanism

__all__ = ["DECISIONS", "RULES", "Decision", "Explanation", "Mechanism", "decision_for", "explain"]
