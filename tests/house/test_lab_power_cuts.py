"""The log of a drive's writes, and what may be left of it after a power cut."""

from pathlib import Path

import pytest

from lab.power_cuts.replay import Moment, cut_at, versions_at
from lab.power_cuts.write_log import ENTRY, MAGIC, SUPERBLOCK, VERSION, Flag, LogError, WriteLog, read_log

SECTOR = 512
NONE = Flag(0)


def sector(letter: str) -> bytes:
    return letter.encode() * SECTOR


def written(path: Path, *entries: tuple[Flag, int, str]) -> WriteLog:
    """A log of writes: flags, first sector, and a letter for the content of each sector; for a mark, its name."""
    parts = [SUPERBLOCK.pack(MAGIC, VERSION, len(entries), SECTOR)]
    for flags, first, text in entries:
        name = text.encode() if flags & Flag.MARK else b""
        count = 0 if name else len(text)
        parts += [ENTRY.pack(first, count, flags, len(name)) + name]
        parts += [] if name or flags & Flag.DISCARD else [sector(letter) for letter in text]
    path.write_bytes(b"".join(part.ljust(SECTOR, b"\0") for part in parts))
    return read_log(path)


def left(log: WriteLog, index: int, keep: float, folder: Path, seed: int = 1) -> str:
    """The first four sectors after a power cut, one letter each; a dot for zeros."""
    image = folder / "image"
    image.write_bytes(bytes(4 * SECTOR))
    with image.open("r+b") as file:
        cut_at(log, Moment(index, keep, seed), file, 0)
    data = image.read_bytes()
    return "".join(chr(data[at * SECTOR] or ord(".")) for at in range(4))


def test_the_log_has_all_entries_with_their_marks(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 1, "ab"), (Flag.MARK, 0, "finished-1"), (Flag.FLUSH, 0, ""), (NONE, 3, "c"))
    assert [(entry.first, entry.count) for entry in log.entries] == [(1, 2), (0, 0), (0, 0), (3, 1)]
    assert log.at_mark("finished-1") == 1
    assert (log.marks_before(1), log.marks_before(2)) == ((), ("finished-1",))


def test_another_file_is_not_a_log(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(bytes(SECTOR))
    with pytest.raises(LogError, match="not a log of writes"):
        read_log(tmp_path / "other")


def test_a_truncated_log_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "log", (NONE, 0, "a"), (NONE, 1, "b"))
    with (tmp_path / "log").open("r+b") as file:
        file.truncate(SECTOR + 10)
    with pytest.raises(LogError, match="ends after"):
        read_log(tmp_path / "log")


def test_a_write_before_a_flush_is_never_dropped(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 0, "a"), (Flag.FLUSH, 0, ""), (NONE, 1, "b"))
    assert left(log, 3, 0.0, tmp_path) == "a..."


def test_a_write_with_fua_is_never_dropped(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 0, "a"), (Flag.FUA, 1, "b"))
    assert left(log, 2, 0.0, tmp_path) == ".b.."


def test_later_writes_may_be_kept_while_earlier_ones_are_dropped(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 0, "abcd"))
    seen = {left(log, 1, 0.5, tmp_path, seed) for seed in range(256)}
    assert "...d" in seen
    assert len(seen) == 16


def test_a_sector_has_one_of_the_versions_since_it_was_durable(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 0, "a"), (Flag.FLUSH, 0, ""), (NONE, 0, "b"), (NONE, 0, "c"))
    assert {left(log, 4, 0.5, tmp_path, seed)[0] for seed in range(64)} == {"a", "b", "c"}


def test_the_entry_in_flight_may_be_dropped_whatever_its_flags(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (NONE, 0, "a"), (Flag.FUA | Flag.FLUSH, 1, "b"))
    assert {left(log, 1, 0.5, tmp_path, seed)[:2] for seed in range(64)} == {"..", "a.", ".b", "ab"}


def test_a_discarded_sector_has_zeros(tmp_path: Path) -> None:
    log = written(tmp_path / "log", (Flag.FUA, 0, "a"), (Flag.DISCARD, 0, "x"), (Flag.FLUSH, 0, ""))
    assert versions_at(log, 3).durable == {0: None}
