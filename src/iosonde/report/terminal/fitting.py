"""Tables that never wrap a line: what does not fit the width is left out, and said to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

GUTTER: Final = 2
SHRUNK_MIN: Final = 8


@dataclass(frozen=True)
class Fitted:
    """A column of texts. Of those that don't fit, the one with the lowest ``worth`` goes first; None stays.

    ``shrinks`` is a text that may be cut: at its beginning (``start``), where paths differ least, or at its end.
    ``brief`` are shorter texts that are tried before any column goes.
    """

    head: str
    texts: Sequence[str]
    worth: int | None = None
    number: bool = False
    shrinks: str = ""
    unit: str = ""
    brief: Sequence[str] = ()
    styles: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Head and unit in one line, to say what was left out."""
        return f"{self.head} {self.unit}" if self.unit in {"asked", "achieved"} else self.head

    def width(self) -> int:
        """The widest of head, unit and texts."""
        return max(cell_len(each) for each in (self.head, self.unit, *self.texts))

    def shortened(self) -> "Fitted":
        """The column with its shorter texts."""
        if not self.brief:
            return self
        return Fitted(self.head, self.brief, self.worth, self.number, self.shrinks, self.unit, (), self.styles)


@dataclass(frozen=True)
class FittedTable:
    """Columns as far as they fit. ``brief_is`` says what shorter texts lack, such as ``±``."""

    columns: tuple[Fitted, ...]
    brief_is: str = ""
    says_what_is_left_out: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, and a line on what was left out of it."""
        columns, missing = self._choose(options.max_width)
        yield _table(columns, options.max_width)
        if missing and self.says_what_is_left_out:
            yield Text(f"Left out at this width: {', '.join(missing)}.", style="dim")

    def _choose(self, width: int) -> tuple[list[Fitted], list[str]]:
        columns = list(self.columns)
        missing: list[str] = []
        while _width(columns) > width:
            droppable = [column for column in columns if column.worth is not None]
            brief = [column.shortened() for column in columns]
            if brief != columns and not any((column.worth or 0) < 0 for column in droppable):
                columns = brief
                missing.append(self.brief_is)
            elif droppable:
                least = min(droppable, key=lambda column: column.worth or 0)
                columns.remove(least)
                missing.append(least.name)
            else:
                break
        return columns, [name for name in missing if name]


def _width(columns: Sequence[Fitted]) -> int:
    """What the columns need, those that shrink at their least."""
    least = [min(column.width(), SHRUNK_MIN * 2) if column.shrinks else column.width() for column in columns]
    return sum(least) + GUTTER * (len(columns) - 1)


def _table(columns: Sequence[Fitted], width: int) -> Table:
    widths = _shrunk(columns, width)
    table = Table(box=None, pad_edge=False, padding=(0, GUTTER, 0, 0), header_style="bold", show_edge=False)
    for column, column_width in zip(columns, widths, strict=True):
        head = f"{column.head}\n{column.unit}" if any(each.unit for each in columns) else column.head
        table.add_column(head, justify="right" if column.number else "left", no_wrap=True, width=column_width)
    for index in range(len(columns[0].texts)):
        table.add_row(
            *(
                Text(cut(column.texts[index], column_width, column.shrinks), _style(column, index))
                for column, column_width in zip(columns, widths, strict=True)
            )
        )
    return table


def _style(column: Fitted, index: int) -> str:
    return column.styles[index] if column.styles else ""


def _shrunk(columns: Sequence[Fitted], width: int) -> list[int]:
    """The width of each column; those that shrink share what the others leave, each at most what it needs."""
    widths = [column.width() for column in columns]
    over = sum(widths) + GUTTER * (len(columns) - 1) - width
    while over > 0:
        shrinkable = [index for index, column in enumerate(columns) if column.shrinks and widths[index] > SHRUNK_MIN]
        if not shrinkable:
            break
        widest = max(shrinkable, key=lambda index: widths[index])
        widths[widest] -= 1
        over -= 1
    return widths


def cut(text: str, width: int, where: str = "end") -> str:
    """The text in at most ``width`` columns, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return text
    kept = text
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:] if where == "start" else kept[:-1]
    return f"…{kept}" if where == "start" else f"{kept}…"
