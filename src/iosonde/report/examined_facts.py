"""The mechanisms that were looked for, and the observations whose cause is asked for, as facts."""

from collections.abc import Sequence
from typing import Final

from iosonde.explanations import DECISIONS, Examined, Observation, Outcome
from iosonde.printing import capital
from iosonde.report.blocks import FactGroup

EXAMINED: Final = "All mechanisms, and what this run shows of each"
EXAMINED_KEY: Final = (
    "Not seen: the run has the comparison, and it shows no notable effect. Undecided: the confidence interval neither "
    "shows nor excludes one. Not tested: the run has no cells that would show it."
)
NEED_CAUSE: Final = "Observations that need a cause"
NEEDS_CAUSE: Final = "Observation that needs a cause"
NAMED: Final = "named above"


def observation_facts(found: Sequence[Observation]) -> tuple[FactGroup, ...]:
    """A group for each observation: its possible causes, and the campaigns that decide between them."""
    numbered = [f"{NEEDS_CAUSE} ({number} of {len(found)})" for number in range(1, len(found) + 1)]
    titles = numbered if len(found) > 1 else [NEEDS_CAUSE]
    return tuple(_group(title, each) for title, each in zip(titles, found, strict=False))


def _group(title: str, found: Observation) -> FactGroup:
    host = (("Host and device", found.shares),) if found.shares else ()
    return FactGroup(
        title,
        (
            ("Observed", found.text),
            ("Possible causes", _causes(found.causes)),
            *host,
            ("Deciding tests", _profiles(found.causes)),
        ),
    )


def _causes(causes: Sequence[Examined]) -> str:
    return ", ".join(
        f"{each.mechanism} ({NAMED if each.outcome is Outcome.NAMED else each.outcome})" for each in causes
    )


def _profiles(causes: Sequence[Examined]) -> str:
    """The campaigns that decide on the mechanisms that are not excluded."""
    left = [each for each in causes if each.outcome is not Outcome.NOT_SEEN] or causes
    return ", ".join(dict.fromkeys(DECISIONS[each.mechanism].profile for each in left))


def examined_facts(found: Sequence[Examined]) -> FactGroup:
    """Every mechanism: the outcome, what was compared, and the campaign that decides."""
    return FactGroup(EXAMINED, tuple((capital(each.mechanism), _shown(each)) for each in found))


def _shown(each: Examined) -> str:
    if each.outcome is Outcome.NAMED:
        return f"{capital(each.outcome)}. {each.text}"
    return f"{capital(each.outcome)}. {each.text} Deciding test: {DECISIONS[each.mechanism].profile}."
