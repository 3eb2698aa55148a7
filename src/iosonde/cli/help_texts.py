"""The ``--help`` of commands and of groups of commands, where Typer's own falls short."""

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup


class CommandHelp(TyperCommand):
    """A command whose help wraps at the width of the terminal and shows no Python types."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer's vendored Click
        """Typer keeps the line breaks of the source, and shows ``<bool>`` where an option takes no value."""
        self.help = paragraphs(self.help or "")
        for parameter in self.get_params(ctx):
            _without_python_type(parameter)
        super().format_help(ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as above
        """``RUN [TARGET]...`` for ``{RUN} [TARGET...]...``."""
        pieces = super().collect_usage_pieces(ctx)
        return [piece.replace("...]...", "]...").replace("...}...", "...").strip("{}") for piece in pieces]


class CommandGroupHelp(TyperGroup):
    """The same for a group."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """As of a command."""
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
