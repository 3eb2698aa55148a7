"""The flags of one workload, generated from its keys."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from iosonde.workload_keys import PROBE_KEYS, Key, OneOf, Switch, Whole

GROUP = "Workload"

# Optional, since a fio job may name it.
ProbeTargets = Annotated[
    list[str] | None,
    typer.Argument(
        help=(
            "A directory, a new or existing file, a block device (read-only without --destroy), sim:MODEL (a simulated "
            "drive), or null: (no I/O). Multiple targets are measured at the same time."
        ),
        metavar="TARGET...",
        show_default=False,
    ),
]


def with_workload_flags(command: Callable[..., None]) -> Callable[..., None]:
    """The command with a flag for each key, after the targets; it receives them as its ``**`` parameter.

    Typer reads flags from the signature of a function.
    """
    asked = signature(command)
    context, first, *others = (each for each in asked.parameters.values() if each.kind is not Parameter.VAR_KEYWORD)
    flags = [_parameter(key) for key in PROBE_KEYS]
    described: Any = command
    described.__signature__ = asked.replace(parameters=[context, first, *flags, *others])
    return command


def _parameter(key: Key[Any]) -> Parameter:
    kind = key.kind
    option = typer.Option(
        key.default,
        key.flag,
        help=key.help,
        min=kind.least if isinstance(kind, Whole) else None,
        max=kind.most if isinstance(kind, Whole) and kind.tells_most else None,
        metavar=kind.metavar,
        rich_help_panel=GROUP,
        show_default=key.default is not None,
    )
    return Parameter(key.name, Parameter.POSITIONAL_OR_KEYWORD, default=option, annotation=_type_of(key))


def _type_of(key: Key[Any]) -> Any:  # noqa: ANN401 - a type, or a union with None
    kind = key.kind
    words = kind.words if isinstance(kind, OneOf) else str
    typed = int if isinstance(kind, Whole) else bool if isinstance(kind, Switch) else words
    return typed if key.default is not None else typed | None
