"""Corrections of Typer's ``--help`` for commands and for groups of commands."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup


class CommandHelp(TyperCommand):
    """A command whose help wraps at the width of the terminal and shows no Python types."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer's vendored Click
        """Removes what Typer shows: line breaks of the source, and ``<bool>`` for an option without a value."""
        self.help = paragraphs(self.help or "")
        for parameter in self.get_params(ctx):
            _without_python_type(parameter)
        super().format_help(ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as above
        """Shows ``RUN [TARGET]...`` instead of ``{RUN} [TARGET...]...``."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("...]...", "]...").replace("...}...", "...").strip("{}") for piece in pieces]


class CommandGroupHelp(TyperGroup):
    """A group whose help shows no Python types."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Removes ``<bool>`` for an option without a value."""
        for parameter in self.get_params(ctx):
            _without_python_type(parameter)
        super().format_help(ctx, formatter)


def paragraphs(text: str) -> str:
    """The text with one line per paragraph."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _without_python_type(parameter: Any) -> None:  # noqa: ANN401 - as above
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    elif parameter.param_type_name == "argument":
        parameter.display_type_rich = lambda ctx: None  # noqa: ARG005 - the shape that Typer calls


def _help(context: typer.Context, asked: bool) -> None:
    if asked:
        typer.echo(context.get_help())
        raise typer.Exit


# Typer's own --help loads Pydantic even when the flag is not given. This plain flag costs nothing.
GroupHelp = Annotated[bool, typer.Option("--help", callback=_help, is_eager=True, help="Show this message and exit.")]
