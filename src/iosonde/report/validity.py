"""Marks invalid results everywhere: a finding of severity *invalid* makes the results that it names invalid."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iosonde.findings.case import distinct, name_some
from iosonde.findings.finding import Finding, invalid_by, unreliable_by
from iosonde.report.tables import Line, ResultTable

MARK: Final = "INVALID"
UNRELIABLE: Final = "unreliable"
Invalid = Mapping[str, tuple[str, ...]]
"""Cells with invalid figures, each with the ids of the findings that make them invalid."""

Doubtful = Mapping[str, tuple[str, ...]]
"""Cells with doubtful figures that are not invalid, each with the ids of the findings."""


def invalid_cells(cells: Iterable[str], findings: Sequence[Finding]) -> dict[str, tuple[str, ...]]:
    """The invalid cells among ``cells``."""
    return {cell: ids for cell in cells if (ids := invalid_by(findings, cell))}


def doubtful_cells(cells: Iterable[str], findings: Sequence[Finding]) -> dict[str, tuple[str, ...]]:
    """The cells among ``cells`` that doubtful findings name and that are not invalid."""
    return {cell: ids for cell in cells if not invalid_by(findings, cell) and (ids := unreliable_by(findings, cell))}


def see(ids: Sequence[str]) -> str:
    """A reference to findings: ``see neighbours and 2 more``."""
    first, *others = ids
    return f"see {first}{f' and {len(others)} more' if others else ''}"


def mark_of(cell: str, findings: Sequence[Finding]) -> str:
    """What follows a figure of a cell in a sentence, in parentheses: that it is invalid or doubtful; else empty."""
    if ids := invalid_by(findings, cell):
        return f" ({MARK}, {see(ids)})"
    return f" (doubtful, {see(ids)})" if (ids := unreliable_by(findings, cell)) else ""


def marked(table: ResultTable, invalid: Invalid, mark: str = f"{MARK},") -> ResultTable:
    """The table with marks on the rows of invalid cells, and on rows that are compared with one.

    The cell of a row is its ``cell``, else its first text. A row without figures is not marked.
    """
    lines = tuple(
        replace(line, invalid=f"{mark} {see(ids)}") if not line.gap and (ids := _invalid_by(line, invalid)) else line
        for line in table.lines
    )
    return replace(table, lines=lines)


def _invalid_by(line: Line, invalid: Invalid) -> tuple[str, ...]:
    """The findings that make a row invalid: those of its own cell, else of one that it is compared with."""
    cells = (line.cell or line.texts[0], *line.rests_on)
    return next((ids for cell in cells if (ids := invalid.get(cell))), ())


def left_out_text(cells: Iterable[str], invalid: Invalid) -> str:
    """A sentence that names the cells omitted as invalid; empty if there are none."""
    touched = [cell for cell in cells if cell in invalid]
    if not touched:
        return ""
    ids = tuple(dict.fromkeys(each for cell in touched for each in invalid[cell]))
    return f"Omitted as invalid ({see(ids)}): {name_some(distinct(touched))}."
