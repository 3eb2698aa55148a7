"""Each standard procedure runs from its purge to its report on a simulated drive, smaller and shorter by a scale."""

from pathlib import Path

import pytest

from iosonde.records import RunRecord, SteadyState
from iosonde.store import load_run
from iosonde.vocabulary import Outcome, PurgeState
from tests.commands import iosonde

SNIA = ("pts-iops", "pts-tp", "pts-lat", "pts-wsat", "pts-hir", "pts-xsr", "pts-cbw", "pts-dirth")
TKPERF = ("tkperf-iops", "tkperf-tp", "tkperf-lat", "tkperf-writesat")
SCALE = 300
# At depth 1, a cell of 0.2 s has less than a hundred operations of 1 MiB, so a mix of 95 % reads may have no write.
SCALES = {"tkperf-iops": 90}


HARD_DISK = ("tkperf-hdd-iops", "tkperf-hdd-tp")
# Seeks are not scaled: in shorter trials, some have no operation.
HARD_DISK_SCALE = 100


def run(folder: Path, profile: str) -> RunRecord:
    target, words = f"sim:sata-dc,seed=3,scale={SCALES.get(profile, SCALE)}", list[str]()
    if profile in HARD_DISK:
        target, words = "sim:disk-7200,seed=3", ["--time-scale", str(HARD_DISK_SCALE)]
    done = iosonde("run", target, "--profile", profile, "--seed", "5", *words, "--out", folder / "run", folder=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "run" / "report.html").stat().st_size
    return load_run(folder / "run", intervals=False)


@pytest.mark.parametrize("profile", [*SNIA, *TKPERF, *HARD_DISK, "sustained-write"])
def test_a_procedure_runs_through_all_of_its_phases(profile: str, tmp_path: Path) -> None:
    found = run(tmp_path, profile)
    assert found.finished
    assert {each.outcome for each in found.cells} == {Outcome.FINISHED}
    planned = [(each.name, phase.name) for each in found.header.plan.procedures for phase in each.phases]
    assert list(dict.fromkeys((turn.procedure, turn.phase) for turn in found.turns)) == planned
    starts = {each.procedure: each.purge for each in found.procedure_starts}
    # TKperf does not purge hard disks.
    purge = PurgeState.SKIPPED if profile in HARD_DISK else PurgeState.SIMULATED
    assert starts == {each.name: purge for each in found.header.plan.procedures}
    scaled = f"1:{HARD_DISK_SCALE} in time" if profile in HARD_DISK else "in capacity and time"
    assert scaled in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_rounds_follow_the_nesting_of_the_specification(tmp_path: Path) -> None:
    found = run(tmp_path, "pts-lat")
    (procedure,) = found.header.plan.procedures
    rounds = next(phase for phase in procedure.phases if isinstance(phase.stop, SteadyState))
    last = max(turn.round or 0 for turn in found.turns if turn.phase == rounds.name)
    for number in range(1, last + 1):
        mine = tuple(turn.cell for turn in found.turns if (turn.phase, turn.round) == (rounds.name, number))
        assert mine == rounds.cells


SHORT = ("pts-like-iops", "pts-like-tp", "pts-like-lat", "pts-like-cbw", "pts-like-dirth")


@pytest.mark.parametrize("profile", SHORT)
def test_a_short_form_says_that_it_is_one_and_measures_its_matrix_once_steady(profile: str, tmp_path: Path) -> None:
    # On a smaller drive, trials of 4 s would last a few milliseconds.
    target = f"sim:sata-dc,seed=3,scale={64 if profile == 'pts-like-tp' else 32}"
    done = iosonde("run", target, "--profile", profile, "--seed", "5", "--out", tmp_path / "run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PTS-LIKE  Short forms, which must not be presented as the tests themselves" in done.stdout
    assert "steady state reached in round" in done.stdout
    found = load_run(tmp_path / "run", intervals=False)
    assert {each.outcome for each in found.cells} == {Outcome.FINISHED}
    matrix = [turn for turn in found.turns if turn.phase in ("matrix", "demand variation")]
    assert {turn.round for turn in matrix} <= {1}
    text = iosonde("report", tmp_path / "run", "--markdown", tmp_path / "run.md", folder=tmp_path)
    assert text.returncode == 0, text.stderr
    assert "This is a short form (PTS-like)" in (tmp_path / "run.md").read_text(encoding="utf-8")
    if profile != "pts-like-tp":
        assert "fast-random (assumes an over-provisioning of 15 %)" in (tmp_path / "run.md").read_text(encoding="utf-8")


def test_modelled_writes_without_a_purge_leave_the_preconditioning_unknown(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(bytes(16 << 20))
    words = ("--profile", "pts-like-tp", "--overwrite", "--time-scale", "100", "--out", tmp_path / "tp")
    assert iosonde("run", target, *words, folder=tmp_path).returncode in {0, 5}
    assert "Preconditioning | verified" in report_of(tmp_path / "tp")
    words = ("--profile", "pts-like-lat", "--overwrite", "--time-scale", "100", "--out", tmp_path / "lat")
    assert iosonde("run", target, *words, folder=tmp_path).returncode in {0, 5}
    assert "modelled for an empty drive, but no purge was verified" in report_of(tmp_path / "lat")


def report_of(run: Path) -> str:
    page = run.with_suffix(".md")
    assert iosonde("report", run, "--markdown", page).returncode == 0
    return page.read_text(encoding="utf-8")
