"""Opening files that others may have created."""

import os
import tracemalloc
from pathlib import Path

import pytest

from iosonde.safe_files import read_regular

BYTES_MAX = 4 << 30


def test_a_small_file_takes_no_more_memory_than_it_has(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_regular(path, bytes_max=BYTES_MAX) == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_file_longer_than_its_bound_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.touch()
    os.truncate(path, BYTES_MAX + 1)
    with pytest.raises(OSError, match=r"exceeds the limit of 4 GiB"):
        read_regular(path, bytes_max=BYTES_MAX)
