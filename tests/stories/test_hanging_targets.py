"""Targets that stop responding: the run ends within its deadline, and says what to do."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from iosonde.records import Outcome
from iosonde.sources import EngineSource
from iosonde.store import load_run
from iosonde.vocabulary import FailureKind
from tests.commands import command, iosonde
from tests.stories.faulty_places import FaultyFile, faulty_file, loop_disk

CAMPAIGN = """
name = "hanging"
repeats = 1
warmup = "0s"
duration = "3s"
[[experiment]]
name = "one"
pattern = "random"
read = {read}
block_size = "4KiB"
queue_depth = 2
sync = "{sync}"
"""
# The cell, 30 s for operations to complete, 25 s for the engine and the front end to abandon them, and 30 s for the
# reports of all runs at the same time, next to other tests.
ENDS_S_MAX = 3 + 30 + 25 + 30
GIVEN_UP = "did not complete within 30 s"
WAY_OUT = "hint: check the kernel log (dmesg), force-unmount an unresponsive file system (umount -f); then run "


@dataclass
class Hanging:
    """A run whose target hangs, and the time at which it began to hang."""

    what: str
    directory: Path
    process: subprocess.Popen[str]
    since_s: float
    file: FaultyFile | None = None
    # Whether another target of the run fails at the same time.
    beside_failing: bool = False
    took_s: float = 0.0
    errors: str = ""


def run_on(
    stack: ExitStack, target: Path, folder: Path, engine: str, read: int, sync: str, *words: object
) -> subprocess.Popen[str]:
    """Starts a run of one cell, and waits until the cell is being measured. ``stack`` kills the run at the end."""
    campaign = folder / "hanging.toml"
    campaign.write_text(CAMPAIGN.format(read=read, sync=sync))
    asked = ("run", target, "--engine", engine, "--profile", campaign, "--out", folder / "run", *words)
    process = subprocess.Popen(command(*asked), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    stack.callback(end, process)
    assert process.stderr is not None
    heard: list[str] = []
    while not any(line.startswith("preconditioned at") for line in heard):
        heard.append(process.stderr.readline())
        assert heard[-1], heard
    time.sleep(1)
    return process


def end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
        process.communicate()


def engines() -> tuple[str, ...]:
    source = EngineSource()
    source.end()
    return tuple(str(each) for each in source.hello.engines if each in {"psync", "io_uring"})


def frozen(stack: ExitStack, folder: Path) -> Hanging:
    """A run that writes its own file on a file system, which is frozen during the cell."""
    _, place = stack.enter_context(loop_disk(folder))
    process = run_on(stack, place, folder, "psync", 0, "none", "--size", "32MiB")
    subprocess.run(["fsfreeze", "-f", place], check=True)
    stack.callback(lambda: subprocess.run(["fsfreeze", "-u", place], check=True))
    return Hanging("frozen", folder / "run", process, time.monotonic())


def beside_failing(stack: ExitStack, folder: Path, engine: str, read: int, *, is_first: bool) -> Hanging:
    """A run of two targets. The first or the last one hangs, and the other one fails permanently."""
    hangs, fails = (stack.enter_context(faulty_file(folder / name)) for name in ("hangs", "fails"))
    paths = (hangs.path, fails.path) if is_first else (fails.path, hangs.path)
    process = run_on(stack, paths[0], folder, engine, read, "none", paths[1], "--overwrite", "--buffered")
    hangs.tell("hang")
    since_s = time.monotonic()
    # Waits until operations hang. The failure of the other target then stops only the operations that can still stop.
    time.sleep(0.3)
    fails.die()
    what = f"{engine}, {read} % reads, the {'first' if is_first else 'last'} hangs"
    return Hanging(what, folder / "run", process, since_s, beside_failing=True)


@pytest.fixture(scope="module")
def every_end(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Hanging]]:
    """Runs that hang at the same time, each for a different reason. Their pending requests end after the tests."""
    ways = [
        *((engine, 100, "none", "hang") for engine in engines()),
        *((engine, 0, "none", "hang") for engine in engines()),
        *((engine, 0, "fdatasync", "hang-fsync") for engine in engines()),
        ("psync", 100, "none", "freeze"),
    ]
    with ExitStack() as stack:
        runs = [frozen(stack, tmp_path_factory.mktemp("hanging"))]
        for engine, read, sync, fault in ways:
            folder = tmp_path_factory.mktemp("hanging")
            file = stack.enter_context(faulty_file(folder / "faulty"))
            process = run_on(stack, file.path, folder, engine, read, sync, "--overwrite", "--buffered")
            file.tell(fault)
            runs.append(Hanging(f"{engine}, {read} % reads, {fault}", folder / "run", process, time.monotonic(), file))
        runs += [
            beside_failing(stack, tmp_path_factory.mktemp("beside"), engine, 100, is_first=first)
            for engine in engines()
            for first in (False, True)
        ]
        for run in runs:
            _, run.errors = run.process.communicate(timeout=ENDS_S_MAX)
            run.took_s = time.monotonic() - run.since_s
        yield runs


@pytest.fixture(scope="module")
def ended(every_end: list[Hanging]) -> list[Hanging]:
    """The runs whose only target hangs."""
    return [run for run in every_end if not run.beside_failing]


def test_a_target_that_fails_does_not_hide_another_that_hangs(every_end: list[Hanging]) -> None:
    mixed = [run for run in every_end if run.beside_failing]
    assert len(mixed) == 2 * len(engines())
    for run in mixed:
        assert run.process.returncode == 3, (run.what, run.errors)
        assert run.took_s < ENDS_S_MAX, run.what
        [cell] = load_run(run.directory).cells
        assert cell.failure is not None, run.what
        assert cell.failure.kind is FailureKind.STUCK, (run.what, cell.failure)
        assert GIVEN_UP in cell.failure.message, (run.what, cell.failure)
        assert "ENOTCONN" in cell.failure.message or "ECONNABORTED" in cell.failure.message, (run.what, cell.failure)


def test_a_run_on_a_file_system_that_never_answers_ends_within_its_deadline(ended: list[Hanging]) -> None:
    for run in ended:
        assert run.process.returncode == 3, (run.what, run.errors)
        assert run.took_s < ENDS_S_MAX, run.what


def test_it_says_what_hangs_and_what_to_do(ended: list[Hanging]) -> None:
    for run in ended:
        error, hint = run.errors.splitlines()[-2:]
        assert error.startswith("error: "), run.what
        assert GIVEN_UP in error, run.what
        given_up = "" if run.file is None else " --overwrite"
        assert hint == f"{WAY_OUT}`iosonde resume {run.directory}{given_up}` to continue", run.what


def test_what_came_back_before_is_kept_and_counted_right(ended: list[Hanging]) -> None:
    for run in ended:
        [cell] = load_run(run.directory).cells
        assert cell.outcome is Outcome.FAILED, run.what
        assert cell.failure is not None, run.what
        assert cell.failure.kind is FailureKind.STUCK, run.what
        assert 0 < cell.measured_ns <= 3 * 10**9, run.what
        for operation, totals in cell.operations.items():
            counted = sum(each.operations[operation].count for each in cell.intervals if operation in each.operations)
            assert totals.count == counted == sum(totals.latency.count) > 0, run.what
        if "100 % reads" in run.what and run.file is not None:
            # Operations in flight, and those completed since the last interval, are not counted.
            assert sum(each.count for each in cell.operations.values()) <= int(run.file.tell("reads"))


def test_the_run_goes_on_when_the_target_answers_again(ended: list[Hanging]) -> None:
    run = next(each for each in ended if each.file is not None)
    assert run.file is not None
    run.file.tell("go")
    # The abandoned engine exits and releases its lock once its pending request is answered.
    time.sleep(1)
    resumed = iosonde("resume", "--overwrite", run.directory)
    assert resumed.returncode == 0, resumed.stderr
    assert [cell.outcome for cell in load_run(run.directory).cells] == [Outcome.FINISHED]


def test_a_file_that_can_not_be_removed_is_named(ended: list[Hanging]) -> None:
    [left] = [line for line in ended[0].errors.splitlines() if line.startswith("warning: ")]
    assert ended[0].what == "frozen"
    assert left.endswith(".data could not be removed: its file system does not respond")


def test_ctrl_c_ends_a_run_whose_sync_hangs_within_seconds(tmp_path: Path) -> None:
    with faulty_file(tmp_path / "faulty") as file, ExitStack() as stack:
        file.tell("hang-fsync")
        process = run_on(stack, file.path, tmp_path, "psync", 100, "none", "--overwrite", "--buffered")
        since_s = time.monotonic()
        process.send_signal(2)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - since_s < 10
    assert process.returncode == 130, errors


def test_ctrl_c_ends_a_run_whose_target_hangs_within_seconds(tmp_path: Path) -> None:
    with faulty_file(tmp_path / "faulty") as file, ExitStack() as stack:
        process = run_on(stack, file.path, tmp_path, "psync", 100, "none", "--overwrite", "--buffered")
        file.tell("freeze")
        time.sleep(0.2)
        since_s = time.monotonic()
        process.send_signal(2)
        _, errors = process.communicate(timeout=30)
        assert time.monotonic() - since_s < 10
    assert process.returncode == 130, errors
    assert "continues the run" in errors
