"""A run with limits ends at them, on real files and on simulated drives, and goes on with others."""

import json
import subprocess
from pathlib import Path

import pytest

from iosonde import open_run
from iosonde.records import Operation, Outcome, RunRecord
from tests.commands import iosonde

MIB = 1 << 20
WRITES = """
name = "writes"
repeats = 2
[[experiment]]
name = "writes"
pattern = "random"
read = 50
block_size = "4KiB"
queue_depth = [1, 8]
warmup = "0s"
duration = "2s"
"""


def start(folder: Path, target: str, *words: str) -> subprocess.CompletedProcess[str]:
    campaign = folder / "writes.toml"
    campaign.write_text(WRITES, encoding="utf-8")
    return iosonde("run", "--no-report", target, "--profile", campaign, "--seed", "5", "--out", folder / "run", *words)


def written(run: RunRecord) -> int:
    records = (*run.preparation, *run.cells, *run.superseded)
    totals = [part.get(Operation.WRITE) for each in records for part in (each.operations, each.warmup)]
    return sum(each.bytes for each in totals if each is not None)


@pytest.mark.parametrize("target", ["file", "sim:sata-dc,seed=1"])
def test_a_run_writes_no_more_than_its_limit_and_goes_on_with_another(tmp_path: Path, target: str) -> None:
    size = () if target.startswith("sim:") else ("--size", "16MiB", "--buffered")
    place = target if target.startswith("sim:") else str(tmp_path)
    free = start(tmp_path, place, *size)
    assert free.returncode == 0, free.stderr
    prepared = sum(each.operations[Operation.WRITE].bytes for each in open_run(tmp_path / "run").record.preparation)
    # Far less than any target writes in the eight seconds of this campaign.
    limit = prepared + 2 * MIB
    (tmp_path / "run").rename(tmp_path / "free")
    ended = start(tmp_path, place, *size, "--max-writes", f"{limit}B")
    assert ended.returncode == 3, ended.stderr
    assert f"the limit of {limit} bytes written is reached" in ended.stderr
    assert "iosonde resume" in ended.stderr
    short = open_run(tmp_path / "run").record
    assert prepared < written(short) <= limit
    assert short.header.limits.written_bytes_max == limit
    again = iosonde("resume", tmp_path / "run", "--no-report")
    assert again.returncode == 3, again.stderr
    # A simulated drive starts anew, and writes all of it again.
    assert ("already, and --max-writes is" in again.stderr) is not target.startswith("sim:")
    resumed = iosonde("resume", tmp_path / "run", "--no-report", "--max-writes", "1TB")
    assert resumed.returncode == 0, resumed.stderr
    assert {cell.outcome for cell in open_run(tmp_path / "run").record.cells} == {Outcome.FINISHED}


def test_a_limit_that_cannot_be_checked_ends_the_run() -> None:
    in_memory = "/dev/shm"  # noqa: S108 - a file system without a drive
    ended = iosonde("probe", in_memory, "--size", "16MiB", "--buffered", "--max-temperature", "70")
    assert ended.returncode == 3
    assert "error: the limit cannot be checked: no drive is known below the target" in ended.stderr


def test_the_health_of_the_drives_below_a_file_is_in_the_record(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--size", "16MiB", "--buffered", "--duration", "200ms", "--json")
    assert ended.returncode == 0, ended.stderr
    run = json.loads(ended.stdout)["run"]
    disks = [drive["disk"] for drive in run["header"]["drives"]]
    assert [drive["disk"] for drive in run["end"]["drives"]] == disks
    assert [drive["disk"] for drive in run["cells"][0]["drives"]] == disks
    for drive in run["header"]["drives"]:
        health = drive["health"]
        assert health["missing"] or health["temperature_celsius"] is not None, health
