"""``--on-end``: a command of the user that runs when a run has ended or failed."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from iosonde.cli.messages import say
from iosonde.cli.options import OUTPUT_GROUP

COMMAND_S_MAX: Final = 60.0
"""A command that sends a message takes seconds. The exit code of the run waits for it."""


@dataclass
class _Asked:
    command: str = ""
    directory: Path | None = None


_ASKED: Final = _Asked()


def _remember(command: str | None) -> str | None:
    _ASKED.command = command or ""
    return command


OnEnd = Annotated[
    str | None,
    typer.Option(
        "--on-end",
        help="Shell command to run when the run has ended or failed, with IOSONDE_RUN (the run directory), "
        "IOSONDE_EXIT (the exit code) and IOSONDE_OUTCOME (finished, failed or interrupted) in its environment. "
        "Default: none.",
        metavar="COMMAND",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
        callback=_remember,
    ),
]


def ends_in(directory: Path) -> None:
    """Notes the run directory that the command is told."""
    _ASKED.directory = directory.absolute()


def run_command(code: int) -> None:
    """Runs the command, if there is one. It cannot change the exit code of the run."""
    command, _ASKED.command = _ASKED.command, ""
    if not command:
        return
    outcome = "finished" if code == 0 else "interrupted" if code >= FIRST_SIGNAL else "failed"
    told = {
        "IOSONDE_RUN": "" if _ASKED.directory is None else str(_ASKED.directory),
        "IOSONDE_EXIT": str(code),
        "IOSONDE_OUTCOME": outcome,
    }
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command], check=False, env={**os.environ, **told}, timeout=COMMAND_S_MAX
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        say(f"warning: the command of --on-end did not end: {error}")
        return
    if done.returncode:
        say(f"warning: the command of --on-end failed with exit code {done.returncode}")


FIRST_SIGNAL: Final = 129
"""Exit codes of interrupted commands begin here: 128 and the number of the signal."""
