"""A worker whose CPU another program uses has slow operations that the host delayed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde import probe
from iosonde.analysis.tail_causes import Cause, tail_causes

BUSY = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"

# A scheduler gives a competing thread at least this long before it switches.
SLICE_NS = 500_000


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


@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="this kernel has no schedstat")
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
