"""Encodes an image as a PNG data URL, for charts with too many marks to draw individually."""

import struct
import zlib
from base64 import b64encode
from typing import Any

from numpy.typing import NDArray

# Numbers of the PNG specification (ISO/IEC 15948): bits a sample, and red, green, blue, alpha.
_BITS = 8
_RGBA = 6


def png_data_url(pixels: "NDArray[Any]") -> str:
    """A PNG data URL of a byte array with the shape (height, width, 4): red, green, blue, alpha."""
    height, width, samples = pixels.shape
    assert samples == len("RGBA")
    lines = b"".join(b"\x00" + line.tobytes() for line in pixels)
    body = b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, _BITS, _RGBA, 0, 0, 0)),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        )
    )
    return f"data:image/png;base64,{b64encode(body).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
