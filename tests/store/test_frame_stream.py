"""Frames are read in pieces: their size does not change the frames, and memory holds one piece at a time."""

import io
import random
import tracemalloc
from typing import BinaryIO

import pytest

from iosonde.store import frame_stream
from iosonde.store.frame_stream import FrameStream, decode
from iosonde.store.frames import Broken, Frame, Kind, encode, prefix

FRAMES = [b'{"number":%d,"filled":"%s"}' % (number, b"x" * (number * 7 % 60)) for number in range(40)]


def journal() -> bytes:
    return prefix(1) + b"".join(encode(Kind.CELL, payload) for payload in FRAMES)


@pytest.mark.parametrize("piece_bytes", [1, 2, 9, 10, 64, 1000])
def test_the_size_of_the_pieces_changes_nothing(piece_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(piece_bytes)
    for _ in range(30):
        data = bytearray(journal())
        for _ in range(draw.randrange(4)):
            start = draw.randrange(12, len(data))
            data[start : start + 20] = draw.randbytes(draw.choice([0, 1, 20, 200]))
        monkeypatch.setattr(frame_stream, "PIECE_BYTES", len(data))
        expected = list(decode(bytes(data)))
        monkeypatch.setattr(frame_stream, "PIECE_BYTES", piece_bytes)
        assert list(decode(bytes(data))) == expected


def test_a_stream_that_begins_at_a_frame_gives_those_from_there_on() -> None:
    data = journal()
    stream = FrameStream(io.BytesIO(data), len(data))
    next(iter(stream))
    rest = FrameStream(io.BytesIO(data), len(data), stream.at_bytes)
    assert [each.payload for each in rest if isinstance(each, Frame)] == FRAMES[1:]


def test_a_file_that_is_cut_while_it_is_read_ends_where_it_is_cut() -> None:
    data = journal()
    found = list(FrameStream(io.BytesIO(data[:-3]), len(data)))
    assert found == list(decode(data[:-3]))
    assert isinstance(found[-1], Broken)


class Zeros(io.RawIOBase, BinaryIO):
    """A file of zeros."""

    def __init__(self, size_bytes: int) -> None:
        self._left_bytes = size_bytes

    def seek(self, _offset: int, _whence: int = 0) -> int:
        return 0

    def read(self, size: int = -1) -> bytes:
        size = min(size, self._left_bytes)
        self._left_bytes -= size
        return bytes(size)


def test_a_damaged_stretch_takes_no_more_memory_than_a_piece() -> None:
    size_bytes = 200 << 20
    tracemalloc.start()
    try:
        assert list(FrameStream(Zeros(size_bytes), size_bytes)) == [
            Broken(12, size_bytes, "a frame's checksum does not match its content")
        ]
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
