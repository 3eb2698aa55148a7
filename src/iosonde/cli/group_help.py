"""The ``--help`` of a group of commands.

Typer's own loads Pydantic whenever it was not given; this is a plain flag and costs nothing.
"""

from typing import Annotated

import typer


def _help(context: typer.Context, asked: bool) -> None:
    if asked:
        typer.echo(context.get_help())
        raise typer.Exit


GroupHelp = Annotated[bool, typer.Option("--help", callback=_help, is_eager=True, help="Show this message and exit.")]
