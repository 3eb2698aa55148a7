"""The command that measures power runs once or repeatedly, and one that measures nothing is an error."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iosonde.errors import TargetError
from iosonde.sources import PowerCommand
from iosonde.sources import power_command as module

Start = Callable[[str], PowerCommand]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts commands, and ends them after the test."""
    started: list[PowerCommand] = []

    def begin(command: str) -> PowerCommand:
        started.append(PowerCommand(command))
        started[-1].start()
        return started[-1]

    yield begin
    for each in started:
        each.end()


def now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def all_of(command: PowerCommand) -> list[int]:
    return command.samples(0, now_ns())


def wait_for(condition: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until_s
        time.sleep(0.05)


def test_a_command_that_prints_once_runs_again(start: Start, tmp_path: Path) -> None:
    command = start(f"echo x >> {tmp_path}/runs; echo 12.5")
    wait_for(lambda: len(all_of(command)) >= 2)
    assert set(all_of(command)) == {12_500_000}
    assert len((tmp_path / "runs").read_text().split()) >= 2


def test_a_command_that_prints_repeatedly_keeps_running(start: Start, tmp_path: Path) -> None:
    command = start(f"echo x >> {tmp_path}/runs; n=3; while :; do echo $n; n=$((n + 1)); sleep 1; done")
    wait_for(lambda: len(all_of(command)) >= 2)
    assert all_of(command)[:2] == [3_000_000, 4_000_000]
    assert (tmp_path / "runs").read_text().split() == ["x"]


def test_more_than_one_value_a_second_is_not_taken(start: Start) -> None:
    began_ns = now_ns()
    command = start("while :; do echo 1; sleep 0.01; done")
    time.sleep(1.5)
    assert len(all_of(command)) <= 2 + (now_ns() - began_ns) / 0.9e9


def test_a_value_that_arrives_late_does_not_cost_the_next_one(start: Start) -> None:
    command = start("sleep 0.4; echo 1; sleep 0.6; echo 2; sleep 1.4; echo 3; sleep 0.6; echo 4; sleep 100")
    wait_for(lambda: 4_000_000 in all_of(command))
    assert all_of(command) == [1_000_000, 2_000_000, 3_000_000, 4_000_000]


def test_values_belong_to_the_time_of_their_arrival(start: Start) -> None:
    before_ns = now_ns()
    command = start("echo 7; sleep 100")
    assert command.samples(before_ns, now_ns()) == [7_000_000]
    assert command.samples(0, before_ns) == []
    assert command.samples(now_ns(), now_ns() + 10**9) == []


def test_empty_lines_are_left_out(start: Start) -> None:
    assert all_of(start("echo; echo ' 8 '; sleep 100")) == [8_000_000]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("exit 3", "it ended with exit code 3"),
        ("echo 12 W", "it printed '12 W', which is not a number of watts"),
        ("echo nan", "it printed 'nan'"),
        ("echo -1", "it printed '-1'"),
        ("echo 1e30", "it printed '1e30'"),
        ("printf '\\033[2J'", "it printed '"),
    ],
)
def test_a_command_without_a_value_is_refused(start: Start, command: str, reason: str) -> None:
    with pytest.raises(TargetError) as refused:
        start(command)
    assert f"failed: {reason}" in refused.value.message
    assert "\033" not in refused.value.message
    assert "number of watts per line" in refused.value.hint


def test_a_command_that_says_nothing_is_refused_in_time(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_S_MAX", 0.3)
    with pytest.raises(TargetError, match="it printed nothing within 0 s"):
        start("sleep 100")


def test_a_value_that_is_none_later_is_left_out(start: Start) -> None:
    command = start("echo 5; sleep 1; echo broken; sleep 1; echo 6; sleep 100")
    wait_for(lambda: len(all_of(command)) >= 2)
    assert all_of(command) == [5_000_000, 6_000_000]


def test_its_end_is_also_that_of_what_it_started(start: Start, tmp_path: Path) -> None:
    command = start(f"sleep 100 & echo $! > {tmp_path}/pid; echo 1; wait")
    child = int((tmp_path / "pid").read_text())
    command.end()
    wait_for(lambda: not Path(f"/proc/{child}").exists() or is_dead(child))
    assert os.getpid() != child


def is_dead(process: int) -> bool:
    """Whether a process is gone, or a zombie that nobody has reaped yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][:1]
    except FileNotFoundError:
        return True
    return state in {"Z", "X"}
