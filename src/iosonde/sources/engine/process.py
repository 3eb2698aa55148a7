"""The engine as a child process: commands in, events out. Every wait has a time limit."""

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from iosonde.children import Child, LineTooLongError, Program, signal_name
from iosonde.errors import HINT_HANGS, EngineError
from iosonde.printing import printable
from iosonde.sources.engine.event_schemas import Event, protocol_error

LINE_BYTES_MAX: Final = 4 << 20
# The queue of events that were not read yet. If it is full, the pipe fills up, and the engine merges intervals.
EVENTS_WAITING_MAX: Final = 256
END_S_MAX: Final = 5.0
STDERR: Final = 2


class SilenceError(EngineError):
    """The engine did not answer in time, usually because a target does not respond."""


class EngineProcess:
    """A running engine. If it dies, the next wait raises EngineError."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        program = Program(
            [str(part) for part in command],
            "the engine",
            "install iosonde again",
            takes_input=True,
            restore_signals=False,
        )
        self._child: Child[Event] = Child(program, _events, _pass_on, EVENTS_WAITING_MAX)

    @property
    def pid(self) -> int:
        """The engine's process number."""
        return self._child.pid

    def send(self, command: Event) -> None:
        """Sends one command. Raises EngineError if the engine is gone."""
        try:
            self._child.send(json.dumps(command).encode() + b"\n")
        except OSError as error:
            raise _gone(self._child) from error

    def receive(self, timeout_s: float) -> Event:
        """The next event. Raises SilenceError if none comes in time, and EngineError if the engine is gone."""
        try:
            event = self._child.receive(timeout_s)
        except TimeoutError:
            raise self.silence(f"the engine did not respond within {timeout_s:.0f} s") from None
        assert event is not None, "expected an exception at the end of the output"
        return event

    def silence(self, told: str) -> SilenceError:
        """The error for an engine that did not answer: it was stopped by a signal, or waits for its target."""
        if self._child.is_stopped:
            return SilenceError(
                f"{told}: the process is stopped (by SIGSTOP or a debugger)",
                "find out which program stops the engine, then run again",
            )
        return SilenceError(told, HINT_HANGS)

    def waiting(self) -> Iterator[Event]:
        """The events that have arrived and were not read yet. Does not wait."""
        return self._child.waiting()

    def end(self) -> None:
        """Closes the engine's input, which ends it, and soon afterwards kills it if it still runs."""
        self._child.end(END_S_MAX)

    def kill(self) -> None:
        """Kills the engine."""
        self._child.kill()

    def handles(self) -> dict[tuple[int, int], Path]:
        """The files that the engine has open: device and inode, and the path in /proc that opens the same file.

        A block device has its own device number, and inode 0.
        """
        found = {}
        for link in Path(f"/proc/{self.pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                facts = link.stat()
                is_device = stat.S_ISBLK(facts.st_mode)
                found[(facts.st_rdev, 0) if is_device else (facts.st_dev, facts.st_ino)] = link
        return found


def _events(child: Child[Event]) -> Iterator[Event]:
    """The engine's events. They end only with an error."""
    try:
        for line in child.lines(LINE_BYTES_MAX):
            if not line.endswith(b"\n"):
                break
            yield _event_of(line)
    except LineTooLongError as error:
        raise protocol_error(str(error)) from error
    raise _gone(child)


def _event_of(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise protocol_error("a line is not JSON") from error
    if not isinstance(event, dict):
        raise protocol_error("a line is not a JSON object")
    return event


def _pass_on(piece: bytes) -> None:
    """Writes the engine's diagnostics to stderr."""
    lines = piece.decode("utf-8", "replace").splitlines()
    with contextlib.suppress(OSError):
        os.write(STDERR, "".join(f"engine: {printable(line)}\n" for line in lines).encode())


def _gone(child: Child[Event]) -> EngineError:
    code = child.code(END_S_MAX)
    if code is None:
        return EngineError("the engine closed its output", "run again; if the error recurs, report a bug")
    if code < 0:
        return EngineError(
            f"the engine was killed by {signal_name(code)}", "check the kernel log (dmesg), then run again"
        )
    return EngineError(f"the engine exited with code {code}", "run again; if the error recurs, report a bug")
