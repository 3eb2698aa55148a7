"""Interrupted runs keep their results, remove the file they created, and have an exit code for the cause."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.records import Operation, Outcome
from iosonde.store import load_run
from tests.commands import command, iosonde
from tests.procedure_files import phase_text, procedures_text

# Nominally one second, plus a margin for a machine that runs other tests.
ENDS_WITHIN_S = 3.0


def start(folder: Path, directory: Path) -> subprocess.Popen[str]:
    words = ["run", folder, "--quick", "--size", "16MiB", "--buffered", "--out", directory]
    return subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_cells(process: subprocess.Popen[str], number: int) -> None:
    """Reads the progress output until this number of trials is done."""
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(f"[{number} of "):
            return
    pytest.fail("the run ended too early")


def engine_of(process: subprocess.Popen[str]) -> int:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    assert len(children) == 1
    return int(children[0])


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
    assert time.monotonic() - sent < ENDS_WITHIN_S
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1].startswith(f"hint: `iosonde resume {directory}` continues the run; ")
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
    os.kill(engine_of(process), signal.SIGKILL)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 4
    assert "the engine was killed by SIGKILL" in stderr
    assert stderr.splitlines()[-1].endswith(f"then run `iosonde resume {directory}` to continue")
    assert len(load_run(directory).cells) >= 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_engine_that_no_longer_answers_holds_nobody_up(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    process = start(tmp_path, directory)
    wait_for_cells(process, 2)
    # A stopped engine does not respond, like one that waits for a hanging device.
    os.kill(engine_of(process), signal.SIGSTOP)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr
    assert time.monotonic() - sent < ENDS_WITHIN_S
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert "continues the run" in stderr.splitlines()[-1]


def test_a_second_ctrl_c_ends_at_once_with_the_way_on(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    process = start(tmp_path, directory)
    wait_for_cells(process, 2)
    os.kill(engine_of(process), signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130, stderr
    assert time.monotonic() - sent < 0.5
    # Between two cells nothing is pending, so the run may have ended before the second signal. The hint is the same.
    assert f"hint: `iosonde resume {directory}` continues the run" in stderr.splitlines()[-1]
    # Another process removes the file, and the run does not wait for it.
    until = time.monotonic() + 10
    while list(tmp_path.glob("*.data")) and time.monotonic() < until:
        time.sleep(0.02)
    assert not list(tmp_path.glob("*.data"))
    assert sum(cell.outcome is Outcome.FINISHED for cell in load_run(directory).cells) >= 2


READS_ONLY = procedures_text("reads", first=(phase_text("reads", {"read": 100, "duration": "200ms"}, rounds=6),))


def test_the_new_file_of_a_resumed_procedure_is_laid_out_before_it_is_read(tmp_path: Path) -> None:
    campaign, directory = tmp_path / "reads.toml", tmp_path / "run"
    campaign.write_text(READS_ONLY, encoding="ascii")
    words = ["run", tmp_path, "--profile", campaign, "--size", "16MiB", "--out", directory, "--no-report"]
    process = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    next(line for line in process.stderr if line.startswith("[2 of "))
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert f"saved 0 of at least 6 trials in {directory}" in told
    assert "first begins again when the run is resumed: a procedure does not allow a gap" in told
    assert sorted(each.name for each in tmp_path.iterdir()) == ["reads.toml", "run"]

    resumed = iosonde("resume", directory, "--no-report")

    assert resumed.returncode == 0, resumed.stderr
    run = load_run(directory)
    assert [each.made_anew for each in run.sessions] == [True]
    written = [each.operations[Operation.WRITE].bytes for each in run.preparation]
    assert written[-1:] == [16 << 20]
    assert "preconditioning: writing 16 MiB" in resumed.stderr
