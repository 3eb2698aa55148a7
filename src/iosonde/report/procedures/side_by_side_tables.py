"""The tables of a test with an entry for each drive or run: the figures of its cells, and its long trials."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.procedures.courses import LongPhase
from iosonde.analysis.procedures.recovery import END_PART, level_of, shown_quantity
from iosonde.analysis.procedures.side_by_side import Entry, Figures, Place, SameTest, overlaps
from iosonde.charts.procedures.styles import Unit, unit_of
from iosonde.charts.procedures.window import MINUS
from iosonde.charts.quantities import significant
from iosonde.charts.ratio_texts import ratio_text
from iosonde.report.dashes import Dash
from iosonde.report.signs import DOUBTFUL, INVALID, sign_of
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.vocabulary import ProcedureKind, Quantity

COLUMNS_MAX: Final = 5
"""The most entries in one table: more columns do not fit a page. The first entry is repeated in each."""

LABEL_MAX: Final = 28
"""The most characters of a label above a column. The summary has it in full."""

CHART_LABEL_MAX: Final = 24
"""The most characters of a label in a chart, which cuts longer ones at their end."""

SAME: Final = "≈"
NO_TRIAL: Final = "the run has no such trial"
NOT_MEASURED: Final = "not measured, or a round of the window has no value"
TOO_FEW: Final = "fewer than 10 operations are above this percentile"
NO_DISTRIBUTION: Final = "the source has no distribution of latencies"
ONE_ROUND: Final = (
    f"A run with one round does not show how much its values vary, so its differences never have the sign {SAME}."
)


@dataclass(frozen=True)
class Shown:
    """A figure of a cell: its name in captions, its unit, how to read it, and why it may be missing."""

    title: str
    quantity: Quantity
    value: Callable[[Figures], float | None]
    has_rounds: bool = True
    why: str = NOT_MEASURED

    def unit(self, test: SameTest) -> Unit:
        """The unit that suits the values of all entries."""
        unit = unit_of(self.quantity, (self.value(each) for found in test.figures for each in found.values()))
        return replace(unit, title=self.title)


def _mean(quantity: Quantity, title: str) -> Shown:
    return Shown(title, quantity, lambda each: each.cell.of(quantity))


IOPS: Final = _mean(Quantity.IOPS, "IOPS")
BANDWIDTH: Final = _mean(Quantity.BYTES_PER_S, "Bandwidth")
LATENCY: Final = _mean(Quantity.LATENCY_NS_MEAN, "Mean latency")
FIVE_NINES: Final = Shown(
    "99.999 % latency", Quantity.LATENCY_NS_MEAN, lambda each: each.cell.five_nines_ns, has_rounds=False, why=TOO_FEW
)
MAXIMUM: Final = Shown(
    "Maximum latency", Quantity.LATENCY_NS_MEAN, lambda each: each.cell.latency_ns_max, has_rounds=False
)
SHOWN: Final = {
    ProcedureKind.THROUGHPUT: (BANDWIDTH, IOPS),
    ProcedureKind.LATENCY: (LATENCY, FIVE_NINES, MAXIMUM),
    ProcedureKind.COMPOSITE_BLOCK_SIZE: (IOPS, LATENCY),
    ProcedureKind.DEMAND_INTENSITY: (IOPS, LATENCY),
}
OTHERS: Final = (IOPS, BANDWIDTH, LATENCY)


def shown_of(kind: ProcedureKind) -> tuple[Shown, ...]:
    """The figures that are compared for a kind of test, the first one foremost."""
    return SHOWN.get(kind, OTHERS)


def entry_sign(entry: Entry, cell: str) -> str:
    """The sign of the figures of a cell of an entry; empty if they are sound."""
    return sign_of(cell, dict(entry.source.invalid), dict(entry.source.doubtful))


def course_tables(test: SameTest, columns_max: int = COLUMNS_MAX) -> Iterator[ResultTable]:
    """The throughput of each long trial: over all of it, and at its end."""
    found = [{each.name: each for each in entry.long_trials} for entry in test.entries]
    every = [each for phases in found for each in phases.values()]
    if not every:
        return
    quantity = shown_quantity(every)
    unit = unit_of(quantity)
    names = list(dict.fromkeys(each.name for each in every))
    values: dict[str, Callable[[LongPhase], float | None]] = {
        "mean of each long trial": lambda each: each.of(quantity),
        f"at the end of each long trial (the last 1/{END_PART} of its samples)": lambda each: level_of(
            each.samples, quantity
        ),
    }
    signs = {
        name: [
            entry_sign(entry, each[name].cell) if name in each else ""
            for entry, each in zip(test.entries, found, strict=True)
        ]
        for name in names
    }
    first = test.entries[0].label
    for what, value in values.items():
        rows = {}
        for name in names:
            numbers = [value(each[name]) if name in each else None for each in found]
            bases = (None, *numbers[:1] * (len(numbers) - 1))
            rows[name] = [
                Dash(NO_TRIAL) if number is None else compared_text(significant(unit.shown(number)), sign, number, base)
                for number, base, sign in zip(numbers, bases, signs[name], strict=True)
            ]
        caption = f"{unit.title} ({unit.name}), {what}, with the difference from {first}."
        yield from trial_tables(test, caption, rows, columns_max)


def trial_tables(
    test: SameTest,
    caption: str,
    rows: Mapping[str, Sequence[str]],
    columns_max: int,
    notes: tuple[str, ...] = (),
) -> Iterator[ResultTable]:
    """Tables with a row for each trial and a column for each entry. ``rows`` has the texts of all entries."""
    for columns in table_columns(test, columns_max):
        lines = tuple(Line((name, *(texts[number] for number in columns))) for name, texts in rows.items())
        heads = (Head("Trial", number=False), *(Head(short_label(test.entries[number].label)) for number in columns))
        yield ResultTable(caption, heads, lines, (*notes, *_sign_notes(lines))).explained


def compared_text(text: str, sign: str, value: float, base: float | None) -> str:
    """A value with its sign, and with its difference from the base unless that is None or 0."""
    marked = f"{text} {sign}".rstrip()
    return f"{marked} ({difference_text(value / base)})" if base else marked


def table_columns(test: SameTest, columns_max: int = COLUMNS_MAX) -> Iterator[list[int]]:
    """The entries of each table: the first one, and some of the others."""
    later = range(1, len(test.entries))
    for start in range(0, len(later), columns_max - 1):
        yield [0, *later[start : start + columns_max - 1]]


def short_label(label: str, most: int = LABEL_MAX) -> str:
    """A label cut in its middle: its start and its end tell labels apart."""
    half = (most - 1) // 2
    return label if len(label) <= most else f"{label[:half]}…{label[-half:]}"


def chart_labels(test: SameTest) -> dict[str, str]:
    """The label of each entry in a chart, cut in its middle unless two labels would then be the same."""
    short = {each.label: short_label(each.label, CHART_LABEL_MAX) for each in test.entries}
    return short if len(set(short.values())) == len(short) else {label: label for label in short}


def missing_sentence(test: SameTest, shown: Shown) -> str:
    """Why a figure has no table; empty if it has one."""
    having = _having(test, shown)
    if len(having) > 1:
        return ""
    if having:
        return f"{shown.title}: known only of {having[0]}."
    has_distribution = any(each.cell.latency is not None for found in test.figures for each in found.values())
    is_other = all(entry.source.run is None for entry in test.entries)
    why = shown.why if shown.has_rounds or has_distribution or not is_other else NO_DISTRIBUTION
    return f"{shown.title}: unknown of all cells, {why}."


def comparison_tables(test: SameTest, shown: Shown, columns_max: int = COLUMNS_MAX) -> Iterator[ResultTable]:
    """A row for each cell, a column for each entry, and the difference from the first one.

    None unless at least two entries have values.
    """
    if len(_having(test, shown)) > 1:
        for columns in table_columns(test, columns_max):
            yield _table(test, shown, columns)


def _having(test: SameTest, shown: Shown) -> list[str]:
    """The entries of which a figure is known of any cell."""
    return [
        entry.label
        for entry, found in zip(test.entries, test.figures, strict=True)
        if any(shown.value(each) is not None for each in found.values())
    ]


def _table(test: SameTest, shown: Shown, columns: Sequence[int]) -> ResultTable:
    unit = shown.unit(test)
    first = test.entries[0].label
    lines = tuple(
        Line((str(place), *(_text(test, shown, unit, place, number) for number in columns))) for place in test.places
    )
    notes = _sign_notes(lines)
    if shown.has_rounds and any(phase.rounds == 1 for each in test.entries for phase in each.phases):
        notes = (*notes, ONE_ROUND)
    lower = " Lower is better." if shown.quantity is Quantity.LATENCY_NS_MEAN else ""
    return ResultTable(
        caption=f"{shown.title} ({unit.name}), with the difference from {first}.{lower}",
        heads=(Head("Cell", number=False), *(Head(short_label(test.entries[number].label)) for number in columns)),
        lines=lines,
        notes=notes,
    ).explained


def _sign_notes(lines: Sequence[Line]) -> tuple[str, ...]:
    """The notes that explain the signs in a table."""
    texts = [text for line in lines for text in line.texts[1:]]
    signs = {
        INVALID: "invalid; the report of the run names the finding",
        DOUBTFUL: "doubtful; the report of the run names the finding",
        SAME: "the values of the rounds overlap with those of the first column, and both are in steady state",
    }
    return tuple(f"{sign} {meaning}." for sign, meaning in signs.items() if any(sign in text for text in texts))


def _text(test: SameTest, shown: Shown, unit: Unit, place: Place, number: int) -> str:
    mine, first = test.figures[number].get(place), test.figures[0].get(place)
    value = None if mine is None else shown.value(mine)
    if mine is None or value is None:
        if mine is None:
            return Dash("the run has no such cell")
        is_other = test.entries[number].source.run is None
        has_none = not shown.has_rounds and mine.cell.latency is None
        return Dash(NO_DISTRIBUTION if has_none and is_other else NOT_MEASURED if has_none else shown.why)
    text = f"{significant(unit.shown(value))} {entry_sign(test.entries[number], mine.cell.cell)}".rstrip()
    base = None if first is None else shown.value(first)
    if number == 0 or first is None or not base:
        return text
    same = shown.has_rounds and overlaps(first.of_rounds(shown.quantity), mine.of_rounds(shown.quantity))
    return f"{text} ({difference_text(value / base)}{f' {SAME}' if same else ''})"


def difference_text(ratio: float) -> str:
    """The difference from a base as a signed percentage; from twice the base on, and below half of it, as a ratio."""
    if not 0.5 < ratio < 2:  # noqa: PLR2004 - half and twice
        return f"{ratio_text(ratio)} times"
    text = f"{100 * (ratio - 1):+.1f} %".replace("-", MINUS)
    return "0.0 %" if text[1:] == "0.0 %" else text
