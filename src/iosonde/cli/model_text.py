"""Models as text, for `sim list` and `sim show`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iosonde.plans.models import Model
from iosonde.printing import printable
from iosonde.records import flattened
from iosonde.report.display import fault_text, parameter_text
from iosonde.units import format_size

MEANING_COLUMNS_MIN: Final = 24
SOURCE_COLUMNS_MIN: Final = 36
"""In fewer columns a sentence is hard to read; the meaning of a parameter is short."""
GAP: Final = "  "


def model_list(models: Sequence[Model]) -> RenderableType:
    """A line for each model."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("Target", "Kind", "Size", "Description"):
        table.add_column(head, no_wrap=head != "Description", overflow="fold")
    for model in models:
        size = format_size(model.size_bytes) + (f", 1/{model.scale}" if model.scale > 1 else "")
        table.add_row(f"sim:{model.name}", model.kind, size, f"{model.title}. {model.about}")
    return table


def model_view(model: Model) -> RenderableType:
    """A model with its parameters, their sources, the derived limits, and what it does not model."""
    head = Text.assemble((printable(model.name), "bold"), f": {printable(model.title)} (kind {model.kind})")
    rows = _parameters(model)
    key_width = max(len(key) for key, *_ in rows)
    parts: list[RenderableType] = [head, Text(printable(model.about)), "", Parameters(rows)]
    for number, fault in enumerate(model.faults):
        parts.append(_item(f"{f'faults.{number}':<{key_width}} ", printable(fault_text(fault))))
    parts += ["", _limits(model)]
    if model.leaves_out:
        parts += ["", Text("Not modelled", "bold")]
        parts += [_item("-", printable(each)) for each in model.leaves_out]
    return Group(*parts)


@dataclass(frozen=True)
class Parameters:
    """Rows of key, value, meaning and source: in columns if there is room, else the last two below the key."""

    rows: tuple[tuple[str, str, str, str], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The rows for the width of the console."""
        key_width, value_width, meaning_width = (max(len(row[place]) for row in self.rows) for place in range(3))
        room = options.max_width - key_width - value_width - 3 * len(GAP)
        if room >= MEANING_COLUMNS_MIN + SOURCE_COLUMNS_MIN:
            table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
            for head in ("Parameter", "Value"):
                table.add_column(head, no_wrap=True)
            meaning_width = min(meaning_width, max(room // 3, MEANING_COLUMNS_MIN))
            table.add_column("Meaning", overflow="fold", width=meaning_width)
            table.add_column("Source", overflow="fold", width=room - meaning_width)
            for row in self.rows:
                table.add_row(*map(Text, row))
            yield table
            return
        yield Text(f"{'Parameter':<{key_width}}{GAP}Value", "bold")
        for key, value, meaning, source in self.rows:
            yield Text(f"{key:<{key_width}}{GAP}{value}")
            yield Padding(Text(meaning), (0, 0, 0, 2 * len(GAP)))
            yield Padding(Text(source, "dim"), (0, 0, 0, 2 * len(GAP)))


def _parameters(model: Model) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(
        (
            key,
            printable(parameter_text(key, value)),
            model.meaning(key),
            printable(model.sources.get(key, "no source")),
        )
        for key, value in flattened(model.parameters)
        if key != "kind"
    )


def _limits(model: Model) -> Table:
    limits = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("Limit", "Value", "Why"):
        limits.add_column(name, overflow="fold", no_wrap=name == "Value")
    for limit in model.limits:
        limits.add_row(limit.name, limit.value, limit.why)
    return limits


def _item(mark: str, text: str) -> Table:
    item = Table.grid(padding=(0, 1, 0, 0))
    item.add_row(mark, Text(text))
    return item
