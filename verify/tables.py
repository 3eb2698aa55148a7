"""What was measured as Markdown tables, for those who look into ``verify/results/``."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import floor, log10
from typing import Final

from verify.cells import source_of
from verify.closed_forms import SEEDS
from verify.kept import ClosedForm, MeasuredModel, kept_closed_forms, kept_models


def model_rows(measured: MeasuredModel) -> Iterator[tuple[str, ...]]:
    """Each cell: what its source says, what the model gives, and their ratio."""
    source = source_of(measured.model)
    for cell, given in zip(source.cells, measured.cells, strict=True):
        yield (
            f"sim:{measured.model}",
            cell.name,
            cell.document,
            f"{cell.expected:,g} {cell.unit}" if cell.expected < 10**6 else f"{cell.expected:,.0f} {cell.unit}",
            three_digits(given.seen),
            f"{given.seen / cell.expected:.2f}",
        )


def closed_form_row(each: ClosedForm) -> tuple[str, ...]:
    """A figure of a queue."""
    return (
        each.queue,
        f"{each.load:.0%}",
        f"{each.arrivals:,}",
        each.figure,
        f"{each.expected:.4f}",
        f"{each.mean:.4f}",
        f"{each.half_width:.4f} ({each.half_width / each.expected:.2%})",
        "yes" if each.holds else "NO",
    )


def three_digits(value: float) -> str:
    """At least three digits, and all before the point."""
    return f"{value:,.{max(0, 2 - floor(log10(value)))}f}"


def _models() -> str:
    return _page(
        "Models against their sources",
        "Every figure that a source gives, on a simulated drive of its own. What differs by more than 5 % says why on "
        "[the model's page](../../docs/models/README.md).",
        ("model", "cell", "source", "source says", "model gives", "ratio"),
        (row for each in kept_models().values() for row in model_rows(each)),
    )


def _closed_forms() -> str:
    return _page(
        "Simulated queues against closed forms",
        "Response times in units of the mean service; 99 % intervals of the mean over "
        f"{len(SEEDS)} seeds ({SEEDS[0]} to {SEEDS[-1]}).",
        ("queue", "load", "arrivals a seed", "figure", "closed form", "measured", "half the interval", "holds"),
        map(closed_form_row, kept_closed_forms()),
    )


TABLES: Final[dict[str, Callable[[], str]]] = {"models.md": _models, "closed-forms.md": _closed_forms}
"""Each file in ``verify/results/``, and what writes its text."""


def _page(title: str, lead: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join([f"# {title}", "", lead, "", *(f"| {' | '.join(line)} |" for line in lines), ""])
