"""Tables of the mechanisms that were looked for, and of the observations whose cause is asked for."""

from collections.abc import Sequence
from typing import Final

from iosonde.explanations import DECISIONS, Examined, Observation, Outcome
from iosonde.printing import capital
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable

EXAMINED_SUMMARY: Final = "All mechanisms, and what this run shows of each"
EXAMINED_CAPTION: Final = (
    "Not seen: the run has the comparison, and it shows no notable effect. Undecided: the confidence interval neither "
    "shows nor excludes one. Not tested: the run has no cells that would show it."
)
OBSERVATIONS_CAPTION: Final = (
    "Observations that need a cause, and the mechanisms that could be it. The run does not show which of them it is, "
    "unless one is named and the others are not seen; the campaigns decide."
)
NAMED: Final = "named above"
NO_COUNTERS: Final = "not recorded, or the drive is simulated and no host takes part"


def observations_table(found: Sequence[Observation]) -> ResultTable | None:
    """Each observation with its possible causes and the campaigns that decide; None if there is none."""
    if not found:
        return None
    return ResultTable(
        caption=OBSERVATIONS_CAPTION,
        heads=(
            Head("Observation", number=False),
            Head("Possible causes", number=False),
            Head("Host and device", number=False),
            Head("Deciding tests", number=False),
        ),
        lines=tuple(
            Line((each.text, _causes(each.causes), each.shares or Dash(NO_COUNTERS), _profiles(each.causes)))
            for each in found
        ),
        notes=(),
    )


def _causes(causes: Sequence[Examined]) -> str:
    return ", ".join(
        f"{each.mechanism} ({NAMED if each.outcome is Outcome.NAMED else each.outcome})" for each in causes
    )


def _profiles(causes: Sequence[Examined]) -> str:
    """The campaigns that decide on the mechanisms that are not excluded."""
    left = [each for each in causes if each.outcome is not Outcome.NOT_SEEN] or causes
    return ", ".join(dict.fromkeys(DECISIONS[each.mechanism].profile for each in left))


def examined_table(found: Sequence[Examined]) -> ResultTable:
    """Every mechanism: the outcome, what was compared, and the campaign that decides."""
    return ResultTable(
        caption=EXAMINED_CAPTION,
        heads=(
            Head("Mechanism", number=False),
            Head("Result", number=False),
            Head("What this run shows", number=False),
            Head("Deciding test", number=False),
        ),
        lines=tuple(
            Line((capital(each.mechanism), str(each.outcome), each.text, DECISIONS[each.mechanism].profile))
            for each in found
        ),
        notes=(),
    )
