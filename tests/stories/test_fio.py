"""Runs with ``--engine fio``, from the command to the report. iosonde still protects the targets."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iosonde.records import CellRecord, Engine, Operation, Outcome, Phase, RunRecord, Sync
from iosonde.sources.fio.output import LAYOUT
from iosonde.store import load_run
from iosonde.vocabulary import FailureKind
from tests.commands import command, iosonde
from tests.judging import findings_of

pytestmark = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")

# Nominally one second, plus a margin for a machine that runs other tests.
ENDS_WITHIN_S = 3.0
CAMPAIGN = """
name = "small"
repeats = 1
warmup = "100ms"
duration = "{duration}"

[[experiment]]
name = "both ways"
kind = "baseline"
pattern = ["random", "sequential"]
read = [100, 0]
block_size = "4KiB"
queue_depth = 1

[[experiment]]
name = "commits"
kind = "baseline"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 1
sync = "fdatasync"
"""


def probed(folder: Path, *words: str, targets: Sequence[str] = (".",)) -> tuple[RunRecord, CellRecord]:
    asked = ["--engine", "fio", "--size", "16MiB", "--buffered", "--json", "--warmup", "100ms"]
    ended = iosonde("probe", *targets, *asked, *words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    run = RunRecord.model_validate(json.loads(ended.stdout)["run"])
    return run, run.cells[0]


def test_a_probe_by_fio_fills_the_record(tmp_path: Path) -> None:
    run, cell = probed(tmp_path, "--read", "70", "--queue-depth", "4", "--jobs", "2", "--duration", "600ms")
    assert (run.header.engine, run.header.engine_asked) == (Engine.FIO, "fio")
    assert run.header.hello.fio is not None
    assert run.header.hello.fio.startswith("fio-3.")
    assert cell.outcome is Outcome.FINISHED
    assert set(cell.operations) == {Operation.READ, Operation.WRITE}
    for operation, totals in cell.operations.items():
        seen = [each.operations[operation] for each in cell.intervals if operation in each.operations]
        assert sum(each.count for each in seen) == totals.count == sum(totals.latency.count)
        assert totals.bytes == pytest.approx(totals.count * 4096, abs=16 * 4096)
        assert totals.latency.layout == LAYOUT
    share = cell.operations[Operation.READ].count / sum(each.count for each in cell.operations.values())
    assert share == pytest.approx(0.7, abs=0.05)
    assert cell.measured_ns == pytest.approx(600 * 10**6, rel=0.1)
    assert len([each for each in cell.intervals if each.phase is Phase.MEASURE]) > 1
    assert not list(tmp_path.iterdir())


def test_the_record_has_the_arguments_with_which_anybody_can_do_it_again(tmp_path: Path) -> None:
    path = tmp_path / "a:b c.data"
    path.write_bytes(os.urandom(16 << 20))
    ended = iosonde(
        "probe", path, "--engine", "fio", "--buffered", "--json", "--warmup", "100ms", "--duration", "300ms"
    )
    assert ended.returncode == 0, ended.stderr
    cell = RunRecord.model_validate(json.loads(ended.stdout)["run"]).cells[0]
    assert cell.by_fio is not None
    again = subprocess.run(["fio", *cell.by_fio.arguments], capture_output=True, check=False, text=True)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout[again.stdout.rindex("\n{\n") :])["jobs"][0]["read"]["total_ios"] > 0
    assert path.exists()


def campaign(folder: Path, duration: str = "300ms", text: str = CAMPAIGN) -> list[str]:
    (folder / "small.toml").write_text(text.format(duration=duration), encoding="utf-8")
    asked = ["--profile", "small.toml", "--engine", "fio", "--size", "16MiB", "--buffered", "--seed", "5"]
    return ["run", ".", *asked, "--out", "run"]


def test_a_campaign_by_fio_has_a_report_that_says_who_measured(tmp_path: Path) -> None:
    ended = iosonde(*campaign(tmp_path), folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    run = load_run(tmp_path / "run")
    assert run.finished
    assert [cell.outcome for cell in run.cells] == [Outcome.FINISHED] * 5
    (fill,) = run.preparation
    # The engine holds the lock on the target, and does the preconditioning write itself.
    assert fill.own_engine is not None
    durable = next(cell for cell in run.cells if cell.workload.sync is Sync.FDATASYNC)
    assert durable.by_fio is not None
    assert durable.by_fio.ioengine == "psync"
    assert {Operation.WRITE, Operation.FLUSH} == set(durable.operations)
    found = {finding.id for finding in findings_of(run)}
    assert "measured-by-fio" in found
    assert not found & {"cell-failed", "depth-not-reached", "slowest-not-counted", "engine-by-cell"}
    page = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert f"{durable.by_fio.version}, ioengine psync" in page
    for words in (["report", "run", "--csv", "csv", "--markdown", "r.md"], ["export", "run", "--as", "archive"]):
        assert iosonde(*words, folder=tmp_path).returncode == 0
    assert "has no commit results because writes and flushes were timed separately" in " ".join(ended.stdout.split())


def started(folder: Path, words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command(*words), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def running_fio(process: subprocess.Popen[str]) -> int:
    """The process ID of the fio that measures, not of one that prints its version. Waits until it has started."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split():
            with contextlib.suppress(OSError):
                if b"--name=target-1" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                    return int(child)
        time.sleep(0.02)
    process.kill()
    process.communicate()
    pytest.fail("fio never began")


