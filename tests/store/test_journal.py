"""Complete frames of a journal are read, and damaged ones are reported."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from iosonde.errors import OutputError, RecordError
from iosonde.records import IntervalRecord, Phase, SessionEnd
from iosonde.store import Journal, RunDirectory
from iosonde.store.frame_stream import decode
from iosonde.store.frames import HEAD, PREFIX, Broken, Frame, Kind, encode, prefix, schema_version_of
from tests.stream_builder import mixed_run


def journal_bytes(*payloads: bytes) -> bytes:
    return prefix(1) + b"".join(encode(Kind.CELL, payload) for payload in payloads)


def whole(data: bytes) -> list[bytes]:
    return [frame.payload for frame in decode(data) if isinstance(frame, Frame)]


def interval(number: int) -> IntervalRecord:
    return IntervalRecord(
        phase=Phase.MEASURE,
        interval_first=number,
        interval_last=number,
        start_ns=0,
        end_ns=1,
        in_flight_ns=0,
        operations={},
    )


def test_frames_come_back_as_they_were_written() -> None:
    payloads = [b"", b"{}", b"x" * 100_000]
    assert whole(journal_bytes(*payloads)) == payloads
    assert schema_version_of(journal_bytes()) == 1


def test_a_journal_cut_anywhere_gives_all_frames_before_the_cut() -> None:
    payloads = [b"first", b"second", b"third"]
    data = journal_bytes(*payloads)
    ends = [PREFIX.size]
    for payload in payloads:
        ends.append(ends[-1] + HEAD.size + len(payload))
    for cut in range(PREFIX.size, len(data)):
        expected = sum(end <= cut for end in ends) - 1
        assert whole(data[:cut]) == payloads[:expected], f"cut at {cut}"
        last = list(decode(data[:cut]))[-1:]
        assert cut in ends or isinstance(last[0], Broken), f"cut at {cut}"


def test_a_flipped_bit_is_found_wherever_it_is() -> None:
    payloads = [b"first", b"second"]
    data = journal_bytes(*payloads)
    for position in range(PREFIX.size * 8, len(data) * 8):
        flipped = bytearray(data)
        flipped[position // 8] ^= 1 << (position % 8)
        found = list(decode(bytes(flipped)))
        assert any(isinstance(each, Broken) for each in found), f"bit {position}"
        assert set(whole(bytes(flipped))) <= set(payloads), f"bit {position}"


def test_what_is_broken_says_where_and_how() -> None:
    data = journal_bytes(b"first", b"second")
    broken = list(decode(data[:-1]))[-1]
    assert broken == Broken(PREFIX.size + HEAD.size + 5, len(data) - 1, "the journal ends within a frame")


@pytest.mark.parametrize("data", [b"", b"iosonde", b"PAR1 and so on, for a while"])
def test_a_file_that_is_no_journal_is_refused(data: bytes) -> None:
    assert schema_version_of(data) is None


def test_a_journal_never_overwrites_another(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text("somebody's")
    with pytest.raises(OutputError):
        Journal(path)
    assert path.read_text() == "somebody's"


def test_a_cell_that_ends_soon_is_not_disturbed_by_a_flush_and_a_long_one_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    flushed_at: list[float] = []
    monkeypatch.setattr("iosonde.store.journal.os.fsync", lambda _: flushed_at.append(now_s))
    with Journal(tmp_path / "journal", now_s=lambda: now_s) as journal:
        for number in range(1, 12):
            now_s = number * 0.5
            journal.interval(1, interval(number), left_s=6.0 - now_s)
        assert flushed_at == [0.0]
        for number in range(12, 80):
            now_s = number * 0.5
            journal.interval(2, interval(number), left_s=100.0)
    gaps = [later - earlier for earlier, later in pairwise(flushed_at)]
    assert len(flushed_at) > 5
    assert max(gaps) < 10


def test_the_names_of_new_directories_are_durable_before_a_run_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr("iosonde.store.directories.os.fsync", lambda handle: flushed.append(os.fstat(handle).st_ino))
    RunDirectory.create(tmp_path / "runs" / "first").start_journal(mixed_run().header).close()
    assert {each.stat().st_ino for each in (tmp_path, tmp_path / "runs")} <= set(flushed)


PAYLOADS = [b'{"a":{"b":[{"c":1}]}}', b'{"d":2}', b'{"e":{"f":3}}']


def going_on(path: Path, data: bytes) -> bytes:
    """The content of the journal after a frame was appended to ``data``."""
    path.write_bytes(data)
    with Journal(path, go_on=True) as journal:
        assert path.read_bytes() == data, "nothing was added yet"
        journal.end(SessionEnd(finished=True))
    return path.read_bytes()


END = encode(Kind.END, SessionEnd(finished=True).model_dump_json().encode())


def test_only_the_frame_that_writing_broke_off_in_is_cut_off(tmp_path: Path) -> None:
    data = journal_bytes(*PAYLOADS)
    last = len(data) - HEAD.size - len(PAYLOADS[-1])
    for cut in range(last + 1, len(data)):
        assert going_on(tmp_path / "journal", data[:cut]) == data[:last] + END, f"cut at {cut}"
        # After a power loss, a file can have its length but zeros instead of its content.
        assert going_on(tmp_path / "journal", data[:cut] + bytes(5000)) == data[:last] + END, f"zeros from {cut}"
    for bit in range(last * 8, len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << (bit % 8)
        assert going_on(tmp_path / "journal", bytes(flipped)) == data[:last] + END, f"bit {bit}"


def test_zeros_within_the_frame_that_writing_broke_off_in_are_part_of_it(tmp_path: Path) -> None:
    data = journal_bytes(*PAYLOADS)
    end = len(data) - HEAD.size - len(PAYLOADS[-1])
    payload = b'{"h":{"i":{"j":[1,2,3]}},"k":{"l":{"m":4}}}' * 3
    torn = data[:end] + encode(Kind.CELL, payload)
    for hole in range(end + HEAD.size, len(torn)):
        for size in (8, 20, 512):
            found = torn[:hole] + bytes(size) + torn[hole + size :]
            assert going_on(tmp_path / "journal", found) == data[:end] + END, f"{size} zeros at {hole}"


def test_a_stretch_that_is_damaged_in_the_middle_keeps_every_byte(tmp_path: Path) -> None:
    data = journal_bytes(*PAYLOADS)
    last = len(data) - HEAD.size - len(PAYLOADS[-1])
    for bit in range(PREFIX.size * 8, last * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << (bit % 8)
        assert going_on(tmp_path / "journal", bytes(flipped)) == bytes(flipped) + END, f"bit {bit}"


def test_where_more_than_the_last_frame_is_damaged_nothing_is_cut_and_nothing_added(tmp_path: Path) -> None:
    data = bytearray(journal_bytes(*PAYLOADS))
    data[-3] ^= 1
    data[-len(PAYLOADS[-1]) - HEAD.size - 3] ^= 1
    (tmp_path / "journal").write_bytes(data)
    with pytest.raises(RecordError, match="before its last frame"):
        Journal(tmp_path / "journal", go_on=True)
    assert (tmp_path / "journal").read_bytes() == data
    assert whole(bytes(data)) == [PAYLOADS[0]]
