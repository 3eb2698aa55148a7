"""A table as data, ready to be laid out: texts only."""

from dataclasses import dataclass, replace

from iosonde.report.dashes import explained, no_figures_text


@dataclass(frozen=True)
class Head:
    """The head of a column: its name, its unit (empty for none), and whether numbers stand below it."""

    name: str
    unit: str = ""
    number: bool = True


@dataclass(frozen=True)
class Line:
    """A row. With a ``gap`` the cell has no figures: the text says why, and stands across all columns but the first.

    ``invalid`` says in a few words by what its figures are invalid, and is empty where they are not. ``rests_on`` is
    the cell that its figures are compared with, where that is not the row's own. ``cell`` is the row's own cell, where
    its first text does not name it.
    """

    texts: tuple[str, ...]
    gap: str = ""
    invalid: str = ""
    rests_on: str = ""
    cell: str = ""

    @property
    def gap_text(self) -> str:
        """The gap as a sentence; empty where there is none."""
        return no_figures_text(self.gap)


@dataclass(frozen=True)
class ResultTable:
    """A table ready to be printed: texts only. ``named_by`` is the column, from 0, whose texts name the rows.

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
        """The same with a note for each reason of a dash. Last of all: what joins tables needs the reasons."""
        rows, reasons = explained([line.texts for line in self.lines])
        lines = tuple(replace(line, texts=texts) for line, texts in zip(self.lines, rows, strict=True))
        return replace(self, lines=lines, notes=(*reasons, *self.notes))
