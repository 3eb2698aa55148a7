"""The ``--help`` of a group of commands.

Typer's own --help loads Pydantic even when the flag is not given. This plain flag costs nothing.
"""

from typing import Annotated

import typer


def _help(context: typer.Context, asked: bool) -> None:
    if asked:
        typer.echo(context.get_help())
        raise typer.Exit


GroupHelp = Annotated[bool, typer.Option("--help", callback=_help, is_eager=True, help="Show this message and exit.")]
