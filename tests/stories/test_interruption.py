"""Runs that are broken off: what was measured is kept, what was made is removed, the exit code says what happened."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.records import Outcome
from iosonde.store import load_run
from tests.commands import command


def start(folder: Path, directory: Path) -> subprocess.Popen[str]:
    words = ["run", folder, "--quick", "--size", "16MiB", "--buffered", "--out", directory]
    return subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_cells(process: subprocess.Popen[str], number: int) -> None:
    """Reads what the run says until so many cells are done."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(f"[{number}/"):
            return
    pytest.fail("the run ended too early")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_keeps_its_cells_and_the_cut_one_and_removes_its_file(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    directory = tmp_path / "run"
    process = start(tmp_path, directory)
    wait_for_cells(process, 2)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == code, stderr
    assert time.monotonic() - sent < 2
    assert "Traceback" not in stderr
    assert "interrupted" in stderr
    record = load_run(directory)
    assert not record.finished
    assert [cell.outcome for cell in record.cells[:2]] == [Outcome.FINISHED, Outcome.FINISHED]
    assert record.cells[-1].outcome is Outcome.CUT
    assert record.cells[-1].intervals
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_engine_that_is_killed_is_named_and_finished_cells_are_kept(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    process = start(tmp_path, directory)
    wait_for_cells(process, 2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    engines = [int(child) for child in children]
    assert len(engines) == 1
    subprocess.run(["kill", "-9", str(engines[0])], check=True)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 4
    assert "the engine was ended by SIGKILL" in stderr
    assert len(load_run(directory).cells) >= 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
