"""``iosonde completion``: shell completion of commands, options and their values."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from iosonde.cli.help_texts import CommandGroupHelp, CommandHelp, GroupHelp
from iosonde.cli.messages import say
from iosonde.errors import OutputError, UsageError

completion = typer.Typer(
    name="completion",
    no_args_is_help=True,
    add_help_option=False,  # See GroupHelp.
    rich_markup_mode="rich",
    cls=CommandGroupHelp,
    help="Set up shell completion for bash, zsh and fish.",
    epilog="Example: [bold]iosonde completion install[/bold]",
)


class Shell(StrEnum):
    """The supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


ShellOrNone = Annotated[
    Shell | None,
    typer.Argument(help="bash, zsh or fish. Default: the shell in $SHELL.", metavar="SHELL", show_default=False),
]
# Where each shell searches by default, below the user's data or configuration directory.
_BASH: Final = Path("bash-completion/completions/iosonde")
_ZSH: Final = Path("zsh/site-functions/_iosonde")
_FISH: Final = Path("fish/completions/iosonde.fish")


@completion.callback()
def _completion(show_help: GroupHelp = False) -> None:
    """Handles the option before a command."""


@completion.command("show", cls=CommandHelp)
def show_script(context: typer.Context, shell: ShellOrNone = None) -> None:
    """Print the completion script for a shell.

    Example: [bold]iosonde completion show bash > iosonde.bash[/bold]
    """
    typer.echo(_script(context, shell or _own_shell()), nl=False)


@completion.command("install", cls=CommandHelp)
def install_script(
    context: typer.Context,
    shell: ShellOrNone = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file that was not written by iosonde.")
    ] = False,
) -> None:
    """Install the completion script for the current user. Shell settings are not changed.

    Example: [bold]iosonde completion install[/bold]
    """
    from iosonde.cli.completion_scripts import NOTICE
    from iosonde.safe_files import output_errors, write_file

    shell = shell or _own_shell()
    path = _place(shell)
    with output_errors(path):
        if path.is_file() and NOTICE not in path.read_text(encoding="utf-8", errors="replace") and not force:
            raise OutputError(f"{path} exists and was not written by iosonde", "use --force to replace it")
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, _script(context, shell))
    say(f"written: {path}")
    say(_ADVICE[shell].format(folder=path.parent))


_ADVICE: Final = {
    Shell.BASH: "new bash shells load it automatically if the bash-completion package is installed",
    Shell.ZSH: "add `fpath+=({folder})` before `compinit` in ~/.zshrc, then start a new zsh",
    Shell.FISH: "fish loads it automatically",
}


def _script(context: typer.Context, shell: Shell) -> str:
    from iosonde.cli.completion_scripts import bash_script, fish_script, words_of, zsh_script

    make = {Shell.BASH: bash_script, Shell.ZSH: zsh_script, Shell.FISH: fish_script}[shell]
    return make(list(words_of(context.find_root().command)))


def _own_shell() -> Shell:
    """The user's shell. Raises UsageError."""
    name = Path(os.environ.get("SHELL", "")).name
    if name not in set(Shell):
        raise UsageError(
            f"completion is not available for {name or 'an unknown shell'}", f"specify one of {', '.join(Shell)}"
        )
    return Shell(name)


def _place(shell: Shell) -> Path:
    """The file that the shell reads by default."""
    if shell is Shell.FISH:
        return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / _FISH
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    return data / (_BASH if shell is Shell.BASH else _ZSH)
