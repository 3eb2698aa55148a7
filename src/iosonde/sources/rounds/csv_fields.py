"""The fields of tables of rounds: numbers, rounds, mixes of reads and writes, and block sizes."""

import re
from collections.abc import Sequence
from typing import Final

from iosonde.errors import UsageError
from iosonde.sources.rounds.fio_words import READS
from iosonde.sources.rounds.measured import VALUE_MAX
from iosonde.units import parse_bytes

MIX: Final = re.compile(r"^\s*(\d{1,3})\s*[/:]\s*(\d{1,3})\s*(?:\(?iops\)?)?\s*$", re.IGNORECASE)
_SIZE: Final = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kKmM]?)(?:i?[bB])?\s*$")
_WITH_UNIT: Final = re.compile(r"^\s*\d+(?:\.\d+)?\s*[A-Za-zµμ%]")
MIX_OF_OTHERS: Final = re.compile(r"^\s*\d{1,3}\s*[/:]\s*\d{1,3}\s*\(?([A-Za-zµμ][^)]*)")
"""A header of a matrix with a quantity: ``0/100 MB/s``."""

HEADER_MAX: Final = 200
"""The most characters of a header in an error."""

_NUMBERED: Final = re.compile(r"^\D{0,12}?(\d{1,9})(?:\.0*)?$")


def value_of(text: str) -> float:
    """A measured value. Raises ValueError for one that nothing can measure."""
    try:
        value = float(text)
    except ValueError:
        way = "a unit" if _WITH_UNIT.match(text) else "separators of thousands"
        raise ValueError(f"{text.strip()} is not a number; write it without {way}") from None
    if not text.isascii() or "_" in text or not 0 <= value <= VALUE_MAX:
        raise ValueError(f"{text.strip()} is not a number from 0 to {VALUE_MAX:g}")
    return value


def whole_number(text: str) -> int:
    """A whole number, which some programs write as ``32.0``."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text} is not a number") from None
    if not value.is_integer():
        raise ValueError(f"{text} is not a whole number")
    return int(value)


def round_of(text: str) -> int:
    """The number of a round: ``3``, ``3.0``, ``R3``, ``round 3``."""
    match = _NUMBERED.match(text)
    if match is None or text.startswith("-"):
        raise ValueError(f"{text or 'an empty field'} is not the number of a round")
    return int(match.group(1))


def mix_of(match: re.Match[str]) -> int:
    """The percentage of reads of a mix such as ``65/35``. Raises UsageError if the parts do not add up to 100."""
    read, write = int(match.group(1)), int(match.group(2))
    if read + write != 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{match.group(0).strip()} is not a mix of reads and writes", "the parts add up to 100")
    return read


def reads_of(text: str) -> int:
    """A percentage of reads: ``65``, ``65/35``, ``read``."""
    if text.lower() in READS:
        return READS[text.lower()]
    match = MIX.match(text)
    return mix_of(match) if match else whole_number(text.rstrip("% "))


def bytes_of(text: str, scale: int) -> int:
    """A block size: ``4096``, ``4k``, ``4KiB``, ``0.5K``. ``scale`` is the unit in bytes of a number without one."""
    match = _SIZE.match(text)
    if match is None:
        return parse_bytes(text, "block size")
    unit = {"": scale, "k": 1024, "m": 1 << 20}[match.group(2).lower()]
    return int(float(match.group(1)) * unit)


def shortened(header: Sequence[str]) -> str:
    """The headers of a table in an error."""
    text = ", ".join(header)
    return text if len(text) <= HEADER_MAX else f"{text[:HEADER_MAX]}…"


def plain_name(header: str) -> str:
    """A header in small letters without signs. One in another script, such as an unknown unit, has no name."""
    text = header.lower().replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
    return re.sub(r"[^a-z]", "", text) if text.isascii() else ""
