"""docs/reference/commands.md: every command with its arguments, options and defaults, and the exit codes."""

import signal
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

import typer

from iosonde.cli.main import app
from iosonde.cli.signals import INTERRUPTED_BASE
from iosonde.errors import IosondeError
from tools.reference.markdown import code, first_sentence, from_help, page, table

_LEAD: Final = (
    "Every command, as `iosonde --help` and `iosonde COMMAND --help` tell them. "
    "What you type is told by example in [the tutorial](../tutorial.md) and [the guides](../README.md#guides)."
)
_PLAIN_GROUP: Final = "Options"


def commands_page() -> str:
    """The text of the page."""
    root = typer.main.get_command(app)
    parts = [part for name, command in leaves(root) for part in _command(f"iosonde {name}", command)]
    return page(
        "Commands",
        _LEAD,
        ["Before a command:", _options(root.params), *parts, "## Exit codes", _exit_codes(), _ABOUT_FINDINGS],
    )


_ABOUT_FINDINGS = (
    "Findings do not change the exit code, even if they mark results as invalid. To fail a script on such results, use "
    "`iosonde check`: a check of an invalid cell is undecided."
)


def leaves(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - the parser's own objects
    """Every command that is not a group, with its full name, in the order of the help."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from leaves(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _command(name: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - as above
    yield f"## {name}"
    yield from_help(command.help or "")
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    if arguments:
        yield table(
            ("argument", "what it is"),
            [(code(each.metavar or each.name.upper()), from_help(each.help or "")) for each in arguments],
        )
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    for group in dict.fromkeys(plain_group(each) for each in options):
        yield f"{group}:"
        yield _options([each for each in options if plain_group(each) == group])


def plain_group(option: Any) -> str:  # noqa: ANN401 - as above
    """The group of an option in the help."""
    return str(option.rich_help_panel or _PLAIN_GROUP)


def _options(options: list[Any]) -> str:
    rows = [
        (
            ", ".join(map(code, [*each.opts, *each.secondary_opts])),
            takes_of(each),
            default_of(each),
            from_help(each.help),
        )
        for each in options
    ]
    return table(("option", "takes", "default", "what it does"), rows)


def takes_of(option: Any) -> str:  # noqa: ANN401 - as above
    """The values that an option takes: its choices, or its bounds, or its placeholder in the help."""
    if option.is_flag:
        return "nothing"
    kind = option.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(code(str(each.value)) for each in kind)
    if option.min is not None and option.max is not None:
        return f"{option.min} to {option.max}"
    return code(option.metavar or str(getattr(kind, "__name__", kind)).upper())


def default_of(option: Any) -> str:  # noqa: ANN401 - as above
    """The default of an option. If it is computed, the help describes it."""
    if option.is_flag:
        return "off"
    if option.default is None:
        return "see description" if "Default:" in (option.help or "") else "none"
    return code(str(option.default.value if isinstance(option.default, Enum) else option.default))


def _exit_codes() -> str:
    return table(("code", "meaning"), exit_code_rows())


def exit_code_rows() -> list[tuple[str, str]]:
    """Each exit code with its meaning."""
    classes = sorted(IosondeError.__subclasses__(), key=lambda each: each.exit_code)
    signals = ((signal.SIGHUP, "Hung up"), (signal.SIGINT, "Interrupted"), (signal.SIGTERM, "Terminated"))
    return [
        ("0", "Done."),
        *((str(each.exit_code), first_sentence(each.__doc__)) for each in classes),
        *(
            (str(INTERRUPTED_BASE + number), f"{word} ({number.name}); what was measured is kept.")
            for number, word in signals
        ),
    ]
