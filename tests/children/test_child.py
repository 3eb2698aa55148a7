"""A child process: its output is read within bounds, and every wait for it ends, however it exits."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.children import Child, FirstWords, LineTooLongError, Program, signal_name
from iosonde.errors import EngineError

WAIT_S = 30.0
LINE_BYTES_MAX = 1000


def text_lines(child: Child[str]) -> Iterator[str]:
    try:
        for line in child.lines(LINE_BYTES_MAX):
            yield line.decode().rstrip("\n")
    except LineTooLongError as error:
        raise EngineError(str(error), "say less") from error


@contextmanager
def started(code: str, *, heard: FirstWords | None = None, waiting_max: int = 10) -> Iterator[Child[str]]:
    """A Python process that runs ``code``."""
    program = Program([sys.executable, "-c", code], "the child", "install it again", takes_input=True)
    child = Child(program, text_lines, heard or FirstWords(1000), waiting_max)
    try:
        yield child
    finally:
        child.kill()
        child.end(0)


def test_what_is_sent_is_answered() -> None:
    with started("print(input()[::-1])") as child:
        child.send(b"abc\n")
        assert child.receive(WAIT_S) == "cba"


def test_whoever_asks_again_after_the_end_is_told_the_end_again() -> None:
    with started("print('one')") as child:
        assert [child.receive(WAIT_S) for _ in range(3)] == ["one", None, None]


def test_silence_ends_with_the_wait() -> None:
    with started("input()") as child, pytest.raises(TimeoutError):
        child.receive(0.05)


def test_a_line_beyond_its_bound_is_an_error_whoever_asks_and_however_often() -> None:
    with started(f"print('x' * {LINE_BYTES_MAX}); print('y' * {LINE_BYTES_MAX + 1})") as child:
        assert child.receive(WAIT_S) == "x" * LINE_BYTES_MAX
        for _ in range(2):
            with pytest.raises(EngineError, match="a line is longer than 1000 bytes"):
                child.receive(WAIT_S)


def test_a_flood_waits_in_the_pipe_and_not_in_memory() -> None:
    with started("for number in range(10**6): print(number)", waiting_max=5) as child:
        time.sleep(0.3)
        assert len(list(child.waiting())) <= 6
        assert not child.has_ended


def test_what_it_says_to_people_is_kept_up_to_a_bound() -> None:
    heard = FirstWords(20)
    with started("import sys; sys.stderr.write('first\\n' + 'more\\n' * 10**6)", heard=heard) as child:
        assert child.code(WAIT_S) == 0
        child.heard_all(WAIT_S)
        assert heard.lines() == ["first", "more", "more", "more"[:4]]


def test_a_code_says_how_it_ended() -> None:
    with started("import os; os.kill(os.getpid(), 9)") as child:
        code = child.code(WAIT_S)
        assert code is not None
        assert signal_name(code) == "SIGKILL"
    with started("input()") as child:
        assert child.code(0.01) is None


def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    assert signal_name(-(signal.SIGRTMIN + 1)) == f"signal {signal.SIGRTMIN + 1}"


def test_an_end_in_order_is_the_end_of_its_input() -> None:
    with started("import sys; sys.stdin.read(); sys.exit(7)") as child:
        child.end(WAIT_S)
        assert child.code(0) == 7


def test_one_that_does_not_end_in_order_is_ended_by_force() -> None:
    with started("import time; time.sleep(60)") as child:
        began = time.monotonic()
        child.end(0.1)
        assert child.code(WAIT_S) == -signal.SIGKILL
        assert time.monotonic() - began < 10


def test_what_it_has_started_ends_with_it() -> None:
    code = "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"
    with started(code) as child:
        inner = int(child.receive(WAIT_S) or 0)
        child.kill()
        until = time.monotonic() + WAIT_S
        while is_running(inner) and time.monotonic() < until:
            time.sleep(0.01)
        assert not is_running(inner)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2][:1]
    except OSError:
        return False
    return state not in {"Z", "X"}


def test_one_that_a_signal_has_stopped_is_known_as_that() -> None:
    with started("print('here', flush=True); input()") as child:
        child.receive(WAIT_S)
        assert not is_stopped(child)
        os.kill(child.pid, signal.SIGSTOP)
        until = time.monotonic() + WAIT_S
        while not is_stopped(child) and time.monotonic() < until:
            time.sleep(0.01)
        assert is_stopped(child)


def is_stopped(child: Child[str]) -> bool:
    return child.is_stopped


def test_a_program_that_is_not_there_is_told_with_the_way_out() -> None:
    with pytest.raises(EngineError, match="cannot start /nowhere/it: No such file") as refused:
        Child(Program(["/nowhere/it"], "the child", "install it again"), text_lines, FirstWords(1), 1)
    assert refused.value.hint == "install it again"


def test_where_no_thread_can_be_started_no_child_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []
    kill = os.killpg

    def refuse(_thread: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    def noted(group: int, number: int) -> None:
        pids.append(group)
        kill(group, number)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(os, "killpg", noted)
    program = Program([sys.executable, "-c", "input()"], "the child", "install it again", takes_input=True)
    with pytest.raises(EngineError, match="cannot start a thread to read from the child"):
        Child(program, text_lines, FirstWords(1), 1)
    assert pids
    assert not is_running(pids[0])
