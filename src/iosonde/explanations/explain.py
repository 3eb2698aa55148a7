"""All explanations of a run, most likely first."""

from collections.abc import Callable, Sequence
from typing import Final

from iosonde.explanations.deciding import DECISIONS, Decision
from iosonde.explanations.host import cpu_bound, scheduler
from iosonde.explanations.limits import bandwidth_limit, command_limit, throttling
from iosonde.explanations.mechanism import Explanation
from iosonde.explanations.observed import Observed
from iosonde.explanations.reads import die_conflicts, read_ahead, read_cache
from iosonde.explanations.slc_cache import slc_cache
from iosonde.explanations.writes import collection, flush, write_buffer
from iosonde.findings.case import Case
from iosonde.findings.finding import Confidence, Finding

RULES: Final[tuple[Callable[[Observed], Explanation | None], ...]] = (
    throttling,
    slc_cache,
    collection,
    flush,
    write_buffer,
    read_cache,
    read_ahead,
    die_conflicts,
    bandwidth_limit,
    command_limit,
    scheduler,
    cpu_bound,
)


def explain(case: Case, findings: Sequence[Finding]) -> tuple[Explanation, ...]:
    """The explanations that a run supports: likely ones first, then by their effect."""
    observed = Observed(case, tuple(findings))
    found = [each for rule in RULES if (each := rule(observed)) is not None]
    order = list(Confidence)
    return tuple(sorted(found, key=lambda each: (order.index(each.confidence), -each.factor)))


def decision_for(explanation: Explanation) -> Decision:
    """The campaign that decides whether an explanation is right."""
    return DECISIONS[explanation.mechanism]
