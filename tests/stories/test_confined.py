"""In a container or under a limit, iosonde reports what is unavailable, and what it used instead."""

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import TargetError
from iosonde.machine.sysfs import read_text
from tests.commands import command, iosonde
from tests.confinement import on_one_cpu, with_locked_memory, without_io_uring

PROBE = ["--size", "16MiB", "--buffered", "--duration", "300ms", "--warmup", "0s"]
DIRECT = [word for word in PROBE if word != "--buffered"]
WRITE = ["probe", "--engine", "io_uring", "--read", "0", "--json"]
# Enough for the ring, but not for the buffers of writes.
RING_BYTES = 64 << 10
GROUPS = Path("/sys/fs/cgroup")


def confined(confine: Callable[[], None], *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), preexec_fn=confine, capture_output=True, text=True, timeout=60, check=False)


def record_of(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def ids(record: dict[str, Any]) -> set[str]:
    return {finding["id"] for finding in record["findings"]}


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS], ids=lambda number: errno.errorcode[number])
def test_where_io_uring_is_forbidden_auto_takes_psync_and_says_why(tmp_path: Path, number: int) -> None:
    record = record_of(confined(without_io_uring(number), "probe", tmp_path, "--json", *PROBE))
    header = record["run"]["header"]
    assert header["engine"] == "psync"
    assert header["hello"]["io_uring_refused"] == errno.errorcode[number]
    assert "engine-fallback" in ids(record)


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS], ids=lambda number: errno.errorcode[number])
def test_where_io_uring_is_forbidden_and_was_asked_for_nobody_gets_another_engine(tmp_path: Path, number: int) -> None:
    ended = confined(without_io_uring(number), "probe", tmp_path, "--engine", "io_uring", *PROBE)
    assert ended.returncode == 4
    assert f"error: io_uring is not available on this host ({errno.errorcode[number]})" in ended.stderr
    assert "hint: use --engine psync, or " in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_depth_under_psync_is_served_by_threads_and_never_silently_one(tmp_path: Path) -> None:
    record = record_of(
        confined(without_io_uring(errno.EPERM), "probe", tmp_path, "--queue-depth", "8", "--json", *PROBE)
    )
    assert record["run"]["cells"][0]["engine"]["workers"] == 8


@pytest.fixture
def io_uring(tmp_path: Path) -> None:
    """Skips a test if this host has no io_uring."""
    if iosonde("probe", tmp_path, "--engine", "io_uring", *PROBE).returncode == 4:
        pytest.skip("this host has no io_uring at all")


@pytest.mark.usefixtures("io_uring")
def test_too_little_lockable_memory_costs_registered_buffers_and_is_a_finding(tmp_path: Path) -> None:
    ended = confined(with_locked_memory(RING_BYTES), *WRITE, tmp_path, *DIRECT)
    if ended.returncode == TargetError.exit_code and "direct I/O" in ended.stderr:
        pytest.skip("the file system here does no direct I/O")
    record = record_of(ended)
    facts = record["run"]["cells"][0]["engine"]
    assert not facts["fixed_buffers"]
    assert facts["fallbacks"] == ["registered buffers refused: ENOMEM"]
    assert "registration-refused" in ids(record)


@pytest.mark.usefixtures("io_uring")
def test_buffers_that_the_page_cache_copies_need_no_lockable_memory(tmp_path: Path) -> None:
    record = record_of(confined(with_locked_memory(RING_BYTES), *WRITE, tmp_path, *PROBE))
    facts = record["run"]["cells"][0]["engine"]
    assert not facts["fixed_buffers"]
    assert facts["fallbacks"] == []
    assert "registration-refused" not in ids(record)


def test_without_any_lockable_memory_there_is_no_io_uring_or_none_is_missed(tmp_path: Path) -> None:
    # Since Linux 5.12, kernels with memory cgroups do not count rings against the limit. Other kernels refuse the ring.
    ended = confined(with_locked_memory(0), "probe", tmp_path, "--engine", "io_uring", *PROBE)
    if ended.returncode:
        assert ended.returncode == 4
        assert "error: io_uring is not available on this host (" in ended.stderr
        assert "hint: use --engine psync, or " in ended.stderr
    assert record_of(confined(with_locked_memory(0), "probe", tmp_path, "--json", *PROBE))["run"]["finished"]


def test_one_cpu_is_enough_and_is_a_finding(tmp_path: Path) -> None:
    record = record_of(confined(on_one_cpu, "probe", tmp_path, "--queue-depth", "4", "--json", *PROBE))
    assert record["run"]["header"]["host"]["cpus_allowed"] == 1
    assert "one-cpu" in ids(record)


@contextmanager
def group_of(controller: str) -> Iterator[Path]:
    """A new cgroup, of version 1 or 2, with this controller."""
    whole = read_text(GROUPS / "cgroup.controllers").split()
    top = GROUPS if controller in whole else GROUPS / controller
    path = top / f"iosonde-test-{os.getpid()}"
    if not (top / "cgroup.procs").exists():
        pytest.skip(f"there is no control group for {controller}")
    try:
        path.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error.strerror}")
    try:
        yield path
    finally:
        path.rmdir()


def joining(group: Path) -> Callable[[], None]:
    def confine() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    return confine


def limit(group: Path, **values: str) -> None:
    """Writes the first of these files that the cgroup has. Two underscores in a name stand for a dot."""
    for name, value in values.items():
        file = group / name.replace("__", ".")
        if file.exists():
            file.write_text(value, encoding="ascii")
            return
    pytest.skip(f"none of {', '.join(values)} is offered")


def test_a_cpu_quota_is_recorded_and_is_a_finding(tmp_path: Path) -> None:
    with group_of("cpu") as group:
        limit(group, cpu__max="50000 100000", cpu__cfs_quota_us="50000")
        # A group that has used its 50 ms is throttled for the rest of the period of 100 ms.
        longer = [*PROBE, "--duration", "500ms"]
        record = record_of(confined(joining(group), "probe", tmp_path, "--json", *longer))
    assert record["run"]["header"]["host"]["cpu_quota"] == 0.5
    assert "cpu-quota" in ids(record)


def test_a_memory_limit_is_recorded(tmp_path: Path) -> None:
    with group_of("memory") as group:
        limit(group, memory__max="500M", memory__limit_in_bytes="500M")
        record = record_of(confined(joining(group), "probe", tmp_path, "--json", *PROBE))
    assert record["run"]["header"]["host"]["memory_limit_bytes"] == 500 << 20
    assert "span-fits-cache" in ids(record)


def test_too_few_tasks_for_the_depth_under_psync_is_an_error_that_says_so(tmp_path: Path) -> None:
    with group_of("pids") as group:
        limit(group, pids__max="20")
        ended = confined(joining(group), "probe", tmp_path, "--engine", "psync", "--queue-depth", "64", *PROBE)
    assert ended.returncode == 4, ended.stderr
    assert "error: " in ended.stderr
    assert "a thread for each operation in flight: " in ended.stderr
    assert "hint: " in ended.stderr
    assert list(tmp_path.iterdir()) == []
