"""A table as data: texts only, ready for layout."""

from dataclasses import dataclass, replace

from iosonde.report.dashes import explained, no_figures_text


@dataclass(frozen=True)
class Head:
    """The head of a column: its name, its unit (empty for none), and whether the column has numbers."""

    name: str
    unit: str = ""
    number: bool = True


@dataclass(frozen=True)
class Line:
    """A row. ``gap`` is the reason why a cell has no figures; it is shown across all columns but the first.

    ``invalid`` names the findings that make the figures invalid; empty if there are none. ``rests_on`` are the
    other cells that the figures are compared with. ``cell`` is the row's own cell, if its first text is not
    the name of the cell.
    """

    texts: tuple[str, ...]
    gap: str = ""
    invalid: str = ""
    rests_on: tuple[str, ...] = ()
    cell: str = ""

    @property
    def gap_text(self) -> str:
        """The gap as a sentence; empty if there is none."""
        return no_figures_text(self.gap)


@dataclass(frozen=True)
class ResultTable:
    """A table ready to be printed, with texts only. ``named_by`` is the index of the column that names the rows.

    ``is_extract`` says that the full table follows, which paper does not have.
    """

    caption: str
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    named_by: int = 0
    is_extract: bool = False

    @property
    def caption_alone(self) -> str:
        """The caption where the full table does not follow."""
        return f"{self.caption} The HTML report contains all rows." if self.is_extract else self.caption

    @property
    def explained(self) -> "ResultTable":
        """The table with a note for each reason of a dash. Call it last: joining tables needs the dashes' reasons."""
        rows, reasons = explained([line.texts for line in self.lines])
        lines = tuple(replace(line, texts=texts) for line, texts in zip(self.lines, rows, strict=True))
        return replace(self, lines=lines, notes=(*reasons, *self.notes))
