"""Full disks: of the run directory and of the target. What was measured stays, and the next command is named."""

import os
from pathlib import Path

from iosonde.records import Outcome
from iosonde.store import load_run
from tests.commands import few_cells, iosonde


def test_a_full_disk_under_the_run_directory_loses_no_finished_cell_and_the_run_goes_on_when_there_is_room(
    tmp_path: Path, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    directory = small_disk / "run"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, (20 << 20) - (200 << 10))
    campaign = few_cells(tmp_path, order='"listed"')
    text = campaign.read_text(encoding="utf-8").replace("repeats = 2", "repeats = 8")
    # On a busy host 40 ms can pass without an operation.
    campaign.write_text(text.replace('duration = "40ms"', 'duration = "120ms"'), encoding="utf-8")
    words = ("run", tmp_path / "target.data", "--size", "16MiB", "--buffered", "--profile", campaign)
    ended = iosonde(*words, "--out", directory)
    assert ended.returncode == 7, ended.stderr
    lines = ended.stderr.splitlines()
    assert lines[-2] == f"error: can't write {directory}/journal: No space left on device"
    assert lines[-1].endswith(f"then `iosonde resume {directory}` goes on")
    kept = load_run(directory)
    assert sum(cell.outcome is Outcome.FINISHED for cell in kept.cells) > 3
    assert not (tmp_path / "target.data").exists()
    ballast.unlink()
    resumed = iosonde("resume", directory)
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
    assert "error: the target can't be written in full: write at offset" in ended.stderr
    assert "No space left on device (ENOSPC)" in ended.stderr
    assert "hint: make room, or look at its health (dmesg); then `iosonde resume" in ended.stderr
