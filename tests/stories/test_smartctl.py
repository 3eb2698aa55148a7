"""The health of a drive that is not NVMe comes from smartctl. The program here is a stand-in, the disk a real one."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from iosonde import open_run
from iosonde.campaign.drive_health import SmartReader
from iosonde.machine.local_host import LocalHost
from iosonde.records import DriveHealth, HealthSource, RunRecord
from iosonde.sources import EngineSource
from tests.commands import few_cells, iosonde
from tests.stories.standin_smartctl import LBAS_PER_CALL, StandinSmartctl

GIB = 1 << 30


@pytest.fixture
def disk(tmp_path: Path) -> str:
    """The disk below the test's folder, which has to be one that smartctl would be asked for."""
    source = EngineSource()
    try:
        drives = source.health(tmp_path)
    finally:
        source.end()
    asked = [each.disk for each in SmartReader(LocalHost()).completed(drives) if is_smart(each.health)]
    if not asked:
        pytest.skip(f"the disk of {tmp_path} is an NVMe drive, virtual, or unknown")
    return asked[0]


def is_smart(health: DriveHealth) -> bool:
    """Whether smartctl was called for it."""
    return health.source is HealthSource.SMARTCTL or "smartctl" in health.missing


def measured(folder: Path, path: str) -> RunRecord:
    run = folder / "run"
    words = ("run", folder, "--profile", few_cells(folder), "--size", "16MiB", "--buffered", "--out", run)
    ended = iosonde(*words, PATH=path)
    # On a busy machine, nothing may complete in a cell of 80 ms.
    assert ended.returncode in {0, 5}, ended.stderr
    return open_run(run).record


def with_standin(standin: StandinSmartctl) -> str:
    return f"{standin.folder}:{os.environ['PATH']}"


def test_a_run_has_the_health_before_and_after_each_trial(tmp_path: Path, disk: str) -> None:
    standin = StandinSmartctl(tmp_path / "bin")
    run = measured(tmp_path, with_standin(standin))
    trials = (*run.preparation, *run.cells)
    # At the start and the end of the run, and twice in each trial.
    assert len(standin.told) == 2 + 2 * len(trials)
    assert all(each.endswith(f" /dev/{disk}") for each in standin.told)
    for record in trials:
        (state,) = record.drives
        assert state.before is not None
        assert (state.before.source, state.health.source) == (HealthSource.SMARTCTL, HealthSource.SMARTCTL)
        written = state.health.host_written_bytes, state.before.host_written_bytes
        assert None not in written
        assert int(written[0] or 0) - int(written[1] or 0) == LBAS_PER_CALL * 512
        assert (state.health.media_written_unit_bytes, state.health.wear_percent) == (GIB, 4)
        assert state.health.missing == ""
    assert run.end is not None
    assert [each.health.power_cycles for each in (*run.header.drives, *run.end.drives)] == [40, 40]
    page = (tmp_path / "run/report.html").read_text()
    assert f"Health of {disk}" in page
    assert "smartctl" in page


@pytest.mark.parametrize("refuses", ["Smartctl open device: /dev/sda failed: Permission denied", ""])
def test_without_an_answer_the_run_says_why_and_goes_on(tmp_path: Path, disk: str, refuses: str) -> None:
    path = with_standin(StandinSmartctl(tmp_path / "bin", refuses=refuses)) if refuses else "/nonexistent"
    reason = f"smartctl: {refuses}" if refuses else "smartctl was not found on the PATH"
    run = measured(tmp_path, path)
    (start,) = (each for each in run.header.drives if each.disk == disk)
    assert start.health.source is not HealthSource.SMARTCTL
    assert start.health.missing.startswith(reason)
    assert all(state.health.missing.startswith(reason) for record in run.cells for state in record.drives)
    page = (tmp_path / "run/report.html").read_text()
    assert reason in page


def test_doctor_says_what_smartctl_reads_or_why_it_cannot(tmp_path: Path, disk: str) -> None:
    del disk
    path = with_standin(StandinSmartctl(tmp_path / "bin"))
    assert health_lines(tmp_path, path)["wear"]["value"] == "4 % of its rated life used"
    without = health_lines(tmp_path, "/nonexistent")
    (unknown,) = (each for each in without.values() if each["state"] == "unknown")
    assert unknown["reason"] == "smartctl was not found on the PATH (Debian: apt install smartmontools)"


def health_lines(folder: Path, path: str) -> dict[str, Any]:
    ended = iosonde("doctor", folder, "--json", PATH=path)
    assert ended.returncode == 0, ended.stderr
    return {each["subject"]: each for each in json.loads(ended.stdout)["lines"] if each["group"].startswith("Health")}
