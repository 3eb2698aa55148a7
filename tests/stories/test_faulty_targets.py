"""Targets that fail during a measurement: the run ends in time with the right exit code, and its counts are right."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command
from tests.stories.faulty_places import FaultyFile, cut_disk, faulty_file, loop_disk

ENGINES = ("io_uring", "psync")
BLOCK_BYTES = 4096


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[FaultyFile]:
    with faulty_file(tmp_path / "faulty") as file:
        yield file


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def probe_of(path: Path, engine: str, *words: object) -> subprocess.Popen[str]:
    fixed = ("--overwrite", "--buffered", "--warmup", "0s", "--queue-depth", "2", "--json")
    return start("probe", path, "--engine", engine, *fixed, *words)


def cell_of(output: str) -> dict[str, Any]:
    cell: dict[str, Any] = json.loads(output)["run"]["cells"][0]
    return cell


def lost_of(cell: dict[str, Any]) -> int:
    return sum(fault["count"] for fault in cell["faults"] if fault["kind"] != "retry")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_system_that_dies_fails_the_workload_at_once_and_says_why(faulty: FaultyFile, engine: str) -> None:
    probe = probe_of(faulty.path, engine, "--duration", "60s")
    faulty.wait_until_read(probe)
    faulty.die()
    since = time.monotonic()
    output, errors = probe.communicate(timeout=60)
    assert time.monotonic() - since < 20
    assert probe.returncode == 5, errors
    # A read gives one of these errors, and a check of the file the other. Either may come first.
    assert "(ENOTCONN)" in errors or "(ECONNABORTED)" in errors
    cell = cell_of(output)
    assert cell["outcome"] == "failed"
    assert lost_of(cell) <= 4
    assert cell["operations"]["read"]["count"] > 50


@pytest.mark.parametrize("engine", ENGINES)
def test_reads_of_a_bad_stretch_are_counted_by_error_and_are_in_no_figure(faulty: FaultyFile, engine: str) -> None:
    probe = probe_of(faulty.path, engine, "--duration", "1s")
    faulty.wait_until_read(probe)
    faulty.tell("eio", 0, 16 << 10)
    output, errors = probe.communicate(timeout=60)
    assert probe.returncode == 5, errors
    assert "failed (EIO), the first in random-read-4KiB-qd2: read at offset " in errors
    cell = cell_of(output)
    assert cell["outcome"] == "finished"
    assert [(fault["kind"], fault["errno_name"]) for fault in cell["faults"]] == [("error", "EIO")]
    assert cell["faults"][0]["offset_bytes_first"] < 16 << 10
    reads = cell["operations"]["read"]
    assert reads["bytes"] == reads["count"] * BLOCK_BYTES
    # Every read that the file system received was counted exactly once.
    assert int(faulty.tell("reads")) == reads["count"] + lost_of(cell) + cell["censored"]["count"]


@pytest.mark.parametrize("engine", ENGINES)
def test_with_on_error_stop_the_first_error_ends_the_workload(faulty: FaultyFile, engine: str) -> None:
    probe = probe_of(faulty.path, engine, "--duration", "60s", "--on-error", "stop")
    faulty.wait_until_read(probe)
    faulty.tell("eio", 0, 16 << 20)
    output, errors = probe.communicate(timeout=30)
    assert probe.returncode == 5, errors
    assert re.search(r"error: the workload failed: read at offset \d+: Input/output error \(EIO\)", errors)
    cell = cell_of(output)
    assert cell["outcome"] == "failed"
    assert sum(fault["count"] for fault in cell["faults"]) <= 4


def test_short_reads_are_lost_operations_and_too_many_of_them_fail_the_workload(faulty: FaultyFile) -> None:
    # After a short read of a file, io_uring itself reads the rest.
    probe = probe_of(faulty.path, "psync", "--duration", "60s")
    faulty.wait_until_read(probe)
    faulty.tell("short", 512)
    output, errors = probe.communicate(timeout=60)
    assert probe.returncode == 5, errors
    assert "more than 1000 operations failed" in errors
    cell = cell_of(output)
    assert {fault["kind"] for fault in cell["faults"]} == {"short"}
    assert 1000 < lost_of(cell) < 1100 * 2
    assert cell["operations"]["read"]["bytes"] == cell["operations"]["read"]["count"] * BLOCK_BYTES


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hang_of_a_second_is_in_the_latency_and_costs_no_operation(faulty: FaultyFile, engine: str) -> None:
    probe = probe_of(faulty.path, engine, "--duration", "3s")
    faulty.wait_until_read(probe)
    faulty.tell("hang")
    time.sleep(1)
    faulty.tell("go")
    output, errors = probe.communicate(timeout=60)
    assert probe.returncode == 0, errors
    cell = cell_of(output)
    assert cell["faults"] == []
    assert cell["operations"]["read"]["latency_ns_max"] > 0.9e9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("read_percent", [100, 0])
def test_a_loop_device_whose_backing_file_is_cut_fails_the_workload(
    engine: str, read_percent: int, tmp_path: Path
) -> None:
    with loop_disk(tmp_path, "errors=remount-ro") as (image, place):
        words = ("--duration", "60s", "--size", "32MiB", "--warmup", "0s", "--queue-depth", "4", "--json")
        probe = start("probe", place, "--engine", engine, "--read", read_percent, *words)
        while not list(place.glob("*.data")):
            assert probe.poll() is None, probe.communicate()[1]
            time.sleep(0.02)
        time.sleep(3)
        cut_disk(image, 1 << 20)
        output, errors = probe.communicate(timeout=60)
    assert probe.returncode == 5, errors
    assert "error: the workload failed: " in errors
    cell = cell_of(output)
    assert cell["outcome"] == "failed"
    assert {fault["errno_name"] for fault in cell["faults"]} <= {"EIO", "EROFS", "ENOSPC"}
    # A worker stops after 1,000 errors, and psync has one worker per operation in flight.
    assert 1 <= lost_of(cell) <= 4 * 1100
