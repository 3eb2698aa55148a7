"""The disk of the run directory or of the target is full. Results are kept, and a hint names the next command."""

import errno
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from iosonde.records import Operation, Outcome
from iosonde.store import load_run
from iosonde.vocabulary import FailureKind
from tests.commands import command, few_cells, iosonde
from tests.procedure_files import phase_text, procedures_text


def test_a_full_disk_under_the_run_directory_loses_no_finished_cell_and_the_run_goes_on_when_there_is_room(
    tmp_path: Path, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    directory = small_disk / "run"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, (20 << 20) - (200 << 10))
    campaign = few_cells(tmp_path, order='"listed"')
    text = campaign.read_text(encoding="utf-8").replace("repeats = 2", "repeats = 8")
    # On a busy host, a cell of 80 ms may complete no operation.
    campaign.write_text(text.replace('duration = "80ms"', 'duration = "120ms"'), encoding="utf-8")
    words = ("run", tmp_path / "target.data", "--size", "16MiB", "--buffered", "--profile", campaign)
    ended = iosonde(*words, "--out", directory)
    assert ended.returncode == 7, ended.stderr
    lines = ended.stderr.splitlines()
    assert lines[-2] == f"error: cannot write {directory}/journal: No space left on device"
    assert lines[-1].endswith(f"then run `iosonde resume {directory} --overwrite` to continue")
    kept = load_run(directory)
    assert sum(cell.outcome is Outcome.FINISHED for cell in kept.cells) > 3
    assert not (tmp_path / "target.data").exists()
    ballast.unlink()
    resumed = iosonde("resume", "--no-report", "--overwrite", directory)
    assert resumed.returncode == 0, resumed.stderr
    run = load_run(directory)
    assert run.finished
    assert [cell.order for cell in run.cells] == list(range(1, 33))
    assert run.cells[: len(kept.cells) - 1] == kept.cells[:-1]


def test_a_full_disk_under_the_target_is_told_before_anything_is_measured(small_disk: Path, tmp_path: Path) -> None:
    with (small_disk / "sparse").open("wb") as file:
        file.truncate(64 << 20)
    ended = iosonde("run", small_disk / "sparse", "--quick", "--buffered", "--overwrite", "--out", tmp_path / "run")
    assert ended.returncode == 3, ended.stderr
    assert "error: the preconditioning write did not complete: write at offset" in ended.stderr
    assert "No space left on device (ENOSPC)" in ended.stderr
    assert "hint: free some space, or check the device's health (dmesg); then run `iosonde resume" in ended.stderr


PRECONDITIONED = procedures_text(
    "preconditioned",
    first=(
        phase_text(
            "preconditioning",
            {"pattern": "sequential", "read": 0, "block_size": "128KiB", "capacities": 1},
            role="preconditioning",
        ),
        phase_text("rounds", {"read": 0, "duration": "100ms"}, rounds=3),
    ),
)


def test_a_procedure_whose_preconditioning_fails_is_not_measured(small_disk: Path, tmp_path: Path) -> None:
    with (small_disk / "sparse").open("wb") as file:
        file.truncate(64 << 20)
    (tmp_path / "own.toml").write_text(PRECONDITIONED, encoding="ascii")
    words = ("--profile", tmp_path / "own.toml", "--buffered", "--overwrite", "--no-report", "--out", tmp_path / "run")
    ended = iosonde("run", small_disk / "sparse", *words)

    assert ended.returncode == 3, ended.stderr
    assert "error: first-sequential-write-128KiB-qd1: " in ended.stderr
    assert [turn.phase for turn in load_run(tmp_path / "run").turns] == ["preconditioning"]


ROOM_BYTES = 20 << 20
TRIMMED = """
name = "trimmed"
repeats = 1
warmup = "0s"
order = "listed"
duration = "{duration}"
[[experiment]]
name = "trims"
pattern = "random"
read = 0
trim = 50
block_size = "4KiB"
queue_depth = 2
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 2
duration = "300ms"
"""


def take_all_room(path: Path, until: Callable[[], bool]) -> None:
    """Fills the file system with a file, and takes all space that becomes free later."""
    with path.open("wb", buffering=0) as ballast:
        while not until():
            try:
                ballast.write(bytes(64 << 10))
            except OSError:
                time.sleep(0.005)


@pytest.mark.parametrize("engine", ["psync", "io_uring"])
def test_a_file_system_that_fills_up_under_a_cell_fails_that_cell_and_no_other(
    small_disk: Path, tmp_path: Path, engine: str
) -> None:
    # A file takes the space that trims free, so the next write to a trimmed block fails.
    campaign = tmp_path / "trimmed.toml"
    campaign.write_text(TRIMMED.format(duration="30s"))
    directory = tmp_path / "run"
    words = ("--size", "16MiB", "--buffered", "--engine", engine, "--profile", campaign, "--out", directory)
    run = subprocess.Popen(
        command("run", small_disk, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (directory / "run.json").exists():
        assert run.poll() is None, run.communicate()[1]
        time.sleep(0.02)
    time.sleep(2)
    take_all_room(small_disk / "ballast", lambda: run.poll() is not None)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 5, errors
    error, hint = errors.splitlines()[-2:]
    what = "error: 1 of 2 measurements failed, the first in random-mix0-trim50-4KiB-qd2: "
    assert error.startswith(what)
    assert "ENOSPC" in error.removeprefix(what)
    assert hint.startswith("hint: free some space on the target's file system; ")
    trims, reads = load_run(directory).cells
    assert (trims.outcome, reads.outcome) == (Outcome.FAILED, Outcome.FINISHED)
    assert trims.failure is not None
    assert (trims.failure.kind, trims.failure.errno) == (FailureKind.NO_SPACE, errno.ENOSPC)
    assert {fault.errno_name for fault in trims.faults} == {"ENOSPC"}
    # Only the operations in flight when the disk became full may fail.
    assert 1 <= sum(fault.count for fault in trims.faults) <= 2
    writes = trims.operations[Operation.WRITE]
    assert writes.bytes == writes.count * 4096 == sum(writes.latency.count) * 4096
    assert not list(small_disk.glob("*.data"))
