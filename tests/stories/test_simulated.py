"""Runs on simulated drives have the same record on every machine, and after an interruption."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import iosonde
from iosonde.campaign import (
    NullObserver,
    RunRequest,
    TargetRequest,
)
from iosonde.errors import RecordError, UsageError
from iosonde.machine.local_host import LocalHost
from iosonde.plans import campaign_plan, read_campaign
from iosonde.plans.models import model_names
from iosonde.records import CellRecord, IntervalRecord, Outcome, RunRecord
from iosonde.store import Journal, load_run, summarise_run
from iosonde.vocabulary import EngineChoice
from tests.campaign_runs import measure, rest_of, resume
from tests.commands import few_cells
from tests.commands import iosonde as run_command
from tests.judging import findings_of
from tests.stories.moments import Unbroken
from tests.stories.short_runs import DONE, Child, fork

CAMPAIGN = read_campaign(
    """
name = "simulated"
repeats = 4
warmup = "10ms"
duration = "50ms"
[[experiment]]
name = "all"
pattern = ["random", "sequential"]
read = [100, 50, 0]
block_size = "4KiB"
queue_depth = [1, 8]
""",
    "simulated.toml",
)
WORDS = ("sim:mmc,seed=5", "sim:mm1,seed=6")


def run_simulated(directory: Path, seed: int = 3, observer: NullObserver | None = None) -> None:
    target = TargetRequest(WORDS, size_bytes=64 << 20, overwrite=False, buffered=False, writes=True, quick=False)
    request = RunRequest(
        host=LocalHost(),
        target=target,
        engine=EngineChoice.AUTO,
        plan=lambda ground: campaign_plan(CAMPAIGN, ground, quick=False, seed=seed),
    )
    measure(request, directory, observer)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Unbroken:
    directory = tmp_path_factory.mktemp("unbroken") / "run"
    started = time.monotonic()
    assert fork(lambda: run_simulated(directory)).wait() == DONE
    return Unbroken(load_run(directory), directory, time.monotonic() - started)


def test_the_same_seeds_give_the_same_cells_to_the_last_bit(unbroken: Unbroken, tmp_path: Path) -> None:
    run_simulated(tmp_path / "again")
    again = load_run(tmp_path / "again")
    assert (again.preparation, again.cells) == (unbroken.run.preparation, unbroken.run.cells)
    run_simulated(tmp_path / "other", seed=4)
    assert load_run(tmp_path / "other").cells != again.cells


def test_the_record_holds_the_drive_and_its_state_after_each_cell(unbroken: Unbroken) -> None:
    run = unbroken.run
    targets = run.header.targets
    assert [target.path for target in targets] == list(WORDS)
    assert [target.kind for target in targets] == ["simulation", "simulation"]
    assert targets[1].simulation is not None
    assert targets[1].simulation.table["servers"] == 1
    assert all(len(cell.drives) == 2 for cell in run.cells)
    assert all(cell.cpu is None for cell in run.cells)
    assert run.header.hello.overhead_ns_per_io is None
    written = [cell.drives[0].health.host_written_bytes or 0 for cell in run.cells]
    assert written == sorted(written)
    assert written[0] >= 64 << 20, "the drive was filled first"
    assert len({cell.drives[0].state_hash for cell in run.cells}) == len(run.cells)


def broken_off(directory: Path, end: Callable[[Child], None]) -> RunRecord | None:
    child = fork(lambda: run_simulated(directory))
    end(child)
    child.wait()
    try:
        return load_run(directory)
    except RecordError:
        return None


def assert_same(resumed: RunRecord, whole: RunRecord, what: str) -> None:
    assert resumed.finished, what
    assert resumed.damage is None, what
    assert resumed.preparation == whole.preparation, what
    assert resumed.cells == whole.cells, what
    assert all(cell.outcome is Outcome.CUT for cell in resumed.superseded), what


def test_a_resumed_record_is_the_unbroken_one_wherever_the_front_was_killed(unbroken: Unbroken, tmp_path: Path) -> None:
    whole = unbroken.run
    in_the_middle = 0
    trial_s = unbroken.seconds / len(whole.cells)
    for number, moment in enumerate(unbroken.moments(20_261_121, 12, trial_s=trial_s)):
        directory = tmp_path / str(number)
        before = broken_off(directory, lambda child: child.kill_at(moment, directory))  # noqa: B023 - called at once
        if before is None:
            continue
        in_the_middle += 0 < len(before.cells) < len(whole.cells)
        assert fork(lambda: resume(directory)).wait() == DONE  # noqa: B023 - as above
        assert_same(load_run(directory), whole, f"killed {moment}")
    assert in_the_middle > 3, "the moments must have met runs in the middle, or this shows nothing"


class Interrupting(NullObserver):
    """Sends SIGINT during the cell after this number of cells."""

    def __init__(self, cells: int) -> None:
        self.left = cells

    def cell_finished(self, record: CellRecord) -> None:  # noqa: ARG002 - the signature of an observer
        self.left -= 1

    def interval(self, interval: IntervalRecord) -> None:  # noqa: ARG002 - as above
        if self.left == 0:
            self.left -= 1
            os.kill(os.getpid(), signal.SIGINT)


def interrupted_after(cells: int, directory: Path) -> RunRecord:
    assert fork(lambda: run_simulated(directory, observer=Interrupting(cells))).wait() != DONE
    return load_run(directory)


def test_a_resumed_record_is_the_unbroken_one_after_ctrl_c(unbroken: Unbroken, tmp_path: Path) -> None:
    whole = unbroken.run
    for number in (1, 20, 40):
        directory = tmp_path / str(number)
        before = interrupted_after(number, directory)
        assert not before.finished
        assert len(before.cells) >= number
        resume(directory)
        assert_same(load_run(directory), whole, f"interrupted after {number} cells")


def test_a_resumption_that_is_killed_while_it_replays_can_be_resumed(unbroken: Unbroken, tmp_path: Path) -> None:
    whole = unbroken.run
    directory = tmp_path / "run"
    interrupted_after(30, directory)
    for share in (0.1, 0.3, 0.6):
        child = fork(lambda: resume(directory))
        child.kill_after(unbroken.seconds * share)
        child.wait()
    resume(directory)
    assert_same(load_run(directory), whole, "killed three times more")


def with_last_cell(directory: Path, change: Callable[[CellRecord], CellRecord]) -> None:
    """Appends a changed copy of the last cell of a run."""
    last = load_run(directory, intervals=False).cells[-1]
    with Journal(directory / "journal", go_on=True) as journal:
        journal.cell(change(last))


def test_a_drive_in_another_state_than_the_recorded_one_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    interrupted_after(5, directory)

    def forged(cell: CellRecord) -> CellRecord:
        drives = (cell.drives[0].model_copy(update={"state_hash": "0" * 16}), *cell.drives[1:])
        return cell.model_copy(update={"drives": drives, "outcome": Outcome.FINISHED})

    with_last_cell(directory, forged)
    with pytest.raises(
        RecordError, match=r"simulated drive 1 has state .* after the replay, but the recorded state is 0{16}"
    ) as told:
        resume(directory)
    assert "start a new run with the same seeds" in told.value.hint


def test_what_a_simulated_drive_failed_at_is_not_tried_again(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    interrupted_after(2, directory)
    with pytest.raises(
        UsageError, match="--failed does not apply to simulated drives, whose failures are defined by the model"
    ):
        rest_of(directory, failed_again=True)


def test_virtual_time_gives_a_listing_its_duration(unbroken: Unbroken, tmp_path: Path) -> None:
    run_simulated(tmp_path / "run")
    last = unbroken.run.cells[-1].clock_end
    assert last is not None
    assert summarise_run(tmp_path / "run", lambda _: ()).duration_ns == last.wall_ns
    ended = run_command("list", tmp_path, "--json")
    listed = json.loads(ended.stdout)[0]
    assert (listed["simulated"], listed["targets"]) == (True, list(WORDS))


def test_nothing_is_said_of_hosts_and_clocks(unbroken: Unbroken, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    interrupted_after(5, directory)
    resume(directory)
    run = load_run(directory)
    host = run.header.host.model_copy(update={"cpu_quota": 0.5, "virtual_machine": "kvm", "cpus_allowed": 1})
    crowded = run.model_copy(update={"header": run.header.model_copy(update={"host": host})})
    assert {finding.id for finding in findings_of(crowded)} <= {
        "targets-uneven",
        "repeats-differ",
        "slowest-by-target",
    }
    assert len(run.sessions) == 1
    assert len(unbroken.run.sessions) == 0


@pytest.mark.parametrize("model", model_names())
def test_every_shipped_model_runs(model: str) -> None:
    run = iosonde.probe(f"sim:{model}", size="64MiB", duration="100ms", warmup="0s", queue_depth=4, seed=1)
    assert run.header.target.simulation is not None
    assert run.header.target.simulation.model == model


def test_a_model_of_ones_own_is_a_target_too(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'kind = "queueing"\ntitle = "mine"\nabout = "Slow."\n'
        'size_bytes = 67_108_864\nservers = 1\nservice = "constant"\nservice_ns = 1_000_000\n',
        encoding="utf-8",
    )
    ended = run_command("probe", "sim:./mine.toml", "--duration", "1s", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "SIMULATED" in ended.stdout
    assert "1,000" in ended.stdout


FRAIL = """kind = "queueing"
title = "frail"
about = "Four servers, and what goes wrong with them."
size_bytes = 67_108_864
servers = 4
service = "constant"
service_ns = 1_000_000

