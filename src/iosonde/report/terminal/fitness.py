"""Shows what ``iosonde doctor`` found: a table for each group, with the reason and the way out below each line."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iosonde.findings.fitness import FitnessLine, State
from iosonde.printing import printable

STYLES: Final = {
    State.OK: "green",
    State.NOTE: "cyan",
    State.WARNING: "bold yellow",
    State.UNKNOWN: "dim",
    State.REFUSED: "bold red",
}


def render_fitness(lines: Sequence[FitnessLine]) -> RenderableType:
    """The output of ``iosonde doctor``: what is not ok first, then all lines by group."""
    parts: list[RenderableType] = []
    for group, own in groupby(lines, key=lambda line: line.group):
        parts += [Text(group, style="bold underline"), _table(list(own)), Text()]
    return Group(*parts, _totals(lines))


def _table(lines: Sequence[FitnessLine]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for line in lines:
        told = Group(Text(printable(line.value)), *_below(line))
        table.add_row(Text(line.state.value, STYLES[line.state]), Text(line.subject), told)
    return table


def _below(line: FitnessLine) -> Iterator[RenderableType]:
    if line.reason:
        yield Text(printable(line.reason), style="dim")
    if line.command:
        yield Padding(Text(printable(line.command), style="bold"), (0, 0, 0, 2))


def _totals(lines: Sequence[FitnessLine]) -> Text:
    counts = [(state, sum(line.state is state for line in lines)) for state in State]
    told = [f"{number} {state.value}" for state, number in counts if number]
    return Text(", ".join(told))
