"""What a finding of severity *invalid* touches looks invalid wherever it stands: struck out, and in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iosonde.findings.case import distinct, name_some
from iosonde.findings.finding import Finding, invalid_by
from iosonde.report.tables import ResultTable

MARK: Final = "INVALID"
UNRELIABLE: Final = "unreliable"
Invalid = Mapping[str, tuple[str, ...]]
"""Cells whose figures are invalid, each with the ids of the findings that say so."""


def invalid_cells(cells: Iterable[str], findings: Sequence[Finding]) -> dict[str, tuple[str, ...]]:
    """Which of these cells have figures that do not mean what they seem to."""
    return {cell: ids for cell in cells if (ids := invalid_by(findings, cell))}


def see(ids: Sequence[str]) -> str:
    """``see neighbours``, and how many more findings there are."""
    first, *others = ids
    return f"see {first}{f' and {len(others)} more' if others else ''}"


def marked(table: ResultTable, invalid: Invalid, mark: str = f"{MARK},") -> ResultTable:
    """The table with its invalid rows marked, and those that are compared with an invalid one.

    A row names its cell, or begins with the name. A row without figures has none that could be invalid.
    """
    lines = tuple(
        replace(line, invalid=f"{mark} {see(ids)}")
        if not line.gap and (ids := invalid.get(line.cell or line.texts[0]) or invalid.get(line.rests_on))
        else line
        for line in table.lines
    )
    return replace(table, lines=lines)


def left_out_text(cells: Iterable[str], invalid: Invalid) -> str:
    """A sentence on which of these cells are in no comparison because they are invalid; empty where none is."""
    touched = [cell for cell in cells if cell in invalid]
    if not touched:
        return ""
    ids = tuple(dict.fromkeys(each for cell in touched for each in invalid[cell]))
    return f"Omitted as invalid ({see(ids)}): {name_some(distinct(touched))}."