[[faults]]
"""


@pytest.mark.parametrize(
    ("fault", "exit_code", "words"),
    [
        ('kind = "stall"\nfrom_ns = 120_000_000\nuntil_ns = 160_000_000', 0, "faults.0</dt>"),
        (
            'kind = "media_error"\noffset_bytes = 0\nlength_bytes = 1_048_576\noperations = "reads"',
            5,
            "failed (EIO)",
        ),
        (
            'kind = "disappearance"\nfrom_ns = 200_000_000\nin_flight = "fail"',
            5,
            "No such device (ENODEV)",
        ),
    ],
    ids=["stall", "media_error", "disappearance"],
)
def test_a_drive_that_fails_on_a_schedule_is_recorded_and_says_so(
    tmp_path: Path, fault: str, exit_code: int, words: str
) -> None:
    (tmp_path / "frail.toml").write_text(FRAIL + fault + "\n", encoding="utf-8")
    ended = run_command(
        "run", "sim:./frail.toml", "--profile", few_cells(tmp_path), "--seed", 1, "--out", "run", folder=tmp_path
    )
    assert ended.returncode == exit_code, ended.stderr
    assert "INJECTED FAULTS" in ended.stdout
    assert "1 scheduled fault" in ended.stderr
    assert words in (tmp_path / "run/report.html").read_text(encoding="utf-8")


def test_a_worker_waits_for_a_slow_drive_that_still_completes_operations_of_others(tmp_path: Path) -> None:
    # Operations complete one by one in the order of the workers: the last worker hears nothing for three times 32 s.
    slow = FRAIL.replace("servers = 4", "servers = 1").replace("service_ns = 1_000_000", "service_ns = 1_000_000_000")
    (tmp_path / "slow.toml").write_text(slow.removesuffix("\n[[faults]]\n"), encoding="utf-8")
    words = ("--read", "0", "--queue-depth", "32", "--jobs", "4", "--duration", "100s", "--warmup", "0s", "--json")
    ended = run_command("probe", "sim:./slow.toml", *words, folder=tmp_path)
    assert "did not complete" not in ended.stderr
    assert json.loads(ended.stdout)["cells"][0]["operations"]["write"]["count"] in {99, 100}


def test_a_drive_that_never_answers_again_ends_the_run_and_offers_no_resumption(tmp_path: Path) -> None:
    (tmp_path / "frail.toml").write_text(f'{FRAIL}kind = "stall"\nfrom_ns = 200_000_000\n', encoding="utf-8")
    ended = run_command(
        "run", "sim:./frail.toml", "--profile", few_cells(tmp_path), "--seed", 1, "--out", "run", folder=tmp_path
    )
    assert ended.returncode == 3, ended.stderr
    assert "did not complete within 30 s" in ended.stderr
    assert "hint: check the faults defined in the model" in ended.stderr
    assert "iosonde resume" not in ended.stderr
    assert "run/report.html shows the results so far" in ended.stderr
    page = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert "did not complete within 30 s" in page
    assert {path.name for path in (tmp_path / "run").glob("*.parquet")} >= {"cells.parquet", "intervals.parquet"}


def test_a_run_that_an_error_ends_writes_tables_and_no_page_if_none_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "frail.toml").write_text(f'{FRAIL}kind = "stall"\nfrom_ns = 200_000_000\n', encoding="utf-8")
    words = ("sim:./frail.toml", "--profile", few_cells(tmp_path), "--seed", 1, "--no-report", "--out", "run")
    ended = run_command("run", *words, folder=tmp_path)
    assert ended.returncode == 3, ended.stderr
    assert "trials in run\n" in ended.stderr
    assert "report.html" not in ended.stderr
    assert not (tmp_path / "run/report.html").exists()
    assert {path.name for path in (tmp_path / "run").glob("*.parquet")} >= {"cells.parquet", "intervals.parquet"}


def test_a_run_says_everywhere_that_it_was_simulated(tmp_path: Path) -> None:
    campaign = few_cells(tmp_path)
    words = ("sim:mmc,seed=11", "--profile", campaign, "--seed", 1)
    ended = run_command("run", *words, "--out", tmp_path / "run", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "target    sim:mmc,seed=11 (1 GiB, simulated: M/M/4 queue)" in ended.stderr
    assert "SIMULATED" in ended.stdout
    page = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert "[simulated] iosonde: sim:mmc,seed=11" in page
    assert "simulated, model mmc, seed 11" in page
    assert "100,000" in page, "the parameters stand in the report"
    assert "SIMULATED" in run_command("show", tmp_path / "run").stdout
    listed = run_command("list", tmp_path, COLUMNS="200").stdout
    assert "finished, simulated" in listed
    assert "simulated M/M/4 queue" in listed
    planned = run_command("plan", *words, folder=tmp_path)
    assert "simulated: M/M/4 queue" in planned.stdout
    assert "simulated, fresh out of box: Data-centre" in run_command("plan", "sim:sata-dc", folder=tmp_path).stdout
    assert "virtual" in planned.stdout


def test_cells_on_one_and_on_several_drives_stand_side_by_side(tmp_path: Path) -> None:
    campaign = few_cells(tmp_path).read_text(encoding="utf-8") + "targets = [1, 2]\n"
    (tmp_path / "both.toml").write_text(campaign, encoding="utf-8")
    run = iosonde.run(
        "sim:fixed", "sim:fixed", size="64MiB", profile=tmp_path / "both.toml", seed=2, out=tmp_path / "run"
    )
    counted = {
        (cell.cell, cell.repeat): sum(totals.count for totals in cell.operations.values())
        for cell in load_run(run.path or tmp_path).cells
    }
    assert counted["random-read-4KiB-qd2-targets2", 1] == 2 * counted["random-read-4KiB-qd2", 1]
