"""Findings in full, for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from iosonde.findings.finding import Finding, Severity, most_severe_first
from iosonde.printing import printable

STYLES: Final = {Severity.INVALID: "bold red", Severity.DOUBTFUL: "yellow", Severity.NOTE: "cyan"}
CELLS_SHOWN_MAX: Final = 12


def render_findings(findings: Sequence[Finding], cell: str = "") -> RenderableType:
    """Each finding with its evidence, its advice, and how to confirm it. Cells other than ``cell`` are only counted."""
    if not findings:
        return Text("None.")
    return Group(*(part for finding in most_severe_first(findings) for part in _parts(finding, cell)))


def _parts(finding: Finding, cell: str) -> Iterator[RenderableType]:
    yield Text.assemble(
        (f"{finding.severity} ", STYLES[finding.severity]), (f"{finding.id}", "bold"), f" ({finding.confidence})"
    )
    yield _indented(finding.statement)
    others = {each for each in finding.cells if each != cell} if cell in finding.cells else set()
    for name, value in finding.evidence:
        if name not in others:
            yield _indented(f"{name}: {value}", "dim")
    if finding.advice:
        yield _indented(f"What to do: {finding.advice}")
    if finding.deciding_test:
        yield _indented(f"To confirm: {finding.deciding_test}")
    if others:
        yield _indented(f"Cells: this one and {len(others)} more", "dim")
    elif finding.cells and not cell:
        shown = ", ".join(finding.cells[:CELLS_SHOWN_MAX])
        more = len(finding.cells) - CELLS_SHOWN_MAX
        yield _indented(f"Cells: {shown}{f' and {more} more' if more > 0 else ''}", "dim")


def _indented(text: str, style: str = "") -> RenderableType:
    return Padding(Text(printable(text), style=style), (0, 0, 0, 2))
