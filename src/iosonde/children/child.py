"""A child process and the two threads that read it: its death, its silence and its flood are answers like any other."""

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
# How often a reader whose queue is full looks whether anybody still wants items.
PUT_S: Final = 0.2

Item = TypeVar("Item")


class LineTooLongError(ValueError):
    """A line is longer than the bound that was given for it."""


@dataclass(frozen=True)
class Program:
    """What is started, what it is called in errors, and the way out where it can't be started.

    A child gets its input from a pipe with ``takes_input``, and else none. Without ``restore_signals`` it ignores those
    that Python ignores: a file beyond the limit of file sizes is an error then, and no signal that ends the child.
    """

    command: Sequence[str]
    name: str
    hint_missing: str
    takes_input: bool = False
    restore_signals: bool = True


@dataclass(frozen=True)
class _End:
    """All that the child said was read; ``error`` is why nothing more can be, where that is no end in order."""

    error: EngineError | None


class Child(Generic[Item]):
    """A running child. Reading it never waits for whoever wants what it said, until ``waiting_max`` items wait.

    ``items`` makes items of its stdout, in a thread; ``heard`` is told each piece of its stderr, in another.
    """

    def __init__(
        self,
        program: Program,
        items: "Callable[[Child[Item]], Iterator[Item]]",
        heard: Callable[[bytes], None],
        waiting_max: int,
    ) -> None:
        """Starts it. Raises EngineError where it can't be started."""
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
            raise EngineError(f"can't start a thread that reads from {program.name}", HINT_PROCESSES) from error

    @property
    def pid(self) -> int:
        """The process number, which is that of its group as well."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it is gone: one that waits for a stuck device in the kernel outlives even being killed."""
        return self._process.poll() is not None

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped it; False where that can't be known."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]
        except OSError:
            return False
        return state in {"T", "t"}

    def send(self, data: bytes) -> None:
        """Gives it input. Raises OSError when it is gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def lines(self, bytes_max: int) -> Iterator[bytes]:
        """What it says on stdout, by lines with their ends; the last may have none. For ``items``, in its thread.

        Raises LineTooLongError for a line of more than ``bytes_max`` bytes.
        """
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(bytes_max + 1):
            if len(line) > bytes_max and not line.endswith(b"\n"):
                message = f"a line of more than {bytes_max} bytes"
                raise LineTooLongError(message)
            yield line

    def receive(self, timeout_s: float) -> Item | None:
        """The next item; None when all was read. Raises TimeoutError, or the EngineError that ``items`` ended with."""
        try:
            found = self._waiting.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if not isinstance(found, _End):
            return found
        # Whoever asks again is told the same.
        self._put(found)
        if found.error is not None:
            raise found.error
        return None

    def waiting(self) -> Iterator[Item]:
        """The items that were not taken yet. Waits for none."""
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
        """Waits until all of its stderr was heard, which one that is gone leaves behind; no longer than that."""
        self._readers[1].join(timeout=timeout_s)

    def code(self, timeout_s: float) -> int | None:
        """The code with which it ended, below 0 for a signal; None while it has not, ``timeout_s`` later."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=timeout_s)
        return None

    def interrupt(self) -> None:
        """Asks it to end in order (SIGINT)."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends it and all of its group at once."""
        self._is_killed = True
        # Its number stays its own until it has been waited for.
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        self.code(KILLED_S_MAX)

    def end(self, grace_s: float) -> None:
        """Closes its input and gives it up; where it has not ended ``grace_s`` later, it is ended by force."""
        if self._process.stdin is not None:
            # It may be gone already.
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if self.code(min(grace_s, KILLED_S_MAX) if self._is_killed else grace_s) is None:
            self.kill()
        self._is_given_up.set()
        for reader, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            # What waits for a stuck device outlives even SIGKILL; nobody waits for it then.
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
        """Closes a pipe that is given up and read by nobody; a reader that ends late closes its own."""
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
        # A group of its own: Ctrl-C reaches the front only, which then ends the child in order. Pipes of its own: a
        # child that outlives the front would hold open what others wait for the end of.
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
        raise EngineError(f"can't start {program.command[0]}: {error.strerror}", hint) from error


def signal_name(code: int) -> str:
    """The signal that a code below 0 stands for, by its name; by its number where it has none."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
