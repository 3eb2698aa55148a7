"""Tables that never wrap a line: what does not fit the width is left out, and said to be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iosonde.report.terminal.telling_apart import cut, least_width, told_apart

GUTTER: Final = 2
SHRUNK_MIN: Final = 8


@dataclass(frozen=True)
class Shorter:
    """Shorter texts of a column, tried before columns of a higher ``worth`` go; ``lacks`` says what is not in them."""

    texts: Sequence[str]
    worth: float
    lacks: str = ""


@dataclass(frozen=True)
class Fitted:
    """A column of texts. Of those that don't fit, the one with the lowest ``worth`` goes first; None stays.

    ``shrinks`` is a text that may be cut when all else is gone: at its beginning (``start``), at its ``end``, or where
    names stay ``apart``; down to ``least`` columns even before others go. Names are not cut further than they differ.
    """

    head: str
    texts: Sequence[str]
    worth: float | None = None
    number: bool = False
    shrinks: str = ""
    least: int | None = None
    unit: str = ""
    shorter: Sequence[Shorter] = ()
    styles: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Head and unit in one line, to say what was left out."""
        return f"{self.head} {self.unit}" if self.unit in {"requested", "achieved"} else self.head

    @cached_property
    def floor(self) -> int | None:
        """The columns that it may be cut to before others go; None where it may not."""
        if self.least is None or self.shrinks != "apart":
            return self.least
        return least_width(self.texts, self.least)

    def shown(self, width: int) -> Sequence[str]:
        """Its texts, each within ``width`` columns."""
        apart = told_apart(self.texts, width) if self.shrinks == "apart" else None
        return apart or [cut(text, width, "end" if self.shrinks == "end" else "start") for text in self.texts]

    def width(self) -> int:
        """The widest of head, unit and texts."""
        return max(cell_len(each) for each in (self.head, self.unit, *self.texts))


@dataclass(frozen=True)
class FittedTable:
    """Columns as far as they fit, and a line on what is left out."""

    columns: tuple[Fitted, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, and a line on what was left out of it."""
        columns, missing = _choose(self.columns, options.max_width)
        yield from _lines(columns, options.max_width)
        if missing:
            yield Text(f"Omitted at this width: {', '.join(missing)}.", style="dim")


def _choose(all_columns: Sequence[Fitted], width: int) -> tuple[list[Fitted], list[str]]:
    """The columns that fit, and the names of what does not; what is worth least goes first."""
    columns: dict[int, Fitted] = dict(enumerate(all_columns))
    steps: list[tuple[float, int, Shorter | None]] = []
    for index, column in columns.items():
        steps.extend((shorter.worth, index, shorter) for shorter in column.shorter)
        if column.worth is not None:
            steps.append((column.worth, index, None))
    missing: dict[str, int] = {}
    for _, index, shorter in sorted(steps, key=lambda step: step[0]):
        if _width(list(columns.values())) <= width:
            break
        if index not in columns:
            continue
        if shorter is None:
            missing[columns.pop(index).name] = index
        else:
            columns[index] = replace(columns[index], texts=shorter.texts)
            missing.setdefault(shorter.lacks, index)
    # In the order of the columns.
    return list(columns.values()), sorted((name for name in missing if name), key=missing.__getitem__)


def _width(columns: Sequence[Fitted]) -> int:
    """What the columns need, those that shrink at their least."""
    floors = [column.floor for column in columns]
    widths = [
        column.width() if floor is None else min(column.width(), floor)
        for column, floor in zip(columns, floors, strict=True)
    ]
    return sum(widths) + GUTTER * (len(columns) - 1)


def _lines(columns: Sequence[Fitted], width: int) -> Iterator[Text]:
    widths = _shrunk(columns, width)
    yield _line([Text(column.head, "bold") for column in columns], columns, widths)
    if any(column.unit for column in columns):
        yield _line([Text(column.unit, "bold") for column in columns], columns, widths)
    shown = [column.shown(column_width) for column, column_width in zip(columns, widths, strict=True)]
    for index in range(len(columns[0].texts)):
        texts = [
            Text(column_texts[index], column.styles[index] if column.styles else "")
            for column, column_texts in zip(columns, shown, strict=True)
        ]
        yield _line(texts, columns, widths)


def _line(texts: Sequence[Text], columns: Sequence[Fitted], widths: Sequence[int]) -> Text:
    line = Text(no_wrap=True, overflow="crop")
    for text, column, width in zip(texts, columns, widths, strict=True):
        gap = " " * max(width - text.cell_len, 0)
        line.append(gap if column.number else "").append_text(text).append("" if column.number else gap)
        line.append(" " * GUTTER)
    line.rstrip()
    return line


def _shrunk(columns: Sequence[Fitted], width: int) -> list[int]:
    """The width of each column; those that shrink share what the others leave, each at most what it needs."""
    widths = [column.width() for column in columns]
    over = sum(widths) + GUTTER * (len(columns) - 1) - width
    # Names stay apart, unless a terminal is too narrow for that and nothing else.
    for floors in ([column.floor or SHRUNK_MIN for column in columns], [SHRUNK_MIN] * len(columns)):
        while over > 0:
            shrinkable = [
                index for index, column in enumerate(columns) if column.shrinks and widths[index] > floors[index]
            ]
            if not shrinkable:
                break
            widest = max(shrinkable, key=lambda index: widths[index])
            widths[widest] -= 1
            over -= 1
    return widths
