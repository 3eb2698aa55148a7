"""fio as a child process: snapshots out, diagnostics apart from them, every wait with a bound."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import Final

from iosonde.errors import HINT_PROCESSES, EngineError, limit_hint
from iosonde.sources.fio.output import Snapshot, objects_in, read_snapshot

SNAPSHOTS_WAITING_MAX: Final = 64
COMPLAINTS_BYTES_MAX: Final = 256 << 10
KILLED_S_MAX: Final = 0.2
ENDED_S_MAX: Final = 5.0
PUT_S: Final = 0.2


class FioProcess:
    """A running fio. It has a pipe for its JSON; when nobody reads that any more, writing to it ends fio."""

    def __init__(self, command: Sequence[str]) -> None:
        self._ended = threading.Event()
        self._snapshots: queue.Queue[Snapshot | EngineError | None] = queue.Queue(SNAPSHOTS_WAITING_MAX)
        self._complaints = bytearray()
        try:
            # A group of its own: Ctrl-C reaches the front only, which then ends fio in order.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        except OSError as error:
            hint = limit_hint(error) or "install fio again"
            raise EngineError(f"can't start {command[0]}: {error.strerror}", hint) from error
        self._readers = [
            threading.Thread(target=self._read, name="fio snapshots", daemon=True),
            threading.Thread(target=self._listen, name="fio complaints", daemon=True),
        ]
        try:
            for reader in self._readers:
                reader.start()
        except RuntimeError as error:
            self._process.kill()
            raise EngineError("can't start a thread that reads from fio", HINT_PROCESSES) from error

    def receive(self, timeout_s: float) -> Snapshot | None:
        """The next snapshot; None when fio has said all. Raises TimeoutError, or EngineError for what no fio says."""
        try:
            found = self._snapshots.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(found, EngineError):
            raise found
        return found

    def stop(self) -> None:
        """Asks fio to end now and to say what it has measured."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends fio at once."""
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=KILLED_S_MAX)

    def code(self) -> int | None:
        """With which code fio ended; None while it has not, which a stuck device can keep it from."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=ENDED_S_MAX)
        return None

    @property
    def has_ended(self) -> bool:
        """Whether fio is gone; where a target does not answer it outlives even being killed."""
        return self._process.poll() is not None

    def complaints(self) -> list[str]:
        """What fio said to people, the first of it."""
        self._readers[1].join(timeout=KILLED_S_MAX)
        return bytes(self._complaints).decode(errors="replace").splitlines()

    def end(self) -> None:
        """Ends fio, if it still runs, and gives its pipes up."""
        self._ended.set()
        if self._process.poll() is None:
            self.kill()
        for reader, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            # A fio that waits for a stuck device in the kernel outlives even SIGKILL; nobody waits for it then.
            reader.join(timeout=KILLED_S_MAX)
            if not reader.is_alive() and pipe is not None:
                pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for found in objects_in(self._process.stdout):
                self._put(read_snapshot(found))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._put(
                EngineError(
                    f"fio said what can't be read: {type(error).__name__} {error}",
                    "use a fio from 3.28 to 3.42, or leave --engine fio away",
                )
            )
        self._put(None)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        while piece := os.read(self._process.stderr.fileno(), 1 << 16):
            # fio writes a line for each error, and a dead device gives millions.
            self._complaints += piece[: COMPLAINTS_BYTES_MAX - len(self._complaints)]

    def _put(self, found: Snapshot | EngineError | None) -> None:
        while not self._ended.is_set():
            try:
                self._snapshots.put(found, timeout=PUT_S)
            except queue.Full:
                continue
            return
