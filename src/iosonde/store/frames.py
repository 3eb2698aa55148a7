"""The frames of the journal, which make an incomplete end or a flipped bit detectable.

A journal begins with 8 bytes of magic and the schema version as a u32. A frame is a u32 length, a u32 CRC-32 over
kind and payload, one byte of kind, and the payload (JSON). Numbers are little-endian.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MAGIC: Final = b"iosondej"
PREFIX: Final = struct.Struct("<8sI")
HEAD: Final = struct.Struct("<IIB")
# A cell of a thousand slow operations and wide histograms is below 1 MiB.
PAYLOAD_BYTES_MAX: Final = 64 << 20


class Kind(IntEnum):
    """The kind of a frame's payload. A number is never reused: old journals and old versions use it."""

    INTERVAL = 1
    CELL = 2
    PREPARATION = 3
    END = 4
    SESSION = 5
    LATER_PASS = 6
    TURN = 7
    WITHIN = 8
    PROCEDURE_START = 9


# The checksum of each kind byte, from which the checksum of a frame continues.
_BEGUN: Final = tuple(zlib.crc32(bytes([kind])) for kind in range(256))


@dataclass(frozen=True, slots=True)
class Frame:
    """One whole frame."""

    kind: Kind
    payload: bytes


@dataclass(frozen=True, slots=True)
class Unknown:
    """One whole frame of an unknown kind, written by a newer version."""

    kind: int
    payload: bytes


@dataclass(frozen=True)
class Broken:
    """A stretch without a whole frame, from ``offset_bytes`` to the next whole frame at ``end_bytes``.

    Without a next frame, ``end_bytes`` is the journal's length. ``begins_more`` then says that more than one frame is
    damaged: an interrupted write leaves only its last frame incomplete.
    """

    offset_bytes: int
    end_bytes: int
    reason: str
    begins_more: bool = False


def prefix(schema_version: int) -> bytes:
    """The first bytes of a journal."""
    return PREFIX.pack(MAGIC, schema_version)


def encode(kind: Kind, payload: bytes) -> bytes:
    """One frame as bytes."""
    assert len(payload) <= PAYLOAD_BYTES_MAX, "a frame must not exceed the maximum payload size"
    return HEAD.pack(len(payload), checksum_of(kind, payload), kind) + payload


def schema_version_of(data: bytes) -> int | None:
    """The schema version in a journal's first bytes; None if it is not a journal."""
    if len(data) < PREFIX.size or not data.startswith(MAGIC):
        return None
    version: int = PREFIX.unpack_from(data)[1]
    return version


def checksum_of(kind: int, payload: bytes) -> int:
    """The checksum of a frame's kind and payload."""
    return zlib.crc32(payload, _BEGUN[kind])
