"""Models in words, for `sim list` and `sim show`."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from iosonde.plans.models import Model
from iosonde.records import flattened
from iosonde.report.display import fault_text, parameter_text, printable
from iosonde.units import format_size


def model_list(models: Sequence[Model]) -> RenderableType:
    """A line for each model."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("Target", "Kind", "Size", "What it is"):
        table.add_column(head, no_wrap=head != "What it is", overflow="fold")
    for model in models:
        table.add_row(f"sim:{model.name}", model.kind, format_size(model.size_bytes), f"{model.title}. {model.about}")
    return table


def model_view(model: Model) -> RenderableType:
    """A model with its parameters, their sources, and what follows from them."""
    head = Text.assemble((printable(model.name), "bold"), f": {printable(model.title)}, a {model.kind} model")
    parameters = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    parameters.add_column("Parameter", no_wrap=True)
    parameters.add_column("Value", no_wrap=True)
    parameters.add_column("Source", overflow="fold")
    for key, value in flattened(model.parameters):
        if key != "kind":
            source = printable(model.sources.get(key, "not said"))
            parameters.add_row(Text(key), Text(printable(parameter_text(key, value))), Text(source))
    for number, fault in enumerate(model.faults):
        parameters.add_row(Text(f"faults.{number}"), Text(printable(fault_text(fault)), overflow="fold"), Text(""))
    limits = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("Limit", "Value", "Why"):
        limits.add_column(name, overflow="fold")
    for limit in model.limits:
        limits.add_row(limit.name, limit.value, limit.why)
    return Group(head, Text(printable(model.about)), "", parameters, "", limits)
