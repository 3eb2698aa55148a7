"""The pages of docs/models/, made from the model files, their sources and what was measured of both.

Hand-written are the model files (about, sources of parameters, leaves_out) and ``verify/sources/`` (documents, cells,
reasons); the figures are those that ``python -m verify`` keeps.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from iosonde.plans.models import Model, load_model, model_names
from iosonde.records import flattened
from iosonde.report.display import parameter_text
from iosonde.units import format_size
from tools.reference.markdown import code, page, table
from verify.cells import OFF_MAX, Cell, Source, State, source_of
from verify.closed_forms import SEEDS
from verify.kept import kept_closed_forms, kept_models
from verify.tables import closed_form_row, model_rows

NOTICE: Final = (
    "<!-- Written by `make docs` from the model files, verify/sources/ and what `python -m verify` kept: "
    "change it there. -->"
)
_KINDS: Final = {
    "ssd": "a solid-state drive",
    "disk": "a hard disk",
    "queueing": "a drive of queueing theory",
}
_STATES: Final = {
    State.FRESH: "*fresh* drives were never written",
    State.STEADY: "*steady* ones were also written four times at random",
    State.ROUNDS: (
        "*rounds* were written twice in order, then in rounds of random writes of all sizes that repeat the same "
        "places, as TKperf's do"
    ),
    State.RECENT: "*just written* cells stay in a small part that was written before",
    State.EDGE: "cells *at the edge* stay in the part where addresses begin, of a drive that was never written",
}
_OFF: Final = f"{OFF_MAX * 100:.0f} %"
_CLOSED_FORMS: Final = (
    "Open arrivals (Poisson), response times in units of the mean service: what theory says (D. Gross and others, "
    "Fundamentals of Queueing Theory, 2008; for M/D/1 V. B. Iversen, Teletraffic Engineering Handbook, 2010), beside "
    f"the 99 % interval of the mean over {len(SEEDS)} seeds. It holds when the interval contains the closed form and "
    "is at most 1 % wide on each side."
)


def model_page(name: str) -> str:
    """The text of a model's page."""
    model = load_model(name)
    parts = [
        _what_it_is(model),
        "## Parameters",
        table(("parameter", "value", "what it is", "source"), _parameters(model)),
        "## Limits",
        "What follows from the parameters.",
        table(("limit", "value", "why"), [(each.name, each.value, each.why) for each in model.limits]),
        *_against_its_source(name),
        *_closed_forms(name),
        "## What it leaves out",
        "\n".join(f"- {each}" for each in model.leaves_out),
    ]
    return page(f"sim:{name}", f"{model.title}. {model.about}", parts, NOTICE)


def index_page() -> str:
    """The text of docs/models/README.md."""
    lead = (
        "The drives that come with iosonde, each with its parameters and their sources, and cell by cell beside what "
        "is published on the drive that it stands for. "
        "How they are used: [Try it without a drive](../guides/simulated-drives.md)."
    )
    rows = []
    for name in model_names():
        model = load_model(name)
        cells = list(_seen(name))
        near = sum(not cell.is_off(seen) for cell, seen in cells)
        rows.append((f"[sim:{name}]({name}.md)", f"{model.title}. {model.about}", f"{near} of {len(cells)}"))
    heads = ("model", "what it is", f"figures within {_OFF} of the source")
    return page("Models of simulated drives", lead, [table(heads, rows)], NOTICE)


PAGES: Final[dict[str, Callable[[], str]]] = {
    "README.md": index_page,
    **{f"{name}.md": partial(model_page, name) for name in model_names()},
}
"""Each page's file name, and what writes its text."""


def _what_it_is(model: Model) -> str:
    scaled = (
        f", {model.scale} times smaller than the real one with the same shape in drive fills" if model.scale > 1 else ""
    )
    return (
        f"It is the model of {_KINDS[model.kind]}, {format_size(model.size_bytes)} large{scaled}. "
        f"`iosonde run sim:{model.name}` measures it."
    )


def _parameters(model: Model) -> Iterator[tuple[str, str, str, str]]:
    for key, value in flattened(model.parameters):
        if key != "kind":
            yield code(key), parameter_text(key, value), model.meaning(key), model.sources[key]


def _against_its_source(name: str) -> Iterator[str]:
    source = source_of(name)
    yield "## Against its source"
    yield "\n".join(f"- *{short}*: {about}" for short, about in source.documents.items())
    yield _how_it_was_asked(source)
    rows = [row[1:] for row in model_rows(kept_models()[name])]
    yield table(("cell", "source", "source says", "model gives", "ratio"), rows)
    off = _reasons(name)
    if off:
        yield f"What differs by more than {_OFF}, and why:"
        yield "\n".join(f"- {'; '.join(cells)}: {reason}" for reason, cells in off.items())
    else:
        yield f"Nothing differs by more than {_OFF}."


def _how_it_was_asked(source: Source) -> str:
    used = {cell.state for cell in source.cells}
    states = "; ".join(text for state, text in _STATES.items() if state in used)
    unless = f", unless it says otherwise: {states}" if states else ""
    return (
        f"Each cell is measured on a simulated drive of its own, filled once in order{unless}. Nothing is bent where a "
        f"mechanism is missing: what differs by more than {_OFF} says why."
    )


def _reasons(name: str) -> dict[str, list[str]]:
    """Each reason with the cells that it stands for, in the order of the table."""
    found: dict[str, list[str]] = {}
    for cell, seen in _seen(name):
        if cell.is_off(seen):
            told = f"{cell.name} ({seen / cell.expected:.2f} of {cell.figure_of_source})"
            found.setdefault(cell.reason, []).append(told)
    return found


def _seen(name: str) -> Iterator[tuple[Cell, float]]:
    measured = kept_models()[name].cells
    for cell, given in zip(source_of(name).cells, measured, strict=True):
        yield cell, given.seen


def _closed_forms(name: str) -> Iterator[str]:
    rows = [closed_form_row(each)[1:] for each in kept_closed_forms() if each.model == name]
    if rows:
        yield "## Closed forms"
        yield _CLOSED_FORMS
        heads = ("load", "arrivals a seed", "figure", "closed form", "measured", "half the interval", "holds")
        yield table(heads, rows)
