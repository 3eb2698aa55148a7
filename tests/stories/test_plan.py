"""``iosonde plan`` prints the plan and touches no target."""

import json
from pathlib import Path

from tests.commands import few_cells, iosonde


def test_the_plan_says_cells_time_bytes_and_fills_and_touches_nothing(tmp_path: Path) -> None:
    ended = iosonde("plan", tmp_path, "--size", "1GiB", "--write-rate", "1GB", "--fixed")
    assert ended.returncode == 0, ended.stderr
    lines = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines())
    # A drive with few tags has one line more.
    lines.pop("tags", None)
    assert list(lines) == ["target", "on", "profile", "cells", "memory", "time", "writes", "fills"]
    assert lines["cells"] == "43 distinct x 3 repeats, 129 trials, each 1.0 s warm-up + 5.0 s"
    assert lines["memory"].endswith(
        "for I/O buffers (random-write-4KiB-qd256), plus 128 MiB for the rest of the engine"
    )
    assert lines["time"].startswith("12 min")
    assert lines["writes"].startswith("1.07 GB to precondition the target, then up to 405 GB")
    assert lines["fills"] == "at most 378 full writes of the test region (1 GiB)"
    assert list(tmp_path.iterdir()) == []


def test_a_plan_with_an_aim_says_what_it_costs_at_most(tmp_path: Path) -> None:
    ended = iosonde("plan", tmp_path, "--size", "1GiB", "--write-rate", "1GB", "--precision", "5%", "--budget", "10m")
    lines = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines())
    assert lines["cells"] == "43 distinct, 258 initial trials, more until the precision is reached"
    assert lines["precision"] == "±5 % for throughput and mean latency, ±10 % for p99 (95 % CI); time limit 10 min 00 s"
    assert lines["time"] == "at most 10 min 01 s"


def test_the_plan_is_told_as_json_as_well(tmp_path: Path) -> None:
    ended = iosonde(
        "plan", tmp_path, "--size", "1GiB", "--json", "--fixed", "--engine", "io_uring", "--write-rate", "1GB"
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert (told["targets"][0]["kind"], told["targets"][0]["made"]) == ("file", True)
    assert len(told["plan"]["turns"]) == told["cost"]["measurements"] == 129
    assert told["cost"]["fill_bytes"] == 1 << 30
    assert told["memory"] == {"cell": "fill", "buffer_bytes": 10 << 20, "beside_bytes": 64 << 20}
    assert list(tmp_path.iterdir()) == []


def test_a_campaign_of_reads_writes_nothing_but_its_fill(tmp_path: Path) -> None:
    campaign = tmp_path / "reads.toml"
    campaign.write_text(
        'name = "reads"\n[[experiment]]\nname = "all"\npattern = "random"\nread = 100\nblock_size = "4KiB"\n'
        "queue_depth = 8\n",
        encoding="utf-8",
    )
    ended = iosonde("plan", tmp_path / "new.data", "--size", "64MiB", "--profile", campaign)
    assert "writes    67.1 MB to precondition the target, then nothing" in ended.stdout


def test_the_cells_can_be_listed_with_their_experiments(tmp_path: Path) -> None:
    ended = iosonde("plan", tmp_path, "--size", "1GiB", "--cells", "--quick")
    listed = [line.split()[0] for line in ended.stdout.splitlines() if line.startswith("  ")]
    assert len(listed) == 43
    assert "random-write-4KiB-qd1-fdatasync" in listed


def test_a_run_begins_by_saying_its_plan(tmp_path: Path) -> None:
    campaign = few_cells(tmp_path)
    words = ("run", tmp_path, "--profile", campaign, "--size", "16MiB", "--buffered", "--out", tmp_path / "r")
    said = iosonde(*words, "--no-report")
    assert said.stderr.startswith("target ")
    assert "profile   few: matrix 4" in said.stderr
