"""The kernel's block-layer statistics, compared with the engine's own counts."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command, iosonde
from tests.stories.loop_devices import attached, image

SECOND_NS = 10**9
LOAD = ("--duration", "500ms", "--warmup", "100ms", "--queue-depth", "8", "--json")
# The engine reads the kernel's counts slightly before and after its own, with longer delays on a busy host.
SAME = 0.1
# More reads of the whole device than a probe of three seconds has time for.
READS_MAX = 200
MS_NS = 1_000_000
# The kernel adds a request's bytes slightly before the request itself. A reading may find each CPU between the two.
IN_COMPLETION_MAX = os.cpu_count() or 1


def probed(*words: object) -> dict[str, Any]:
    """The record of the probe's only cell, and the ids of its findings."""
    ended = iosonde("probe", *words, *LOAD)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    return {"cell": told["run"]["cells"][0], "findings": {each["id"] for each in told["findings"]}}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    with attached(image(tmp_path / "image"), "--direct-io=on") as path:
        yield path


@pytest.mark.parametrize("engine", ["psync", "io_uring"])
def test_the_kernel_counts_the_requests_and_bytes_that_the_engine_counts_and_they_take_no_longer_there(
    device: Path, engine: str
) -> None:
    told = probed(device, "--engine", engine)
    cell = told["cell"]
    [counts], reads = cell["devices"], cell["operations"]["read"]
    assert (counts["device"], counts["targets"], counts["by_request"]) == (device.name, [0], True)
    requests = (counts["read"]["count"] + counts["read"]["merged"]) * SECOND_NS / counts["elapsed_ns"]
    rate = reads["count"] * SECOND_NS / cell["measured_ns"]
    assert requests == pytest.approx(rate, rel=SAME)
    by_bytes = counts["read"]["bytes"] / 4096
    assert by_bytes == pytest.approx(counts["read"]["count"] + counts["read"]["merged"], abs=IN_COMPLETION_MAX)
    assert counts["write"]["bytes"] == 0
    # A read takes at least as long as its request. The kernel reports whole milliseconds.
    mean_ns = reads["latency_ns_sum"] / reads["count"]
    request_ns = (counts["read"]["request_ns"] - MS_NS) / counts["read"]["count"]
    assert mean_ns > (1 - SAME) * request_ns
    assert "device-counts-differ" not in told["findings"]


def test_what_others_do_on_a_device_that_nobody_is_known_to_use_is_found_out(device: Path, tmp_path: Path) -> None:
    reader = ["dd", f"if={device}", "of=/dev/null", "bs=1M", "iflag=direct", "status=none"]
    said = tmp_path / "said"
    with said.open("wb") as output:
        words = command("probe", device, "--engine", "psync", *LOAD[2:], "--duration", "3s")
        probe = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT)
        try:
            # The reads begin during the measurement. At the start, iosonde would detect their process as a user.
            time.sleep(2)
            others = 0
            while probe.poll() is None and others < READS_MAX:
                subprocess.run(reader, check=True)
                others += 1
            assert probe.wait(timeout=30) == 0, said.read_text()
        finally:
            probe.kill()
    told = json.loads(said.read_text())
    [finding] = [each for each in told["findings"] if each["id"] == "device-counts-differ"]
    assert others > 1
    assert "Other I/O reached the device" in finding["advice"]


def test_where_no_device_is_known_nothing_is_counted(tmp_path: Path) -> None:
    memory = Path("/dev/shm")  # noqa: S108 Where Linux has memory as a file system.
    if not memory.is_dir():
        pytest.skip("there is no file system in memory")
    target = memory / f"iosonde-{tmp_path.parent.name}-{tmp_path.name}.data"
    try:
        told = probed(target, "--size", "16MiB", "--buffered")
    finally:
        target.unlink(missing_ok=True)
    assert told["cell"].get("devices", []) == []
    assert "device-counts-differ" not in told["findings"]
