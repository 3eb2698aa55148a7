"""The dash shown for a missing number. It carries the reason why the number is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from iosonde.charts.quantities import NO_VALUE

_MARKS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Dash(str):
    """The usual dash for a missing value, with the reason that appears in the notes of the table."""

    __slots__ = ("reason",)

    reason: str

    def __new__(cls, reason: str) -> Self:
        """Creates the dash. ``reason`` is a clause without a full stop."""
        assert reason, "a dash has a reason"
        dash = super().__new__(cls, NO_VALUE)
        dash.reason = reason
        return dash


def explained(rows: Sequence[Sequence[str]]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The rows, and a note for each reason. If there are several reasons, the dashes are numbered like footnotes.

    The rows have plain texts, so that reasons are not explained a second time.
    """
    reasons = list(dict.fromkeys(text.reason for row in rows for text in row if isinstance(text, Dash)))
    if len(reasons) <= 1:
        return [tuple(map(str, row)) for row in rows], tuple(f"{NO_VALUE}: {reason}." for reason in reasons)
    marks = {reason: f"{NO_VALUE}{str(number).translate(_MARKS)}" for number, reason in enumerate(reasons, start=1)}
    marked = [tuple(marks[text.reason] if isinstance(text, Dash) else str(text) for text in row) for row in rows]
    return marked, tuple(f"{marks[reason]}: {reason}." for reason in reasons)


def no_figures_text(why: str) -> str:
    """A sentence on why there are no figures; empty if no reason is given."""
    return f"No results: {why}." if why else ""
