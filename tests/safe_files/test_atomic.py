"""Files that belong together are all there, or none of them is."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iosonde.errors import OutputError
from iosonde.safe_files import write_files


def test_all_files_are_written_in_full(tmp_path: Path) -> None:
    written = write_files([(tmp_path / "a.txt", "café"), (tmp_path / "b.png", b"\x89PNG")])
    assert written == (tmp_path / "a.txt", tmp_path / "b.png")
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == ["café".encode(), b"\x89PNG"]


def test_where_one_file_has_no_place_none_is_written_and_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before", encoding="utf-8")
    with pytest.raises(OutputError, match=r"cannot write .*/missing/b\.txt: No such file or directory") as told:
        write_files([(tmp_path / "a.txt", "after"), (tmp_path / "missing/b.txt", "after")])
    assert told.value.hint == "create the directory, or use another one"
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["before"]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(__file__)], ids=["a pipe", "a link"])
def test_what_is_not_a_regular_file_is_never_replaced(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "place")
    before = (tmp_path / "place").lstat().st_mode
    with pytest.raises(OutputError, match=r"/place is a .*, not a regular file"):
        write_files([(tmp_path / "a.txt", "after"), (tmp_path / "place", "after")])
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
    assert (tmp_path / "place").lstat().st_mode == before


def test_where_making_one_fails_none_is_written(tmp_path: Path) -> None:
    def made() -> Iterator[tuple[Path, str]]:
        yield tmp_path / "a.txt", "whole"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files(made())
    assert not list(tmp_path.iterdir())