def is_gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").split(")")[1].split()[0] == "Z"
    except OSError:
        return True


def test_an_interruption_ends_fio_and_keeps_what_it_had_measured(tmp_path: Path) -> None:
    process = started(tmp_path, campaign(tmp_path, "5s"))
    fio = running_fio(process)
    time.sleep(2)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert time.monotonic() - sent < ENDS_WITHIN_S
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert is_gone(fio)
    (cut,) = load_run(tmp_path / "run").cells
    assert cut.outcome is Outcome.CUT
    assert 0 < cut.measured_ns < 5 * 10**9
    assert sum(totals.count for totals in cut.operations.values()) > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "small.toml"]


def test_a_run_by_fio_goes_on_with_fio(tmp_path: Path) -> None:
    process = started(tmp_path, campaign(tmp_path, "500ms"))
    running_fio(process)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    ended = iosonde("resume", "run", "--no-report", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    run = load_run(tmp_path / "run")
    assert run.finished
    assert all(cell.by_fio is not None for cell in run.cells)
    assert [cell.outcome for cell in run.cells] == [Outcome.FINISHED] * 5


def test_fio_ends_when_the_front_is_killed(tmp_path: Path) -> None:
    process = started(tmp_path, campaign(tmp_path, "30s"))
    fio = running_fio(process)
    process.kill()
    process.communicate(timeout=20)
    until = time.monotonic() + 5
    while not is_gone(fio) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_gone(fio)


def test_a_fio_that_is_killed_is_named_and_the_run_can_go_on(tmp_path: Path) -> None:
    process = started(tmp_path, campaign(tmp_path, "5s"))
    os.kill(running_fio(process), signal.SIGKILL)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 4
    assert "error: fio was killed by SIGKILL" in stderr
    assert "then run `iosonde resume run` to continue" in stderr


def test_a_file_that_is_cut_meanwhile_ends_the_run(tmp_path: Path) -> None:
    # Reads only, because writes would extend the file again.
    reads = CAMPAIGN.partition('[[experiment]]\nname = "commits"')[0].replace("[100, 0]", "100")
    process = started(tmp_path, campaign(tmp_path, "5s", reads))
    running_fio(process)
    time.sleep(1)
    (target,) = tmp_path.glob("*.data")
    os.truncate(target, 4096)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 3, stderr
    assert "changed from 16777216 to 4096 bytes" in stderr
    (failed,) = load_run(tmp_path / "run").cells
    assert failed.failure is not None
    assert failed.failure.kind is FailureKind.CHANGED


def test_a_rate_is_kept_and_its_wait_is_said_to_be_missing(tmp_path: Path) -> None:
    run, cell = probed(tmp_path, "--rate", "2k", "--duration", "1s")
    assert cell.operations[Operation.READ].count == pytest.approx(2_000, rel=0.2)
    assert cell.operations[Operation.READ].response is None
    found = {finding.id for finding in findings_of(run)}
    assert "waiting-not-counted" in found
    assert "saturated" not in found


def other_fio(folder: Path, version: str) -> dict[str, Any]:
    """The environment of a fake fio of another version, in which every measurement fails."""
    path = folder / "other-fio"
    complaint = 'echo "fio: engine not loadable" >&2; exit 1'
    path.write_text(
        f'#!/bin/sh\ncase "$1" in --version) echo {version};; --enghelp) echo io_uring;; *) {complaint};; esac\n',
        encoding="ascii",
    )
    path.chmod(0o755)
    return {"IOSONDE_FIO": str(path)}


def test_a_fio_that_measures_nothing_says_why(tmp_path: Path) -> None:
    environment = other_fio(tmp_path, "fio-3.33")
    words = ("probe", ".", "--engine", "fio", "--buffered", "--size", "16MiB")
    ended = iosonde(*words, folder=tmp_path, **environment)
    assert ended.returncode == 4
    assert "error: fio reported no results: fio: engine not loadable" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["other-fio"]


@pytest.mark.parametrize("version", ["fio-3.27", "fio-2.99"])
def test_a_fio_that_is_too_old_is_refused_before_anything_is_made(tmp_path: Path, version: str) -> None:
    ended = iosonde("probe", ".", "--engine", "fio", folder=tmp_path, **other_fio(tmp_path, version))
    assert ended.returncode == 4
    assert f"is {version}, which is too old" in ended.stderr
    assert "hint: install fio 3.28 or newer" in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["other-fio"]


def test_two_targets_are_measured_at_the_same_time(tmp_path: Path) -> None:
    _, cell = probed(tmp_path, "--duration", "400ms", "--jobs", "2", targets=("a.data", "b.data"))
    counts = [target.operations[Operation.READ].count for target in cell.targets]
    assert len(counts) == 2
    assert min(counts) > 0
    assert sum(counts) == cell.operations[Operation.READ].count
