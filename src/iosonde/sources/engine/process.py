"""The engine as a child process: lines in, lines out, every wait with a bound."""

import contextlib
import json
import os
import queue
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from iosonde.errors import HINT_HANGS, HINT_PROCESSES, EngineError, limit_hint
from iosonde.printing import printable
from iosonde.sources.engine.event_schemas import Event, protocol_error

LINE_BYTES_MAX: Final = 4 << 20
# Events that wait for the front. When it is full the pipe fills up, and the engine adds intervals together.
EVENTS_WAITING_MAX: Final = 256
END_S_MAX: Final = 5.0
KILLED_S_MAX: Final = 0.2
PIECE_BYTES: Final = 1 << 16
STDERR: Final = 2
# How often a reader whose queue is full looks whether anybody still wants events.
PUT_S: Final = 0.2


class SilenceError(EngineError):
    """The engine did not answer in time, which is what a target does to it that does not answer."""


class EngineProcess:
    """A running engine. Its death is an event like any other: the next wait raises EngineError."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._ended = threading.Event()
        self._is_killed = False
        self._events: queue.Queue[Event | EngineError] = queue.Queue(EVENTS_WAITING_MAX)
        try:
            # A group of its own: Ctrl-C reaches the front only, which then ends the engine in order.
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # A pipe of its own: an engine that outlives its front would hold open what others wait for the end of.
                stderr=subprocess.PIPE,
                process_group=0,
                # So a file beyond the limit of file sizes is an error, and no signal that ends the engine.
                restore_signals=False,
            )
        except OSError as error:
            hint = limit_hint(error) or "install iosonde again"
            raise EngineError(f"can't start {command[0]}: {error.strerror}", hint) from error
        self._readers = [
            threading.Thread(target=self._read, name="engine events", daemon=True),
            threading.Thread(target=self._pass_on, name="engine complaints", daemon=True),
        ]
        started = []
        try:
            for reader in self._readers:
                reader.start()
                started.append(reader)
        except RuntimeError as error:
            self._readers = started
            self.kill()
            self.end()
            raise EngineError("can't start a thread that reads from the engine", HINT_PROCESSES) from error

    @property
    def pid(self) -> int:
        """The engine's process number."""
        return self._process.pid

    def send(self, command: Event) -> None:
        """Sends one command. Raises EngineError when the engine is gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._gone() from error

    def receive(self, timeout_s: float) -> Event:
        """The next event. Raises SilenceError when none comes in time, and EngineError when the engine is gone."""
        try:
            event = self._events.get(timeout=timeout_s)
        except queue.Empty:
            raise self.silence(f"the engine was silent for {timeout_s:.0f} s") from None
        if isinstance(event, EngineError):
            self._put(event)
            raise event
        return event

    def silence(self, told: str) -> SilenceError:
        """What to say of an engine that did not answer: a signal may have stopped it, or it waits for its target."""
        if _is_stopped(self.pid):
            return SilenceError(f"{told}: it is stopped by a signal", "find out who sent it SIGSTOP, then run again")
        return SilenceError(told, HINT_HANGS)

    def waiting(self) -> Iterator[Event]:
        """The events that came and were not taken yet. Waits for none."""
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            if isinstance(event, EngineError):
                self._put(event)
                return
            yield event

    def end(self) -> None:
        """Closes the engine's input, which ends it; a moment later it is ended by force."""
        assert self._process.stdin is not None
        # The engine may be gone already.
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=KILLED_S_MAX if self._is_killed else END_S_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
        self._ended.set()
        # An engine that waits for a stuck device in the kernel outlives even SIGKILL; nobody waits for it then.
        for reader, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=False):
            reader.join(timeout=KILLED_S_MAX)
            if not reader.is_alive() and pipe is not None:
                pipe.close()

    def kill(self) -> None:
        """Ends the engine at once."""
        self._is_killed = True
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=KILLED_S_MAX)

    def handles(self) -> dict[tuple[int, int], Path]:
        """Every file that the engine has open: device and inode, and the name by which others reach that very file.

        A block device has its own number, and inode 0.
        """
        found = {}
        for link in Path(f"/proc/{self.pid}/fd").glob("*"):
            with contextlib.suppress(OSError):
                facts = link.stat()
                is_device = stat.S_ISBLK(facts.st_mode)
                found[(facts.st_rdev, 0) if is_device else (facts.st_dev, facts.st_ino)] = link
        return found

    def _read(self) -> None:
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline(LINE_BYTES_MAX + 1)
            if not line.endswith(b"\n"):
                too_long = len(line) > LINE_BYTES_MAX
                self._put(protocol_error(f"a line of more than {LINE_BYTES_MAX} bytes") if too_long else self._gone())
                return
            try:
                event = json.loads(line)
            except ValueError:
                self._put(protocol_error("a line that is not JSON"))
                return
            self._put(event if isinstance(event, dict) else protocol_error("a line that is not an object"))

    def _pass_on(self) -> None:
        """What the engine says to people goes where this process says it."""
        assert self._process.stderr is not None
        while piece := os.read(self._process.stderr.fileno(), PIECE_BYTES):
            lines = piece.decode("utf-8", "replace").splitlines()
            with contextlib.suppress(OSError):
                os.write(STDERR, "".join(f"engine: {printable(line)}\n" for line in lines).encode())

    def _put(self, event: Event | EngineError) -> None:
        while not self._ended.is_set():
            try:
                self._events.put(event, timeout=PUT_S)
            except queue.Full:
                continue
            return

    def _gone(self) -> EngineError:
        try:
            code = self._process.wait(timeout=END_S_MAX)
        except subprocess.TimeoutExpired:
            return EngineError("the engine closed its output", "run again; report it if it happens twice")
        if code < 0:
            name = signal.Signals(-code).name
            return EngineError(f"the engine was ended by {name}", "look at the kernel's log (dmesg), then run again")
        return EngineError(f"the engine ended by itself with code {code}", "run again; report it if it happens twice")


def _is_stopped(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2][:1]
    except OSError:
        return False
    return state in {"T", "t"}
