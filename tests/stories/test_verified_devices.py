"""A device that a run has written is read back, in the run and later: every block changed behind its back is found."""

import os
from pathlib import Path

import pytest

from tests.commands import iosonde
from tests.stories.loop_devices import attached, image

MIB = 1 << 20
BLOCK_BYTES = 4096
# On this host, the files of loop devices are on a disk that the host is on, and other processes may read it.
CONSENTS = ("--consent", "below", "--consent", "open", "--consent", "signature")
CAMPAIGN = """
name = "sealed"
repeats = 1
verify = true
[[experiment]]
name = "sealed"
pattern = "permutation"
read = 0
block_size = "4KiB"
queue_depth = 4
amount = "16MiB"
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "sealed.toml"
    path.write_text(CAMPAIGN, encoding="utf-8")
    return path


def test_blocks_changed_on_a_device_after_the_run_are_found_at_their_offsets(tmp_path: Path, campaign: Path) -> None:
    file = image(tmp_path / "image", 16 * MIB)
    with attached(file) as device:
        run = tmp_path / "run"
        permits = ("--destroy", str(file), *CONSENTS)
        ended = iosonde("run", "--no-report", device, "--profile", campaign, "--out", run, "--seed", "7", *permits)
        assert ended.returncode == 0, ended.stderr
        sound = iosonde("verify", run)
        assert sound.returncode == 0, sound.stdout + sound.stderr
        changed = (0, 5 * MIB, 16 * MIB - BLOCK_BYTES)
        with device.open("r+b", buffering=0) as written:
            for at in changed:
                os.pwrite(written.fileno(), bytes(BLOCK_BYTES), at)
            os.fsync(written.fileno())
        found = iosonde("verify", run)
        assert found.returncode != 0
        said = (found.stdout + found.stderr).replace(",", "")
        for at in changed:
            assert str(at) in said, said


def test_a_probe_of_a_device_verifies_what_it_wrote(tmp_path: Path) -> None:
    file = image(tmp_path / "image", 16 * MIB)
    with attached(file) as device:
        permits = ("--destroy", str(file), *CONSENTS)
        ended = iosonde("probe", device, "--read", "0", "--verify", "--duration", "500ms", *permits)
        assert ended.returncode == 0, ended.stderr
        assert "verif" in ended.stdout
