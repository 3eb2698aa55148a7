"""A child process and the two threads that read its output. Handles exits, missing output and too much output."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Generic, TypeVar

from iosonde.errors import HINT_PROCESSES, EngineError, limit_hint

KILLED_S_MAX: Final = 0.2
PIECE_BYTES: Final = 1 << 16
# How often a reader with a full queue checks whether the child was closed.
PUT_S: Final = 0.2

Item = TypeVar("Item")


class LineTooLongError(ValueError):
    """A line is longer than its limit."""


@dataclass(frozen=True)
class Program:
    """The command of a child, its name in errors, and the hint if it cannot be started.

    With ``takes_input`` the child reads its input from a pipe; otherwise it has none. Without ``restore_signals`` it
    ignores the signals that Python ignores. Exceeding the file-size limit is then an error instead of a fatal signal.
    """

    command: Sequence[str]
    name: str
    hint_missing: str
    takes_input: bool = False
    restore_signals: bool = True


@dataclass(frozen=True)
class _End:
    """The end of the child's output. ``error`` is the reason if it is not a normal end."""

    error: EngineError | None


class Child(Generic[Item]):
    """A running child. Its output is read continuously, until ``waiting_max`` items are queued.

    ``items`` turns its stdout into items, in one thread. ``heard`` gets each chunk of its stderr, in another.
    """

    def __init__(
        self,
        program: Program,
        items: "Callable[[Child[Item]], Iterator[Item]]",
        heard: Callable[[bytes], None],
        waiting_max: int,
    ) -> None:
        """Starts the child. Raises EngineError if this fails."""
        self._items_of = items
        self._heard = heard
        self._waiting: queue.Queue[Item | _End] = queue.Queue(waiting_max)
        self._is_given_up = threading.Event()
        self._is_killed = False
        self._process = _started(program)
        self._readers = [
            threading.Thread(target=self._read, name=f"{program.name}, stdout", daemon=True),
            threading.Thread(target=self._listen, name=f"{program.name}, stderr", daemon=True),
        ]
        try:
            for reader in self._readers:
                reader.start()
        except RuntimeError as error:
            self.kill()
            self.end(0)
            raise EngineError(f"cannot start a thread to read from {program.name}", HINT_PROCESSES) from error

    @property
    def pid(self) -> int:
        """The process ID, which is also that of its process group."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the child has exited. A child that waits for a stuck device in the kernel survives even SIGKILL."""
        return self._process.poll() is not None

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped the child; False if this is unknown."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]
        except OSError:
            return False
        return state in {"T", "t"}

    def send(self, data: bytes) -> None:
        """Writes to the child's stdin. Raises OSError if it is gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def lines(self, bytes_max: int) -> Iterator[bytes]:
        """The lines of stdout with their newlines; the last may have none. For ``items``, in its thread.

        Raises LineTooLongError for a line of more than ``bytes_max`` bytes.
        """
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(bytes_max + 1):
            if len(line) > bytes_max and not line.endswith(b"\n"):
                message = f"a line is longer than {bytes_max} bytes"
                raise LineTooLongError(message)
            yield line

    def receive(self, timeout_s: float) -> Item | None:
        """The next item; None at the end. Raises TimeoutError, or the EngineError that ended ``items``."""
        try:
            found = self._waiting.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if not isinstance(found, _End):
            return found
        # The end stays available for further calls.
        self._put(found)
        if found.error is not None:
            raise found.error
        return None

    def waiting(self) -> Iterator[Item]:
        """The queued items. Does not wait."""
        while True:
            try:
                found = self._waiting.get_nowait()
            except queue.Empty:
                return
            if isinstance(found, _End):
                self._put(found)
                return
            yield found

    def heard_all(self, timeout_s: float) -> None:
        """Waits up to ``timeout_s`` until all of stderr was read, which can outlast the child."""
        self._readers[1].join(timeout=timeout_s)

    def code(self, timeout_s: float) -> int | None:
        """The exit code, below 0 for a signal; None if the child still runs after ``timeout_s``."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=timeout_s)
        return None

    def interrupt(self) -> None:
        """Tells the child to stop (SIGINT)."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Kills the child and its process group."""
        self._is_killed = True
        # The process ID cannot be reused until the child was waited for.
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self.code(KILLED_S_MAX)

    def end(self, grace_s: float) -> None:
        """Closes the child's input. If it still runs after ``grace_s``, kills it."""
        if self._process.stdin is not None:
            # The child may be gone already.
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if self.code(min(grace_s, KILLED_S_MAX) if self._is_killed else grace_s) is None:
            self.kill()
        self._is_given_up.set()
        for reader, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            # A child that waits for a stuck device survives even SIGKILL. It is then abandoned.
            if reader.is_alive():
                reader.join(timeout=KILLED_S_MAX)
            if not reader.is_alive():
                self._close(pipe)

    def _read(self) -> None:
        error = None
        try:
            for item in self._items_of(self):
                self._put(item)
        except EngineError as raised:
            error = raised
        self._put(_End(error))
        self._close(self._process.stdout)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        while piece := os.read(self._process.stderr.fileno(), PIECE_BYTES):
            self._heard(piece)
        self._close(self._process.stderr)

    def _close(self, pipe: IO[bytes] | None) -> None:
        """Closes a pipe without a reader. A reader that ends late closes its pipe itself."""
        if pipe is not None and self._is_given_up.is_set():
            pipe.close()

    def _put(self, found: Item | _End) -> None:
        while not self._is_given_up.is_set():
            try:
                self._waiting.put(found, timeout=PUT_S)
            except queue.Full:
                continue
            return


def _started(program: Program) -> subprocess.Popen[bytes]:
    try:
        # In its own process group, Ctrl-C reaches only this process, which then stops the child. With its own pipes, a
        # child that outlives this process does not keep the user's pipes open.
        return subprocess.Popen(
            program.command,
            stdin=subprocess.PIPE if program.takes_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
            restore_signals=program.restore_signals,
        )
    except OSError as error:
        hint = limit_hint(error) or program.hint_missing
        raise EngineError(f"cannot start {program.command[0]}: {error.strerror}", hint) from error


def signal_name(code: int) -> str:
    """The name of the signal for a code below 0, or its number if it has no name."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
