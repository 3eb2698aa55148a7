"""`iosonde show` uses a pager as git does, and only on a terminal."""

import os
import pty
import select
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.commands import command, iosonde
from tests.house.checkout import ROOT

RUN: Final = ROOT / "tests/fixtures/runs/v1"
NEEDS_LESS = pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
LAST_LINE: Final = "shows all details of a cell"
DEADLINE_S: Final = 60


class Terminal:
    """iosonde on a pseudoterminal with this number of lines."""

    def __init__(self, *words: object, lines: int = 24, **environment: str) -> None:
        self._here, there = pty.openpty()
        os.set_blocking(self._here, False)
        surroundings = {name: value for name, value in os.environ.items() if "PAGER" not in name and name != "LESS"}
        surroundings |= {"COLUMNS": "100", "LINES": str(lines), "TERM": "xterm", **environment}
        self.process = subprocess.Popen(
            command(*words), stdin=there, stdout=there, stderr=there, env=surroundings, start_new_session=True
        )
        os.close(there)
        self._bytes = b""

    @property
    def said(self) -> str:
        """The output so far."""
        return self._bytes.decode(errors="replace")

    def read_until(self, text: str | None) -> str:
        """The output until it contains ``text``, or until the command ends if that is None."""
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            ready, _, _ = select.select([self._here], [], [], 0.1)
            try:
                self._bytes += os.read(self._here, 1 << 16) if ready else b""
            except OSError:
                break
            if text is not None and text in self.said:
                return self.said
            if text is None and not ready and self.process.poll() is not None:
                break
        assert text is None, f"{text!r} was never said: {self.said[-2000:]}"
        return self.said

    def type(self, keys: str) -> None:
        os.write(self._here, keys.encode())

    def ends_within(self, wait_s: float) -> bool:
        """Whether the command ends in this time. Reads its output in the meantime."""
        until = time.monotonic() + wait_s
        while self.process.poll() is None and time.monotonic() < until:
            ready, _, _ = select.select([self._here], [], [], 0.05)
            with suppress(OSError):
                self._bytes += os.read(self._here, 1 << 16) if ready else b""
        return self.process.poll() is not None

    def code(self) -> int:
        return self.process.wait(DEADLINE_S)


def test_on_a_terminal_all_of_it_goes_through_the_pager_that_is_named(tmp_path: Path) -> None:
    terminal = Terminal("show", RUN, PAGER=f"cat > {tmp_path / 'paged'}; echo PAGED")
    assert "PAGED" in terminal.read_until(None)
    assert LAST_LINE not in terminal.said
    assert LAST_LINE in (tmp_path / "paged").read_text()
    assert terminal.code() == 0


def test_iosondes_own_pager_comes_before_that_of_others(tmp_path: Path) -> None:
    terminal = Terminal("show", RUN, "random-mix70", PAGER="false", IOSONDE_PAGER=f"cat > {tmp_path / 'paged'}")
    terminal.read_until(None)
    assert terminal.code() == 0
    assert "random-mix70" in (tmp_path / "paged").read_text()


@pytest.mark.parametrize(
    ("words", "environment"),
    [(["--no-pager"], {"PAGER": "false"}), ([], {"PAGER": ""}), ([], {"PAGER": "cat"}), ([], {"PAGER": "/no/pager"})],
)
def test_without_a_pager_it_is_printed(words: list[str], environment: dict[str, str]) -> None:
    terminal = Terminal("show", RUN, *words, lines=24, **environment)
    assert LAST_LINE in terminal.read_until(None)
    assert terminal.code() == 0


def test_into_a_pipe_nothing_is_paged() -> None:
    ended = iosonde("show", RUN, PAGER="echo PAGED", LC_ALL="C.UTF-8")
    assert LAST_LINE in ended.stdout
    assert "PAGED" not in ended.stdout


def test_who_leaves_the_pager_early_leaves_quietly() -> None:
    terminal = Terminal("show", RUN, "--findings", PAGER="head -n 1")
    said = terminal.read_until(None)
    assert terminal.code() == 0
    assert "Traceback" not in said
    assert "error" not in said.lower().splitlines()[-1]


@NEEDS_LESS
def test_less_shows_the_first_screen_and_q_leaves_it() -> None:
    terminal = Terminal("show", RUN)
    terminal.read_until("iosonde")
    assert LAST_LINE not in terminal.said
    # less handles Ctrl-C itself, and iosonde ignores it.
    os.killpg(terminal.process.pid, signal.SIGINT)
    # An interrupt makes less discard pending keys.
    for _ in range(DEADLINE_S):
        terminal.type("q")
        if terminal.ends_within(1.0):
            break
    assert terminal.code() == 0


@NEEDS_LESS
def test_less_does_not_stay_where_all_fits_one_screen() -> None:
    terminal = Terminal("show", RUN, lines=500)
    assert LAST_LINE in terminal.read_until(None)
    assert terminal.code() == 0
