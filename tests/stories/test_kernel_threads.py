"""Operations that io_uring hands to threads of the kernel are seen where it does so, and only there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands import iosonde

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - it is there for its file system, tmpfs
WORDS = ["--size", "16MiB", "--buffered", "--queue-depth", "16", "--duration", "300ms", "--warmup", "50ms", "--json"]


def probe(place: Path, *words: str) -> tuple[dict[str, Any], set[str]]:
    """The cell, and the findings' names."""
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


def test_reads_that_the_page_cache_answers_need_none(tmp_path: Path) -> None:
    cell, findings = probe(tmp_path)
    if cell["engine"]["engine"] != "io_uring" or _kind_of(tmp_path) not in {"ext4", "xfs", "btrfs"}:
        pytest.skip("a file system of which it is not known that it reads without blocking")
    assert cell["engine"]["kernel_workers"] == 0
    assert cell["cpu"]["kernel_workers_ns"] == 0
    assert "kernel-workers" not in findings


def _kind_of(path: Path) -> str:
    from iosonde.machine import file_system_facts

    return file_system_facts(path).kind
