"""Runs on several targets: measured, resumed or refused."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from iosonde.records import Operation, Outcome
from iosonde.store import load_run
from tests.commands import few_cells, iosonde
from tests.stories.test_meanwhile import own_file, replace, start, wait_for_first_cell

SHORT = ["--duration", "50ms", "--warmup", "10ms", "--size", "16MiB", "--buffered"]
SWEEP = """
name = "scaling"
repeats = 2
warmup = "10ms"
duration = "50ms"
[[experiment]]
name = "all"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 2
targets = [1, 2]
"""


def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "one", tmp_path / "two"]
    for folder in made:
        folder.mkdir()
    return made


def test_each_target_is_filled_and_measured_and_their_figures_add_up(tmp_path: Path) -> None:
    ended = iosonde("probe", *folders(tmp_path), *SHORT, "--queue-depth", "4", "--read", "50", "--json")
    assert ended.returncode == 0, ended.stderr
    run: dict[str, Any] = json.loads(ended.stdout)["run"]
    assert [share["operations"]["write"]["bytes"] for share in run["preparation"][0]["targets"]] == [16 << 20, 16 << 20]
    cell = run["cells"][0]
    for operation in ("read", "write"):
        counts = [share["operations"][operation]["count"] for share in cell["targets"]]
        assert all(counts)
        assert sum(counts) == cell["operations"][operation]["count"]
    assert cell["cell"] == "random-mix50-4KiB-qd4-targets2"
    paths = [run["header"]["target"]["path"], *(each["path"] for each in run["header"]["more_targets"])]
    assert [Path(path).parent.name for path in paths] == ["one", "two"]
    assert [list(folder.iterdir()) for folder in (tmp_path / "one", tmp_path / "two")] == [[], []]


def test_a_campaign_may_sweep_over_the_number_of_targets(tmp_path: Path) -> None:
    (tmp_path / "scaling.toml").write_text(SWEEP, encoding="utf-8")
    words = ["--profile", tmp_path / "scaling.toml", "--size", "16MiB", "--buffered", "--out", tmp_path / "run"]
    ended = iosonde("run", *folders(tmp_path), *words)
    assert ended.returncode == 0, ended.stderr
    run = load_run(tmp_path / "run")
    numbers = {cell.cell: len(cell.targets) for cell in run.cells}
    assert numbers == {"random-read-4KiB-qd2": 1, "random-read-4KiB-qd2-targets2": 2}
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Target 2" in page
    assert "each target" in page.lower()
    refused = iosonde("plan", tmp_path / "one", "--profile", tmp_path / "scaling.toml")
    assert refused.returncode == 2
    assert "needs 2 targets, but only 1 was specified" in refused.stderr


def test_a_run_on_several_targets_goes_on_after_it_was_killed(tmp_path: Path) -> None:
    one, two = folders(tmp_path)
    process = start(tmp_path, one, two, "--size", "16MiB", "--out", tmp_path / "run")
    wait_for_first_cell(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    ended = iosonde("resume", "--no-report", "--overwrite", tmp_path / "run")
    assert ended.returncode == 0, ended.stderr
    run = load_run(tmp_path / "run")
    assert [cell.outcome for cell in run.cells] == [Outcome.FINISHED] * 4
    assert all(share.operations[Operation.WRITE].count for cell in run.cells for share in cell.targets)
    assert [len(list(folder.iterdir())) for folder in (one, two)] == [0, 0]


def test_a_run_does_not_go_on_when_the_second_target_is_another(tmp_path: Path) -> None:
    one, two = folders(tmp_path)
    paths = [own_file(one), own_file(two)]
    process = start(tmp_path, *paths, "--overwrite", "--out", tmp_path / "run")
    wait_for_first_cell(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    replace(paths[1])
    ended = iosonde("resume", "--overwrite", tmp_path / "run")
    assert ended.returncode == 3
    assert f"{paths[1]} is not the file that was measured" in ended.stderr


def test_a_file_that_is_kept_is_not_filled_beside_a_new_one(tmp_path: Path) -> None:
    kept = own_file(tmp_path)
    content = kept.read_bytes()
    ended = iosonde("probe", kept, tmp_path / "new.data", *SHORT)
    assert ended.returncode == 3
    assert f"preconditioning the new file {tmp_path / 'new.data'}" in ended.stderr
    assert f"would also overwrite {kept}" in ended.stderr
    assert kept.read_bytes() == content
    assert not (tmp_path / "new.data").exists()


def test_the_shortest_target_tells_how_much_of_each_is_used(tmp_path: Path) -> None:
    long, short = tmp_path / "long", tmp_path / "short"
    long.write_bytes(os.urandom(32 << 20))
    short.write_bytes(os.urandom(16 << 20))
    ended = iosonde("probe", long, short, "--duration", "50ms", "--warmup", "10ms", "--buffered", "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["run"]["header"]["plan"]["span_bytes"] == 16 << 20


@pytest.mark.parametrize("twice", ["precious precious", "precious ./precious"])
def test_one_file_is_not_two_targets(tmp_path: Path, twice: str) -> None:
    (tmp_path / "precious").write_bytes(bytes(16 << 20))
    ended = iosonde("plan", *twice.split(), "--overwrite", folder=tmp_path)
    assert ended.returncode == 2
    assert "is specified twice" in ended.stderr


def test_the_directory_of_a_run_is_no_target_and_is_not_written_again(tmp_path: Path) -> None:
    words = ("run", "--no-report", "sim:mmc", "--profile", few_cells(tmp_path), "--out", "first")
    assert iosonde(*words, folder=tmp_path).returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()}
    target = iosonde("run", "first", "--size", "16MiB", "--quick", folder=tmp_path)
    assert (target.returncode, target.stderr.splitlines()[0]) == (
        3,
        "error: first is a run directory, not a target",
    )
    assert "`iosonde resume first` continues an interrupted run" in target.stderr
    again = iosonde(*words, folder=tmp_path)
    assert (again.returncode, again.stderr.splitlines()[0]) == (7, "error: first already contains a run")
    assert {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()} == before
