"""A run that holds off C-states does so while it measures, and says so."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import iosonde

LIMIT = Path("/dev/cpu_dma_latency")
NEEDS_LIMIT = pytest.mark.skipif(not os.access(LIMIT, os.W_OK), reason="the latency limit of the CPUs needs root")


def limit_us() -> int:
    """The limit on the wake-up latency that is in force."""
    with LIMIT.open("rb", buffering=0) as file:
        return int.from_bytes(file.read(4), sys.byteorder, signed=True)


@NEEDS_LIMIT
def test_the_limit_is_in_force_while_the_run_measures_and_not_after_it(tmp_path: Path) -> None:
    usual = limit_us()
    size = ("--size", "16MiB", "--buffered", "--duration", "3s")
    words = [sys.executable, "-m", "iosonde", "probe", str(tmp_path), *size]
    with subprocess.Popen([*words, "--hold-cstates", "--json"], stdout=subprocess.PIPE, text=True) as process:
        seen = set()
        while process.poll() is None and 0 not in seen:
            seen.add(limit_us())
            time.sleep(0.02)
        printed, _ = process.communicate()
    assert 0 in seen
    assert limit_us() == usual
    assert json.loads(printed)["run"]["header"]["hold_cstates"] is True


def test_a_usual_run_leaves_c_states_as_they_are(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--size", "16MiB", "--buffered", "--duration", "200ms", "--json")
    assert json.loads(ended.stdout)["run"]["header"]["hold_cstates"] is False


@pytest.mark.skipif(os.geteuid() == 0 or os.access(LIMIT, os.W_OK), reason="root may hold off C-states")
def test_without_the_right_the_run_is_refused_with_a_way_out(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--size", "16MiB", "--buffered", "--hold-cstates")
    assert ended.returncode in {3, 4}
    assert "hold off C-states" in ended.stderr
    assert "omit --hold-cstates" in ended.stderr
