"""Operations that io_uring passes to io-wq workers are counted, and only those."""

import contextlib
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command, iosonde

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the tests need its file system, tmpfs
WORDS = ["--size", "16MiB", "--buffered", "--queue-depth", "16", "--duration", "1s", "--warmup", "50ms", "--json"]


def probe(place: Path, *words: str) -> tuple[dict[str, Any], set[str]]:
    """The record of the probe's only cell, and the ids of its findings."""
    ended = iosonde("probe", place, *WORDS, *words)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    if found["run"]["header"]["hello"]["io_uring_refused"]:
        pytest.skip("this host refuses io_uring")
    return found["run"]["cells"][0], {finding["id"] for finding in found["findings"]}


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="no tmpfs that can be written")
def test_a_file_system_that_only_blocks_gives_them_work_in_every_interval() -> None:
    cell, findings = probe(SHARED_MEMORY)
    assert all(interval["kernel_workers"] >= 1 for interval in cell["intervals"])
    assert cell["cpu"]["kernel_workers_ns"] > cell["measured_ns"] // 100
    assert "kernel-workers" in findings


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="no tmpfs that can be written")
def test_other_engines_have_none_to_count() -> None:
    cell, findings = probe(SHARED_MEMORY, "--engine", "psync")
    assert {interval.get("kernel_workers") for interval in cell["intervals"]} == {None}
    assert cell["cpu"]["kernel_workers_ns"] is None
    assert "kernel-workers" not in findings


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="no tmpfs that can be written")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU for all of them")
def test_they_have_other_cpus_than_the_worker_that_they_help() -> None:
    words = [*WORDS[:-1], "--engine", "io_uring", "--duration", "1500ms"]
    with subprocess.Popen(command("probe", SHARED_MEMORY, *words), stdout=subprocess.DEVNULL) as process:
        seen: list[dict[str, set[int]]] = []
        while process.poll() is None:
            seen += [_cpus_by_thread(each) for each in _children_of(process.pid)]
            time.sleep(0.02)
    assert process.returncode == 0
    both = [cpus for cpus in seen if "worker 0" in cpus and "helper" in cpus]
    if not both:
        pytest.skip("io_uring is refused here, or reads tmpfs without help")
    worker, helper = both[-1]["worker 0"], both[-1]["helper"]
    assert len(worker) == 1
    assert helper == os.sched_getaffinity(0) - worker


def _children_of(process: int) -> set[int]:
    with contextlib.suppress(OSError):
        tasks = Path(f"/proc/{process}/task").iterdir()
        return {int(child) for task in tasks for child in (task / "children").read_text().split()}
    return set()


def _cpus_by_thread(process: int) -> dict[str, set[int]]:
    """The allowed CPUs of the threads of a process, by thread name. io-wq workers are named "helper"."""
    found = {}
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            name = (task / "comm").read_text().strip()
            found["helper" if name.startswith("iou-wrk") else name] = os.sched_getaffinity(int(task.name))
    return found


def test_reads_that_the_page_cache_answers_need_none(tmp_path: Path) -> None:
    cell, findings = probe(tmp_path)
    if cell["engine"]["engine"] != "io_uring" or _kind_of(tmp_path) not in {"ext4", "xfs", "btrfs"}:
        pytest.skip("a file system of which it is not known that it reads without blocking")
    assert cell["engine"]["kernel_workers"] == 0
    assert cell["cpu"]["kernel_workers_ns"] == 0
    assert "kernel-workers" not in findings


def _kind_of(path: Path) -> str:
    from iosonde.machine.mounts import file_system_facts

    return file_system_facts(path).kind


def test_the_thread_of_sqpoll_is_named_counted_and_in_the_cost_of_an_operation(tmp_path: Path) -> None:
    cell, _ = probe(tmp_path, "--poll", "sqpoll")
    if cell["engine"]["poll_mode"] != "sqpoll":
        pytest.skip("this host has no submission threads")
    assert cell["engine"]["sqpoll_threads"] == 1
    assert cell["cpu"]["sqpoll_threads_ns"] > 0
    shown = iosonde("probe", tmp_path, *WORDS[:-1], "--poll", "sqpoll")
    assert "\nengine io_uring, sqpoll, " in shown.stdout
