"""The cause of the slowest operations: a host whose CPUs others use, or a target that stalls while the host is idle."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde import probe
from iosonde.analysis.tail_causes import Cause, causes_of, tail_causes
from iosonde.plans.models import model_text
from iosonde.records import CellRecord, SlowIo
from tests.commands import command
from tests.stories.faulty_places import faulty_file

BUSY = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"

# A scheduler gives a competing thread at least this long before it switches.
SLICE_NS = 500_000
STALLS = 3
STALL_S = 0.5
SPIKES = """
[[faults]]
kind = "latency_spikes"
from_ns = 0
period_ns = 100_000_000
length_ns = 1_000_000
extra_ns = 20_000_000
"""
SPIKE_NS = 20_000_000
NEEDS_SCHEDSTAT = pytest.mark.skipif(
    not Path("/proc/thread-self/schedstat").exists(), reason="this kernel has no schedstat"
)


@contextmanager
def every_cpu_used_by_others() -> Iterator[None]:
    """A program on each CPU that never pauses, as long as the context lasts."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY, str(cpu)]) for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


@NEEDS_SCHEDSTAT
@pytest.mark.parametrize("engine", ["io_uring", "psync"])
def test_competing_programs_delay_the_slowest_operations(tmp_path: Path, engine: str) -> None:
    with every_cpu_used_by_others():
        run = probe(tmp_path, size="16MiB", duration="2s", warmup="0s", queue_depth=1, engine=engine).record
    causes = tail_causes(run.cells)
    assert causes is not None
    assert causes.by_cause[Cause.HOST] > 0
    assert causes.by_cause[Cause.DEVICE] <= causes.by_cause[Cause.HOST] + causes.by_cause[Cause.UNKNOWN]
    assert causes.run_delay_ns_max is not None
    assert causes.run_delay_ns_max > SLICE_NS


def stalled(folder: Path, engine: str) -> list[tuple[SlowIo, Cause]]:
    """The operations that waited for a file system which stopped three times, each with its cause."""
    asked = ("--engine", engine, "--buffered", "--queue-depth", "1", "--warmup", "0s", "--duration", "5s", "--json")
    with faulty_file(folder) as file:
        words = command("probe", file.path, "--overwrite", *asked)
        started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            for _ in range(STALLS):
                file.wait_until_read(started)
                file.tell("hang")
                time.sleep(STALL_S)
                file.tell("go")
            output, errors = started.communicate(timeout=120)
        finally:
            started.kill()
            started.wait()
    assert started.returncode == 0, errors
    (cell,) = json.loads(output)["run"]["cells"]
    record = CellRecord.model_validate(cell)
    found = zip(record.slowest, causes_of(record), strict=True)
    long = [(slow, cause) for slow, cause in found if slow.latency_ns > STALL_S / 2 * 1e9]
    # On a busy machine, others can wait long as well: for the program that is the file system.
    return sorted(long, key=lambda each: each[0].latency_ns)[-STALLS:]


@NEEDS_SCHEDSTAT
@pytest.mark.parametrize("engine", ["io_uring", "psync"])
def test_the_host_is_not_blamed_for_a_target_that_stalls(tmp_path: Path, engine: str) -> None:
    found = stalled(tmp_path / "faulty", engine)
    assert len(found) >= STALLS
    assert all(cause is not Cause.HOST for _, cause in found)
    for slow, cause in found:
        # Other tests may use the CPU at the same time. io_uring's own threads, which wait here, may be delayed as well.
        if engine == "psync" and slow.host is not None and not slow.host.contended_ns:
            assert cause is Cause.DEVICE, slow


def test_a_simulated_drive_with_latency_spikes_is_the_cause_of_all_slow_operations(tmp_path: Path) -> None:
    model = tmp_path / "spiky.toml"
    model.write_text(model_text("fixed").partition("[sources]")[0] + SPIKES, encoding="utf-8")
    cells = probe(f"sim:{model}", duration="2s", queue_depth=1).record.cells
    assert max(slow.latency_ns for cell in cells for slow in cell.slowest) > SPIKE_NS
    causes = tail_causes(cells)
    assert causes is not None
    assert causes.by_cause == {Cause.HOST: 0, Cause.DEVICE: causes.slowest, Cause.UNKNOWN: 0}
