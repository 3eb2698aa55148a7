"""The explanations of a run as facts: the evidence for and against each mechanism, and the campaign that decides."""

from collections.abc import Sequence
from typing import Final

from iosonde.explanations import Explanation, decision_for
from iosonde.printing import capital, quoted
from iosonde.records import RunHeader
from iosonde.report.blocks import FactGroup

LEAD: Final = (
    "Mechanisms that would explain the results, most likely first. Each is a hypothesis. The deciding test is a "
    "campaign, and the last row is what it shows if the hypothesis is right."
)
NONE_NAMED: Final = "This run shows the marks of no mechanism. The list below says which of them it could have shown."
NOTHING_AGAINST: Final = "nothing in this run"


def explanation_facts(explanations: Sequence[Explanation], header: RunHeader) -> tuple[FactGroup, ...]:
    """A group of facts for each explanation: its evidence, and the campaign that decides."""
    targets = " ".join(quoted(target.path) for target in header.targets)
    return tuple(_group(each, targets) for each in explanations)


def _group(explanation: Explanation, targets: str) -> FactGroup:
    decision = decision_for(explanation)
    return FactGroup(
        f"{capital(explanation.mechanism)} ({explanation.confidence})",
        (
            ("For", " ".join(explanation.evidence)),
            ("Against", " ".join(explanation.against) or NOTHING_AGAINST),
            ("Deciding test", f"iosonde run {targets} --profile {decision.profile}"),
            ("If it is right", decision.expected),
        ),
    )
