"""The extents of a file, as the kernel reports them."""

from pathlib import Path

import pytest

from iosonde.machine.extents import extent_facts

BLOCK = 1 << 16


def test_the_extents_of_a_file_add_up_to_its_data(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 4 * BLOCK)
    facts = extent_facts(path)
    if facts is None:
        pytest.skip("this file system does not report extents")
    assert facts.bytes == 4 * BLOCK
    assert facts.bytes_max * facts.count >= facts.bytes


def test_a_hole_separates_extents(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        for number in range(3):
            file.seek(number * 16 * BLOCK)
            file.write(b"x" * BLOCK)
    facts = extent_facts(path)
    if facts is None:
        pytest.skip("this file system does not report extents")
    assert (facts.count, facts.bytes, facts.bytes_max) == (3, 3 * BLOCK, BLOCK)


def test_a_file_system_without_extents_reports_none() -> None:
    assert extent_facts(Path("/proc/self/status")) is None


def test_an_empty_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert extent_facts(tmp_path / "empty") is None
