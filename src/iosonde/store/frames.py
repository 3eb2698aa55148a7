"""Frames: how the journal is cut up, so that a broken end or a flipped bit is found.

A journal begins with 8 bytes of magic and the schema version as a u32. A frame is a u32 length, a u32 CRC-32 over
kind and payload, one byte of kind, and the payload (JSON). Numbers are little-endian.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from iosonde.errors import RecordError

MAGIC: Final = b"iosondej"
PREFIX: Final = struct.Struct("<8sI")
HEAD: Final = struct.Struct("<IIB")
# A cell of a thousand slow operations and wide histograms is below 1 MiB.
PAYLOAD_BYTES_MAX: Final = 64 << 20


class Kind(IntEnum):
    """What a frame holds."""

    INTERVAL = 1
    CELL = 2
    FILL = 3
    END = 4


@dataclass(frozen=True)
class Frame:
    """One whole frame."""

    kind: Kind
    payload: bytes


@dataclass(frozen=True)
class Broken:
    """Where the whole frames end and what was found there."""

    offset_bytes: int
    reason: str


def prefix(schema_version: int) -> bytes:
    """The first bytes of a journal."""
    return PREFIX.pack(MAGIC, schema_version)


def encode(kind: Kind, payload: bytes) -> bytes:
    """One frame as bytes."""
    assert len(payload) <= PAYLOAD_BYTES_MAX, "the sources bound what a cell can hold"
    return HEAD.pack(len(payload), _checksum(kind, payload), kind) + payload


def schema_version_of(data: bytes) -> int:
    """The schema version in a journal's first bytes. Raises RecordError when they are not those of a journal."""
    if len(data) < PREFIX.size or not data.startswith(MAGIC):
        raise RecordError("the journal does not begin like one", "the run directory is damaged; use a copy of it")
    version: int = PREFIX.unpack_from(data)[1]
    return version


def decode(data: bytes) -> Iterator[Frame | Broken]:
    """The whole frames in order; at the first that is not whole, what is wrong with it, and no more."""
    at = PREFIX.size
    while at < len(data):
        found = _frame_at(data, at)
        yield found
        if isinstance(found, Broken):
            return
        at += HEAD.size + len(found.payload)


def _frame_at(data: bytes, at: int) -> Frame | Broken:
    if at + HEAD.size > len(data):
        return Broken(at, "the journal ends within a frame's head")
    length, checksum, kind = HEAD.unpack_from(data, at)
    payload = data[at + HEAD.size : at + HEAD.size + length]
    if length > PAYLOAD_BYTES_MAX:
        return Broken(at, "a frame's length is not possible")
    if len(payload) < length:
        return Broken(at, "the journal ends within a frame")
    if _checksum(kind, payload) != checksum:
        return Broken(at, "a frame's checksum does not fit its content")
    if kind not in set(Kind):
        return Broken(at, f"a frame is of the unknown kind {kind}")
    return Frame(Kind(kind), payload)


def _checksum(kind: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(bytes([kind])))
