"""A viewer follows a run of another process. It sees each cell as it ends, and has the same record at the end."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.records import CellRecord, Outcome, RunHeader, Session, SessionEnd
from iosonde.store import FollowedRun, NewInterval, News, load_run
from tests.commands import command, few_cells

CELLS = 8
LOOK_S = 0.02
WAIT_S = 120.0


class Viewer:
    """Polls a run, and keeps the news of each poll."""

    def __init__(self, run: Path) -> None:
        self.followed = FollowedRun(run, intervals=True)
        self.looks: list[list[News]] = []

    @property
    def told(self) -> list[News]:
        return [each for look in self.looks for each in look]

    @property
    def cells(self) -> list[CellRecord]:
        """The cells seen so far, without the preconditioning write."""
        return [each for each in self.told if isinstance(each, CellRecord) and each.order > 0]

    def look(self) -> None:
        try:
            self.looks.append(list(self.followed.news()))
        except RecordError:
            # The run has no header yet.
            assert not self.told

    def look_until_ended(self, process: subprocess.Popen[bytes]) -> None:
        """Polls until the process has ended. Kills it after ``WAIT_S``."""
        until = time.monotonic() + WAIT_S
        while process.poll() is None:
            self.look()
            time.sleep(LOOK_S)
            if time.monotonic() > until:
                process.kill()
        self.look()


def measure(folder: Path, target: str) -> subprocess.Popen[bytes]:
    campaign = few_cells(folder)
    text = campaign.read_text(encoding="utf-8")
    campaign.write_text(text.replace('"80ms"', '"400ms"'), encoding="utf-8")
    size = () if target.startswith("sim:") else ("--size", "16MiB", "--buffered")
    words = ("run", target, *size, "--profile", campaign, "--out", folder / "run")
    return start(folder, *words)


def start(folder: Path, *words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command(*words), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("target", ["sim:fixed", "."], ids=["a simulated drive", "a file"])
def test_a_viewer_sees_every_cell_and_has_the_record_in_the_end(tmp_path: Path, target: str) -> None:
    viewer = Viewer(tmp_path / "run")
    process = measure(tmp_path, target)
    viewer.look_until_ended(process)
    assert process.returncode == 0
    record = load_run(tmp_path / "run")
    assert viewer.followed.record() == record
    assert isinstance(viewer.told[0], RunHeader)
    assert sum(isinstance(each, RunHeader | SessionEnd) for each in viewer.told) == 2
    assert len(viewer.cells) == CELLS
    # The variation within a repeat is stored after its cell.
    assert [cell.model_copy(update={"within": None}) for cell in viewer.cells] == [
        cell.model_copy(update={"within": None}) for cell in record.cells
    ]
    intervals = [each.interval for each in viewer.told if isinstance(each, NewInterval) and each.order > 0]
    assert intervals == [interval for cell in record.cells for interval in cell.intervals]


def test_cells_are_seen_while_the_run_goes_on_and_their_intervals_before_them(tmp_path: Path) -> None:
    viewer = Viewer(tmp_path / "run")
    viewer.look_until_ended(measure(tmp_path, "."))
    by_cell = {
        cell.order: number for number, look in enumerate(viewer.looks) for cell in look if isinstance(cell, CellRecord)
    }
    by_interval: dict[int, int] = {}
    for number, look in enumerate(viewer.looks):
        for each in look:
            if isinstance(each, NewInterval):
                by_interval.setdefault(each.order, number)
    # On a busy host, the viewer may miss some polls.
    assert len(set(by_cell.values())) > CELLS / 2
    assert sum(by_interval[order] < number for order, number in by_cell.items()) > CELLS / 2


def test_a_viewer_follows_through_a_kill_and_the_resumption(tmp_path: Path) -> None:
    viewer = Viewer(tmp_path / "run")
    process = measure(tmp_path, ".")
    until = time.monotonic() + WAIT_S
    while len(viewer.cells) < 2 and time.monotonic() < until:
        viewer.look()
        time.sleep(LOOK_S)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    viewer.look()
    assert not viewer.followed.record().finished
    resumed = start(tmp_path, "resume", "run")
    viewer.look_until_ended(resumed)
    assert resumed.returncode == 0
    record = load_run(tmp_path / "run")
    assert viewer.followed.record() == record
    assert record.finished
    assert sum(isinstance(each, RunHeader) for each in viewer.told) == 1
    assert [each for each in viewer.told if isinstance(each, Session)] == list(record.sessions)
    assert {cell.order for cell in viewer.cells if cell.outcome is Outcome.FINISHED} == {
        cell.order for cell in record.cells
    }
