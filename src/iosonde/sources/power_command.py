"""Runs the user's command that measures power, and reads the watts that it prints."""

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from iosonde.errors import TargetError
from iosonde.printing import printable

RESTART_S: Final = 1.0
"""A command that ends is started again, at most once in this time."""
FIRST_S_MAX: Final = 10.0
"""The time that the command has for its first value."""
LINE_BYTES_MAX: Final = 4096
SAMPLES_MAX: Final = 1 << 16
"""The samples of 18 hours. A trial takes those of its own time, and earlier ones are forgotten."""
WATTS_MAX: Final = 1e9
SAMPLE_S_MIN: Final = 0.9
"""A command that prints more often than once a second is read to its end, and the values in between are left out."""
LATE_S_MAX: Final = 0.45
"""A value may arrive this much late, on a busy host, without the next one counting as too early."""
HINT: Final = "it must print a number of watts per line, once or repeatedly; run it alone to see its output"


class PowerCommand:
    """The running command. Its shell is started with ``prefix``, and again when it ends."""

    def __init__(self, command: str, prefix: Sequence[str] = ()) -> None:
        self._words = [*prefix, "/bin/sh", "-c", command]
        self.command = command
        self._samples: deque[tuple[int, int]] = deque(maxlen=SAMPLES_MAX)
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = threading.Event()
        self._changed = threading.Event()
        self._lock = threading.Lock()
        self._next_ns = 0
        self._wrong = ""
        self._thread = threading.Thread(target=self._run, name="power command", daemon=True)

    def start(self) -> None:
        """Starts it and waits for its first value. Raises TargetError without one."""
        self._thread.start()
        self._changed.wait(FIRST_S_MAX)
        if not self._samples:
            reason = self._wrong or f"it printed nothing within {FIRST_S_MAX:.0f} s"
            self.end()
            raise TargetError(f"--power-command {printable(self.command)!r} failed: {reason}", HINT)

    def samples(self, from_ns: int, to_ns: int) -> list[int]:
        """The values in µW that arrived in a time (CLOCK_MONOTONIC_RAW)."""
        return [value for at_ns, value in tuple(self._samples) if from_ns <= at_ns <= to_ns]

    def end(self) -> None:
        """Ends the command and whatever it has started."""
        self._ended.set()
        with self._lock:
            if self._process is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
        if self._thread.is_alive():
            self._thread.join(RESTART_S)

    def _run(self) -> None:
        while not self._ended.is_set():
            began_s = time.monotonic()
            self._run_once()
            self._ended.wait(max(RESTART_S - (time.monotonic() - began_s), 0))

    def _run_once(self) -> None:
        try:
            with self._lock:
                if self._ended.is_set():
                    return
                self._process = subprocess.Popen(
                    self._words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError as error:
            self._fail(f"it cannot be started: {error.strerror}")
            return
        process = self._process
        assert process.stdout is not None
        with process.stdout as output:
            while line := output.readline(LINE_BYTES_MAX):
                self._take(line)
        code = process.wait()
        if code and not self._samples:
            self._fail(f"it ended with exit code {code}")

    def _take(self, line: bytes) -> None:
        at_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return
        watts = _watts(text)
        if watts is None:
            self._fail(f"it printed {printable(text)[:80]!r}, which is not a number of watts")
        elif at_ns >= self._next_ns:
            self._samples.append((at_ns, round(watts * 1e6)))
            self._next_ns = max(self._next_ns, at_ns - round(LATE_S_MAX * 1e9)) + round(SAMPLE_S_MIN * 1e9)
            self._changed.set()

    def _fail(self, reason: str) -> None:
        self._wrong = self._wrong or reason
        self._changed.set()


def _watts(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= WATTS_MAX else None
