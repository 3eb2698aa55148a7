"""A target stalls for a second. The response time of an open loop includes the wait of all arrivals."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import command

STALL_S = 1.0
MEMORY = Path("/dev/shm")  # noqa: S108 - a file in it is a file in memory
TOOLS = ("mkfs.ext4", "mount", "umount", "fsfreeze")


def done(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A new ext4 file system on a loop device over a file in memory: other tests keep the disk busy."""
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if os.geteuid() != 0 or lacking:
        pytest.skip(f"a file system can't be frozen: {f'{lacking[0]} is missing' if lacking else 'not root'}")
    place = tmp_path / "mounted"
    place.mkdir()
    with tempfile.NamedTemporaryFile(dir=MEMORY if MEMORY.is_dir() else tmp_path) as image:
        image.truncate(512 << 20)
        done("mkfs.ext4", "-q", "-F", image.name)
        try:
            done("mount", "-o", "loop", image.name, place)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no loop device can be mounted: {error.stderr.decode().strip()}")
        try:
            yield place
        finally:
            # Fails if the file system is not frozen, which is harmless.
            subprocess.run(["fsfreeze", "-u", place], check=False, capture_output=True)
            done("umount", place)


def test_a_stall_of_one_second_is_in_the_p99_of_the_response_and_not_in_that_of_the_service(mounted: Path) -> None:
    asked = ("--read", "0", "--rate", "2k", "--duration", "10s", "--size", "64MiB")
    words = command("probe", mounted, *asked, "--json")
    probe = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not list(mounted.glob("*.data")):
        assert probe.poll() is None, probe.communicate()[1]
        time.sleep(0.05)
    # After 6 s, the file is laid out and the measurement of 10 s has begun, even on a busy machine.
    time.sleep(6)
    done("fsfreeze", "-f", mounted)
    time.sleep(STALL_S)
    done("fsfreeze", "-u", mounted)
    output, errors = probe.communicate(timeout=120)
    assert probe.returncode == 0, errors
    cell = json.loads(output)["cells"][0]
    writes = cell["operations"]["write"]
    response = {each["percent"]: each["value_ns"] for each in writes["percentiles"]}
    assert writes["latency_kind"] == "response"
    assert response[99.0] > 0.8e9
    # Only the 64 of 20,000 operations in flight at the freeze have a long service time, too few to affect its p99.
    assert writes["service"]["percentiles_ns"][3] < 0.5e9
    assert cell["pace"]["achieved_per_s"]["mean"] > 950, "none is dropped: the rest came as soon as it could"
