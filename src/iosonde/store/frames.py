"""Frames: how the journal is cut up, so that a broken end or a flipped bit is found.

A journal begins with 8 bytes of magic and the schema version as a u32. A frame is a u32 length, a u32 CRC-32 over
kind and payload, one byte of kind, and the payload (JSON). Numbers are little-endian.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MAGIC: Final = b"iosondej"
PREFIX: Final = struct.Struct("<8sI")
HEAD: Final = struct.Struct("<IIB")
# A cell of a thousand slow operations and wide histograms is below 1 MiB.
PAYLOAD_BYTES_MAX: Final = 64 << 20
# An object without anything in it: zeros, which a power cut can leave in a file, are the length of no frame.
PAYLOAD_BYTES_MIN: Final = len(b"{}")
# Every payload is a JSON object, whatever its kind, so a frame that follows a damaged stretch shows by its kind and a
# brace. Within the text of a payload a length would be read that is not possible.
_LIKELY_START: Final = re.compile(rb"[\x01-\xff]\{")


class Kind(IntEnum):
    """What a frame holds. A number is never given to another kind: old journals, and old versions, know it."""

    INTERVAL = 1
    CELL = 2
    PREPARATION = 3
    END = 4
    SESSION = 5
    LATER_PASS = 6
    TURN = 7
    WITHIN = 8


_KINDS: Final = {each.value: each for each in Kind}
# The checksums of every kind alone, with which those of frames go on.
_BEGUN: Final = tuple(zlib.crc32(bytes([kind])) for kind in range(256))


@dataclass(frozen=True, slots=True)
class Frame:
    """One whole frame."""

    kind: Kind
    payload: bytes


@dataclass(frozen=True, slots=True)
class Unknown:
    """One whole frame of a kind that this version does not know, which only a newer one can have written."""

    kind: int
    payload: bytes


@dataclass(frozen=True)
class Broken:
    """A stretch that holds no whole frame: where it begins, where whole frames go on, and what was found there.

    ``end_bytes`` is the length of the journal when none goes on: then writing ended there.
    """

    offset_bytes: int
    end_bytes: int
    reason: str


def prefix(schema_version: int) -> bytes:
    """The first bytes of a journal."""
    return PREFIX.pack(MAGIC, schema_version)


def encode(kind: Kind, payload: bytes) -> bytes:
    """One frame as bytes."""
    assert len(payload) <= PAYLOAD_BYTES_MAX, "the sources bound what a cell can hold"
    return HEAD.pack(len(payload), checksum_of(kind, payload), kind) + payload


def schema_version_of(data: bytes) -> int | None:
    """The schema version in a journal's first bytes; None when they are not those of a journal."""
    if len(data) < PREFIX.size or not data.startswith(MAGIC):
        return None
    version: int = PREFIX.unpack_from(data)[1]
    return version


def decode(data: bytes) -> Iterator[Frame | Unknown | Broken]:
    """The frames in order, and between them what is not whole. A stretch that is damaged costs no frame behind it."""
    at = PREFIX.size
    while at < len(data):
        found = _frame_at(data, at)
        if not isinstance(found, str):
            yield found
            at += HEAD.size + len(found.payload)
        else:
            end = _next_frame(data, at + 1)
            yield Broken(at, end, found)
            at = end


def is_torn_end(data: bytes, broken: Broken) -> bool:
    """Whether a broken stretch is what writing broke off in: one frame, behind which nothing else was begun."""
    behind = broken.offset_bytes + HEAD.size
    return broken.end_bytes == len(data) and next(_likely_frames(data, behind), None) is None


def _frame_at(data: bytes, at: int) -> Frame | Unknown | str:
    """The frame that begins there, or why there is none."""
    if at + HEAD.size > len(data):
        return "the journal ends within a frame's head"
    length, checksum, kind = HEAD.unpack_from(data, at)
    if length > PAYLOAD_BYTES_MAX:
        return "a frame's length is not possible"
    payload = data[at + HEAD.size : at + HEAD.size + length]
    if len(payload) < length:
        return "the journal ends within a frame"
    if checksum_of(kind, payload) != checksum:
        return "a frame's checksum does not fit its content"
    known = _KINDS.get(kind)
    return Unknown(kind, payload) if known is None else Frame(known, payload)


def _next_frame(data: bytes, start: int) -> int:
    """Where the next whole frame begins, at ``start`` or later; the length of the data when there is none."""
    return next((at for at in _likely_frames(data, start) if not isinstance(_frame_at(data, at), str)), len(data))


def _likely_frames(data: bytes, start: int) -> Iterator[int]:
    """Where a frame may begin, by its head alone."""
    to_kind = HEAD.size - 1
    for likely in _LIKELY_START.finditer(data, start + to_kind):
        at = likely.start() - to_kind
        if PAYLOAD_BYTES_MIN <= HEAD.unpack_from(data, at)[0] <= PAYLOAD_BYTES_MAX:
            yield at


def checksum_of(kind: int, payload: bytes) -> int:
    """What a frame says of its kind and payload."""
    return zlib.crc32(payload, _BEGUN[kind])
