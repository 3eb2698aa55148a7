"""Lays out the report's tables for a terminal."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.charts.quantities import NO_VALUE
from iosonde.printing import printable
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.terminal.table_width import Fitted, FittedTable, Shorter
from iosonde.report.validity import MARK

_WORTH: Final = {
    ("CPU", ""): 1,
    ("n", ""): 2,
    ("Min", ""): 3,
    ("p95", ""): 4,
    ("p90", ""): 5,
    ("Max", ""): 6,
    ("p99.99", ""): 7,
    ("QD", "requested"): 8,
    ("p50", ""): 9,
    ("Bandwidth", ""): 10,
    ("p99.9", ""): 11,
    ("QD", "achieved"): 12,
    ("p99", ""): 14,
    ("Mean", ""): 15,
    ("Offset", ""): 7,
}
# An interval in percent needs half the width and loses nothing, so it is tried first. Intervals are omitted only
# before the most important figures.
_IN_PERCENT, _WITHOUT_INTERVAL, _WITHOUT_COMMON_WORDS = 0, 13, 6.5
_HEADS: Final = {
    "IOPS": ("IOPS", ""),
    "Bandwidth": ("Bandwidth", "MB/s"),
    "Mean latency": ("Mean", None),
}
"""Shorter heads. The legend has what they omit."""

_UNITS_THAT_NAME: Final = frozenset({"requested", "achieved"})
_INTERVAL: Final = " ± "
_INVALID_STYLES: Final = ("bold red", "strike red")
"""The styles of the name and of the figures in an invalid row. The row also has the word INVALID."""
_COUNTED_WORD: Final = re.compile(r"(targets|jobs)\d+")


def joined(tables: Sequence[ResultTable]) -> ResultTable:
    """Joins tables that have the same rows. A column in several tables appears once."""
    first = tables[0]
    heads, places = list(first.heads), [(0, index) for index in range(len(first.heads))]
    for number, table in enumerate(tables[1:], start=1):
        for index, head in enumerate(table.heads):
            if head not in heads:
                heads.append(head)
                places.append((number, index))
    # The CPU column comes after all latency columns.
    order = sorted(range(len(heads)), key=lambda column: heads[column].name == "CPU")
    heads, places = [heads[column] for column in order], [places[column] for column in order]
    lines = tuple(
        Line(
            tuple(tables[number].lines[row].texts[index] for number, index in places) if not line.gap else line.texts,
            line.gap,
            line.invalid,
        )
        for row, line in enumerate(first.lines)
    )
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    return ResultTable(first.caption, tuple(heads), lines, notes)


def render_table(table: ResultTable) -> RenderableType:
    """A table that fits the width. Below it are the reasons of rows without figures and of invalid rows, and notes."""
    table = _without_empty(table).explained
    whole = [line for line in table.lines if not line.gap]
    parts: list[RenderableType] = []
    if whole:
        parts.append(FittedTable(tuple(_columns(table.heads, whole))))
    parts.extend(Text(f"No results: {printable(line.gap)}.", style="red") for line in table.lines if line.gap)
    why = dict.fromkeys(line.invalid for line in whole if line.invalid)
    parts.extend(Text(f"{each}. Do not use these results.", style="bold red") for each in why)
    parts.extend(Text(printable(note), style="dim") for note in table.notes)
    return Group(*parts)


def _without_empty(table: ResultTable) -> ResultTable:
    """The table without optional columns that have no value, to save room for others. A note gives the reason."""
    rows = [line.texts for line in table.lines if not line.gap]
    kept = [
        index
        for index, head in enumerate(table.heads)
        if _worth(head) is None or not rows or {row[index] for row in rows} != {NO_VALUE}
    ]
    lines = tuple(
        line if line.gap else replace(line, texts=tuple(line.texts[index] for index in kept)) for line in table.lines
    )
    gone: dict[str, list[str]] = {}
    for index in sorted(set(range(len(table.heads))) - set(kept)):
        reasons = {text.reason for row in rows if isinstance(text := row[index], Dash)}
        gone.setdefault("; ".join(sorted(reasons)), []).append(table.heads[index].name)
    notes = tuple(f"{', '.join(names)}: {why}." for why, names in gone.items() if why)
    return replace(table, heads=tuple(table.heads[index] for index in kept), lines=lines, notes=(*table.notes, *notes))


def _worth(head: Head) -> float | None:
    """The rank of a column: columns with a low rank are omitted first. None for a column that always stays."""
    name, _ = _HEADS.get(head.name, (head.name, None))
    return _WORTH.get((name, head.unit if head.unit in _UNITS_THAT_NAME else ""))


def _columns(heads: Sequence[Head], lines: Sequence[Line]) -> list[Fitted]:
    columns = []
    for index, head in enumerate(heads):
        texts = [printable(line.texts[index]) for line in lines]
        # If all rows have the same operation, the column says nothing.
        if head.name == "Operation" and len(set(texts)) == 1:
            continue
        name, unit = _HEADS.get(head.name, (head.name, None))
        if index == 0:
            texts = [f"{MARK} {text}" if line.invalid else text for line, text in zip(lines, texts, strict=True)]
        columns.append(
            Fitted(
                name,
                _aligned(texts) if head.number else texts,
                worth=_worth(head),
                number=head.number,
                shrinks="" if head.number else "end",
                unit=head.unit if unit is None else unit,
                shorter=_shorter(texts) if head.number else _without_common_words(texts),
                styles=[_INVALID_STYLES[index > 0] if line.invalid else "" for line in lines],
            )
        )
    return columns


def _aligned(texts: Sequence[str]) -> list[str]:
    """The texts padded so that the means align, regardless of the intervals after them."""
    ends = [_end_of(text) for text in texts]
    longest = max(map(len, ends), default=0)
    return [text.removesuffix(end) + end.ljust(longest) for text, end in zip(texts, ends, strict=True)]


def _end_of(text: str) -> str:
    mean, _, _ = text.partition(" ±")
    return text[len(mean) :]


def _shorter(texts: Sequence[str]) -> tuple[Shorter, ...]:
    """Numbers with their interval in percent, then without it."""
    if not any(_INTERVAL in text for text in texts):
        return ()
    return (
        Shorter(_aligned([_in_percent(text) for text in texts]), _IN_PERCENT),
        Shorter([text.partition(_INTERVAL)[0] for text in texts], _WITHOUT_INTERVAL, lacks="±"),
    )


def _in_percent(text: str) -> str:
    mean, sign, half_width = text.partition(_INTERVAL)
    if not sign:
        return text
    numbers = [float(part.lstrip("<≥ ").replace(",", "")) for part in (mean, half_width)]
    return f"{mean} ±{numbers[1] / numbers[0] * 100:.0f}%" if numbers[0] else mean


def _without_common_words(names: Sequence[str]) -> tuple[Shorter, ...]:
    """Cell names without the ending that all share, and without the number of targets or jobs if all share it."""
    parts = [name.split("-") for name in names]
    if len(set(names)) == 1:
        return ()
    counted = {word for word in parts[0] if _COUNTED_WORD.fullmatch(word) and all(word in part for part in parts)}
    parts = [[word for word in part if word not in counted] for part in parts]
    common = 0
    while common < min(map(len, parts)) - 1 and len({part[-1 - common] for part in parts}) == 1:
        common += 1
    end = parts[0][len(parts[0]) - common :]
    left_out = [*end, *sorted(counted)]
    if not left_out:
        return ()
    shorter = ["-".join(part[: len(part) - common]) for part in parts]
    return (Shorter(shorter, _WITHOUT_COMMON_WORDS, lacks=f"{'-'.join(left_out)} in each name"),)
