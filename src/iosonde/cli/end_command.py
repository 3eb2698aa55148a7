"""The user's command at the end of a run: it learns the outcome from environment variables, and never changes it."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.cli.messages import say
from iosonde.errors import IosondeError
from iosonde.printing import printable

LIMIT_S: Final = 300.0
"""A command that hangs must not keep a finished run from ending."""
_INTERRUPTIONS: Final = frozenset({129, 130, 143})


class EndCommand:
    """``--on-end COMMAND``. A command that fails is a warning."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._command = ""
        self._directory: Path | None = None
        self._error = ""

    def register(self, command: str | None, directory: Path | None = None) -> None:
        """The command to run at the end, and the run directory if it is known."""
        self._command, self._directory = command or "", directory

    def set_directory(self, directory: Path) -> None:
        """The run directory, once it is known."""
        self._directory = directory

    def failed(self, error: IosondeError) -> None:
        """The error that ends the run."""
        self._error = error.message

    def run(self, code: int) -> None:
        """Runs the command, if there is one, with the exit code that the run ends with."""
        command, self._command = self._command, ""
        if not command:
            return
        # Interrupting the command must not change how the run ended.
        try:
            self._run(command, code)
        except KeyboardInterrupt:
            say("warning: --on-end was interrupted")

    def _run(self, command: str, code: int) -> None:
        environment = {**os.environ, **self._variables(code)}
        try:
            # What it prints must not mix with the output of the run. A group of its own ends with all its children.
            process = subprocess.Popen(
                ["/bin/sh", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            say(f"warning: --on-end {printable(command)!r} could not be started: {error}")
            return
        try:
            status = process.wait(self._limit_s)
        except subprocess.TimeoutExpired:
            say(f"warning: --on-end {printable(command)!r} was stopped after {self._limit_s:g} s")
            return
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if status:
            how = f"signal {-status}" if status < 0 else f"exit code {status}"
            say(f"warning: --on-end {printable(command)!r} failed with {how}; the run itself is not affected")

    def _variables(self, code: int) -> dict[str, str]:
        # A run that failed before it began has no directory.
        directory = self._directory if self._directory is not None and self._directory.exists() else None
        return {
            "IOSONDE_OUTCOME": "interrupted" if code in _INTERRUPTIONS else "failed" if code else "finished",
            "IOSONDE_EXIT_CODE": str(code),
            "IOSONDE_RUN_DIRECTORY": "" if directory is None else str(directory.absolute()),
            "IOSONDE_ERROR": printable(self._error),
        }


END_COMMAND: Final = EndCommand()
