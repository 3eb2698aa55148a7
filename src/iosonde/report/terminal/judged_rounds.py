"""Shows the verdict on rounds that another tool measured: tracking variables, criteria and tables."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from iosonde.analysis.procedures import Determination
from iosonde.printing import printable
from iosonde.report.judged_rounds import (
    JudgedRounds,
    alike,
    contradictions,
    series_words,
    verdict_words,
)
from iosonde.report.judged_tables import FigureTable, figure_tables

NAMED_MAX: Final = 8
DIGITS_MAX: Final = 9


def render_judged(tests: tuple[JudgedRounds, ...]) -> RenderableType:
    """All tests, one after the other."""
    return Group(*(part for test in tests for part in _test(test)), *_facts(tests))


def _facts(tests: Sequence[JudgedRounds]) -> Iterator[Text]:
    """What each file says of the drive, the host and the software."""
    for source, facts in {each.source: each.facts for each in tests}.items():
        if facts:
            yield Text(f"{printable(source)}: drive, host and software", style="italic")
            yield from (Text(f"  {name}: {printable(text)}") for name, text in facts.items())


def _test(test: JudgedRounds) -> Iterator[RenderableType]:
    own = test.own
    plural = "" if test.rounds == 1 else "s"
    yield Text(f"{printable(test.source)}: {test.name}, {test.rounds} round{plural}", style="bold")
    if own is None:
        yield Text("  nothing is tracked, so steady state is not judged")
    else:
        window = f"; window: round{plural} {', '.join(map(str, test.window))}" if test.has_figures else ""
        style = "green" if own.reached is not None else "yellow"
        yield Text(f"  steady state {verdict_words(test, own)}{window}", style=style)
    if own is not None and (unknown := test.unknown_rounds):
        named = f"{', '.join(map(str, unknown[:NAMED_MAX]))}{' and others' if len(unknown) > NAMED_MAX else ''}"
        plural = "s" if len(unknown) > 1 else ""
        yield Text(f"  round{plural} {named}: no value of a tracking variable, so no window has it", "yellow")
    if test.untracked:
        yield Text(f"  the IOPS test of the SNIA PTS tracks {' and '.join(test.untracked)} as well", style="yellow")
    for cell in test.zero_cells:
        yield Text(f"  the tracking variable of {cell} is 0 in the whole window", style="yellow")
    for each in test.determinations:
        yield from _variable(test, each)
    for criterion in test.criteria[1:]:
        yield Text(f"  by the criterion of {criterion.name}: {verdict_words(test, criterion)}")
    yield from _files(test)
    for table in figure_tables(test):
        yield Text(table.title, style="italic")
        yield _table(table)
    yield Text("")


def _files(test: JudgedRounds) -> Iterator[Text]:
    """What the file itself says, and the files beside it that could not be read."""
    said = ", ".join(f"{name} {text}" for name, text in test.said.items() if len(text) <= 200)  # noqa: PLR2004 - one line
    if said:
        yield Text(f"  the file says: {printable(said)}")
    for each in contradictions(test):
        yield Text(f"  what the file says contradicts its rounds: {each}", style="yellow")
    for each in test.doubts[:NAMED_MAX]:
        yield Text(f"  doubtful: {printable(each)}", style="yellow")
    for each in test.not_read[:NAMED_MAX]:
        yield Text(f"  not read: {printable(each)}", style="yellow")
    if len(test.not_read) > NAMED_MAX:
        yield Text(f"  not read: {len(test.not_read) - NAMED_MAX} more files", style="yellow")


def _variable(test: JudgedRounds, found: Determination) -> Iterator[Text]:
    values, unit = series_words(found.values, found.quantity)
    (average,), _ = series_words([found.average], found.quantity)
    shift = test.first_round - 1
    (slope, start), _ = series_words([found.slope, found.intercept - found.slope * shift], found.quantity)
    correlation = "none" if found.correlation is None else f"{found.correlation:.3f}"
    others = alike(test, found.cell) - 1
    several = f" ({others} more with its mix and block size can be tracked by --track)" if others else ""
    yield Text(f"  {found.cell}, {unit}{several}: {', '.join(values)}")
    yield Text(f"    average {average}; range {_exact(found.range_share, 20)} of it (at most 20 %)")
    yield Text(
        f"    best-fit line {slope} * R + {start}, correlation {correlation}; it changes by "
        f"{_exact(found.excursion_share, 10)} over {len(found.values) - 1} intervals (at most 10 %)"
    )
    yield Text(
        f"    other readings of the slope: {_exact(found.slope_per_round_share)} per round, "
        f"{_exact(found.slope_all_rounds_share)} over {len(found.values)} rounds"
    )


def _exact(share: float, most: float | None = None) -> str:
    """A percentage with two decimals; with more if it would be shown as the limit but is not."""
    texts = (f"{100 * share:.{digits}f}" for digits in range(2, DIGITS_MAX))
    return f"{next((text for text in texts if float(text) != most), f'{100 * share:.2f}')} %"


def _table(found: FigureTable) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("block size")
    for name in found.columns:
        table.add_column(name, justify="right")
    for size, values in found.rows:
        table.add_row(size, *("–" if value is None else f"{value:,}" for value in values))
    return table
