"""Reads the frames of a journal in chunks: memory holds one frame and one chunk, however long the journal is."""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from iosonde.store.frames import HEAD, PAYLOAD_BYTES_MAX, PREFIX, Broken, Frame, Kind, Unknown, checksum_of

# A larger chunk exceeds the CPU caches and makes reading 10 % slower.
PIECE_BYTES: Final = 1 << 17
# An empty object. Zeros, which a power cut can leave in a file, are therefore never a valid frame length.
PAYLOAD_BYTES_MIN: Final = len(b"{}")
# After a damaged stretch, the next frame is found by its kind byte and the brace that opens every payload. The same two
# bytes inside a payload are rejected: the four bytes before them give an impossible length.
_LIKELY_START: Final = re.compile(rb"[\x01-\xff]\{")
_TO_KIND: Final = HEAD.size - 1
_KINDS: Final = {each.value: each for each in Kind}


class FrameStream:
    """The frames in order, with the damaged stretches between them. All frames after a damaged stretch are read.

    The file is read up to ``size_bytes``. ``at_bytes`` is where the next frame begins. If no whole frame follows, it
    stays before the incomplete end: a writer may still complete it.
    """

    def __init__(self, file: BinaryIO, size_bytes: int, at_bytes: int = PREFIX.size) -> None:
        self.at_bytes = at_bytes
        self.size_bytes = size_bytes
        self._file = file
        self._data = b""
        self._data_start = at_bytes
        self._is_positioned = False

    def __iter__(self) -> Iterator[Frame | Unknown | Broken]:
        while self._has(self.at_bytes, 1):
            start = self.at_bytes
            found = self._frame_at(start)
            if not isinstance(found, str):
                self.at_bytes = start + HEAD.size + len(found.payload)
                yield found
                continue
            end, begins_more = self._next_frame(start)
            if end is not None:
                self.at_bytes = end
                yield Broken(start, end, found)
                continue
            yield Broken(start, self.size_bytes, found, begins_more=begins_more)
            return

    def _frame_at(self, at: int) -> Frame | Unknown | str:
        """The frame that begins at ``at``, or the reason why there is none."""
        if not self._has(at, HEAD.size):
            return "the journal ends within a frame header"
        length, checksum, kind = HEAD.unpack_from(self._data, at - self._data_start)
        if length > PAYLOAD_BYTES_MAX:
            return "a frame has an invalid length"
        if not self._has(at, HEAD.size + length):
            return "the journal ends within a frame"
        start = at + HEAD.size - self._data_start
        payload = self._data[start : start + length]
        if checksum_of(kind, payload) != checksum:
            return "a frame's checksum does not match its content"
        known = _KINDS.get(kind)
        return Unknown(kind, payload) if known is None else Frame(known, payload)

    def _next_frame(self, broken: int) -> tuple[int | None, bool]:
        """The offset of the next whole frame after a broken one, and whether another frame starts after its header."""
        begins_more, at = False, self._likely_frame(broken + 1)
        while at is not None:
            begins_more = begins_more or at >= broken + HEAD.size
            if not isinstance(self._frame_at(at), str):
                return at, begins_more
            at = self._likely_frame(at + 1)
        return None, begins_more

    def _likely_frame(self, at: int) -> int | None:
        """The offset at ``at`` or later where a frame may begin, judged by its header only."""
        while self._has(at, HEAD.size + 1):
            likely = _LIKELY_START.search(self._data, at - self._data_start + _TO_KIND)
            if likely is None:
                # A header may be at the end of the chunk, with its brace in the next one.
                at = self._data_start + len(self._data) - HEAD.size
                continue
            start = likely.start() - _TO_KIND
            if PAYLOAD_BYTES_MIN <= HEAD.unpack_from(self._data, start)[0] <= PAYLOAD_BYTES_MAX:
                return self._data_start + start
            at = self._data_start + start + 1
        return None

    def _has(self, at: int, length: int) -> bool:
        """Whether ``length`` bytes at ``at`` exist. Reads them if needed, and drops the bytes before ``at``."""
        if at + length > self.size_bytes:
            return False
        missing = at + length - self._data_start - len(self._data)
        if missing <= 0:
            return True
        if not self._is_positioned:
            self._file.seek(self._data_start)
            self._is_positioned = True
        pieces = [self._data[at - self._data_start :]]
        self._data_start = at
        while missing > 0 and (piece := self._file.read(max(missing, PIECE_BYTES))):
            pieces.append(piece)
            missing -= len(piece)
        self._data = b"".join(pieces)
        if missing > 0:
            # The file was truncated after its length was read.
            self.size_bytes = at + len(self._data)
        return missing <= 0


def decode(data: bytes) -> Iterator[Frame | Unknown | Broken]:
    """The frames of a journal that is in memory."""
    return iter(FrameStream(io.BytesIO(data), len(data)))
