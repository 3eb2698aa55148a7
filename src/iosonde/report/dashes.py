"""What stands where a number is missing: a dash that knows why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from iosonde.charts.quantities import NO_VALUE

_MARKS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Dash(str):
    """The text of a missing value. It is the usual dash, and carries its reason to the table's notes."""

    __slots__ = ("reason",)

    reason: str

    def __new__(cls, reason: str) -> Self:
        """The dash, for this reason: a clause without a full stop."""
        assert reason, "a dash has a reason"
        dash = super().__new__(cls, NO_VALUE)
        dash.reason = reason
        return dash


def explained(rows: Sequence[Sequence[str]]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The rows, and a note for each reason. Where there are several, dashes are numbered like footnotes."""
    reasons = list(dict.fromkeys(text.reason for row in rows for text in row if isinstance(text, Dash)))
    if len(reasons) <= 1:
        return [tuple(row) for row in rows], tuple(f"{NO_VALUE}: {reason}." for reason in reasons)
    marks = {reason: f"{NO_VALUE}{str(number).translate(_MARKS)}" for number, reason in enumerate(reasons, start=1)}
    marked = [tuple(marks[text.reason] if isinstance(text, Dash) else text for text in row) for row in rows]
    return marked, tuple(f"{marks[reason]}: {reason}." for reason in reasons)


def no_figures_text(why: str) -> str:
    """What stands in the place of figures that there are not, with the reason; empty where there is none."""
    return f"No results: {why}." if why else ""
