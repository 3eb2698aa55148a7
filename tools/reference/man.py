"""docs/man/: a manual page for iosonde and for each command, from the same description as commands.md."""

import re
from collections.abc import Iterator
from typing import Any, Final

import typer

from iosonde.cli.main import app
from tools.reference.commands import default_of, exit_code_rows, leaves, plain_group, takes_of
from tools.reference.settings import ENVIRONMENT

NOTICE: Final = '.\\" Written by `make docs` from the code: change it there.'
_CODE: Final = re.compile(r"`([^`]+)`")
_BOLD: Final = re.compile(r"\[bold\](.*?)\[/bold\]")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def man_pages() -> dict[str, str]:
    """The text of each page, by file name."""
    root = typer.main.get_command(app)
    commands = dict(leaves(root))
    pages = {"iosonde.1": _root_page(root, commands)}
    for name, command in commands.items():
        pages[f"iosonde-{name.replace(' ', '-')}.1"] = _command_page(name, command, commands)
    return pages


def _root_page(root: Any, commands: dict[str, Any]) -> str:  # noqa: ANN401 - the parser's own objects
    parts = [
        *_head("iosonde", root.help),
        ".SH SYNOPSIS\n.B iosonde\n.I COMMAND\n.RI [ OPTIONS ]",
        f".SH DESCRIPTION\n{_text(root.help)}",
        ".SH COMMANDS",
        *(
            f".TP\n.BR iosonde\\-{_plain(name.replace(' ', '-'))} (1)\n{_text(_first(each))}"
            for name, each in commands.items()
        ),
        ".SH OPTIONS",
        *_options(root.params),
        ".SH EXIT STATUS",
        *(f".TP\n.B {code}\n{_text(meaning)}" for code, meaning in exit_code_rows()),
        ".SH ENVIRONMENT",
        *(f".TP\n.B {name}\n{_text(meaning)}" for name, meaning in ENVIRONMENT.items()),
    ]
    return "\n".join(parts) + "\n"


def _command_page(name: str, command: Any, commands: dict[str, Any]) -> str:  # noqa: ANN401 - as above
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    words = " ".join(_plain(each.metavar or each.name.upper()) for each in arguments)
    others = [f".BR iosonde\\-{_plain(each.replace(' ', '-'))} (1)" for each in commands if each != name]
    parts = [
        *_head(f"iosonde-{name.replace(' ', '-')}", _first(command)),
        f".SH SYNOPSIS\n.B iosonde {_plain(name)}\n{f'.I {words}' if words else ''}\n.RI [ OPTIONS ]".replace(
            "\n\n", "\n"
        ),
        f".SH DESCRIPTION\n{_text(command.help)}",
    ]
    if arguments:
        parts += [".SH ARGUMENTS"]
        parts += [
            f".TP\n.I {_plain(each.metavar or each.name.upper())}\n{_text(each.help or '')}" for each in arguments
        ]
    parts.append(".SH OPTIONS")
    for group in dict.fromkeys(plain_group(each) for each in options):
        parts.append(f".SS {group}")
        parts += _options([each for each in options if plain_group(each) == group])
    parts += [".SH SEE ALSO", ".BR iosonde (1),", ",\n".join(others)]
    return "\n".join(parts) + "\n"


def _head(title: str, about: str) -> Iterator[str]:
    yield NOTICE
    yield f'.TH {_plain(title.upper())} 1 "" iosonde "User commands"'
    yield f".SH NAME\n{_plain(title)} \\- {_text(about).splitlines()[0].rstrip('.')}"


def _first(command: Any) -> str:  # noqa: ANN401 - as above
    """The first sentence of a command's help."""
    return " ".join(str(command.help).split("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def _options(options: list[Any]) -> Iterator[str]:
    for each in options:
        names = ", ".join(_plain(name) for name in (*each.opts, *each.secondary_opts))
        takes, default = takes_of(each), default_of(each)
        value = "" if each.is_flag else f" {_text(takes)}"
        told = "" if each.is_flag or default in {"none", "see description"} else f" Default: {_text(default)}."
        yield f".TP\n.B {names}{value}\n{_text(each.help or '')}{told}"


def _text(text: str) -> str:
    """A help text as troff: converts bold text and paragraphs, and escapes special characters."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    marked = (_CODE.sub("\x01\\1\x02", _LINK.sub(r"\1", _BOLD.sub(r"`\1`", part))) for part in paragraphs)
    plain = (_plain(part).replace("\x01", "\\fB").replace("\x02", "\\fR") for part in marked)
    return "\n.PP\n".join(plain)


def _plain(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped
