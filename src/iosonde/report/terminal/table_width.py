"""Tables that never wrap a line. Columns that do not fit are omitted, and a line below the table names them."""

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
    """Shorter texts of a column, used before columns of a higher ``worth`` are omitted. ``lacks`` is what they omit."""

    texts: Sequence[str]
    worth: float
    lacks: str = ""


@dataclass(frozen=True)
class Fitted:
    """A column of texts. If the table is too wide, columns with the lowest ``worth`` are omitted first; None stays.

    ``shrinks`` says how texts may be cut: at the ``start``, at the ``end``, or ``apart``, so that different texts stay
    different. They are cut after all omissions; down to ``least`` columns also before other columns are omitted.
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
        """Head and unit in one line, for the line on omitted columns."""
        return f"{self.head} {self.unit}" if self.unit in {"requested", "achieved"} else self.head

    @cached_property
    def floor(self) -> int | None:
        """The width to which it may be cut before other columns are omitted; None if it may not."""
        if self.least is None or self.shrinks != "apart":
            return self.least
        return least_width(self.texts, self.least)

    def shown(self, width: int) -> Sequence[str]:
        """Its texts, cut to ``width`` columns."""
        apart = told_apart(self.texts, width) if self.shrinks == "apart" else None
        return apart or [cut(text, width, "end" if self.shrinks == "end" else "start") for text in self.texts]

    def width(self) -> int:
        """The width of the widest of head, unit and texts."""
        return max(cell_len(each) for each in (self.head, self.unit, *self.texts))


@dataclass(frozen=True)
class FittedTable:
    """A table of the columns that fit, and a line on what is omitted.

    If columns that cannot be omitted do not fit, or only with first columns that look alike, several tables follow each
    other, each with the first column.
    """

    columns: tuple[Fitted, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, and a line on what is omitted."""
        columns, missing = _choose(self.columns, options.max_width)
        for number, part in enumerate(_parts(columns, options.max_width)):
            if number:
                yield Text("")
            yield from _lines(part, options.max_width)
        if missing:
            yield Text(f"Omitted at this width: {', '.join(missing)}.", style="dim")


def _choose(all_columns: Sequence[Fitted], width: int) -> tuple[list[Fitted], list[str]]:
    """The columns that fit, and the names of what is omitted. What has the lowest worth is omitted first."""
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


def _parts(columns: Sequence[Fitted], width: int) -> Iterator[Sequence[Fitted]]:
    """The columns in tables that fit: all together if they do, else the first with as many others as fit with it."""
    if len(columns) < 3 or _is_readable(columns, width):  # noqa: PLR2004 - a table of two columns has no part
        yield columns
        return
    first, *others = columns
    part: list[Fitted] = []
    for each in others:
        if part and _total([column.width() for column in (first, *part, each)]) > width:
            yield [first, *part]
            part = []
        part.append(each)
    yield [first, *part]


def _is_readable(columns: Sequence[Fitted], width: int) -> bool:
    """Whether all columns fit, and the row labels stay distinct when they are cut."""
    widths, labels = _shrunk(columns, width), columns[0]
    return _total(widths) <= width and len(set(labels.shown(widths[0]))) == len(set(labels.texts))


def _total(widths: Sequence[int]) -> int:
    """The width of a table: its columns, and the gutters between them."""
    return sum(widths) + GUTTER * (len(widths) - 1)


def _width(columns: Sequence[Fitted]) -> int:
    """The least width of the table, with every column cut to its ``floor``."""
    floors = [column.floor for column in columns]
    widths = [
        column.width() if floor is None else min(column.width(), floor)
        for column, floor in zip(columns, floors, strict=True)
    ]
    return _total(widths)


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
    """The width of each column. While the table is too wide, the widest column that may shrink is cut."""
    widths = [column.width() for column in columns]
    over = _total(widths) - width
    # The second pass cuts below the floors, so that names may become equal: the terminal is too narrow otherwise.
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
