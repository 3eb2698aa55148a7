"""Nothing writes to a block device without a permit, even if asserts are disabled."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.machine.write_permit import UnpermittedWriteError
from iosonde.sources import OpenRequest
from tests.stories.loop_devices import attached, digest, image
from tests.stories.writing_attempts import ATTEMPTS, target


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    """A loop device, which must be unchanged at the end."""
    backing = image(tmp_path / "image")
    before = digest(backing)
    with attached(backing) as path:
        yield path
    assert digest(backing) == before, "the device was written"


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_no_way_into_the_program_writes_to_a_device_where_asserts_are_off(
    attempt: str, device: Path, tmp_path: Path
) -> None:
    if attempt == "fio" and shutil.which("fio") is None:
        pytest.skip("there is no fio here")
    words = [sys.executable, "-O", "-m", "tests.stories.writing_attempts", attempt, str(device), str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.stdout == f"{UnpermittedWriteError.__name__}\n", ended.stderr
    assert not (tmp_path / "run").exists()


def test_what_is_refused_names_the_device_and_the_way_out() -> None:
    with pytest.raises(UnpermittedWriteError) as refused:
        OpenRequest(target(Path("/dev/sdz")), write=True, direct=True)
    assert refused.value.message == "/dev/sdz is a block device, and writing to it is not permitted"
    assert refused.value.hint.startswith("--destroy IDENTITY permits to destroy the contents of a device")
    assert (refused.value.final, refused.value.exit_code) == (True, 3)
