"""Numbers as fio reads them. Text that fio reads as an unexpected number is refused.

``4k`` is 4,096 bytes, and 4,000 with ``kb_base=1000``; ``4KiB`` is the other of the two. fio ignores what it does
not know: ``1.5k`` is one byte, and ``4x`` is four. A bare time is in seconds, for some options in microseconds.
"""

import re
from typing import Final

from iosonde.errors import UsageError
from iosonde.units import SECOND_NS, TEXT_LENGTH_MAX

KB_BASES: Final = (1024, 1000)
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_TIMES_NS: Final = {
    "d": 86_400 * SECOND_NS,
    "h": 3_600 * SECOND_NS,
    "m": 60 * SECOND_NS,
    "s": SECOND_NS,
    "ms": 10**6,
    "msec": 10**6,
    "us": 10**3,
    "usec": 10**3,
}
_NUMBER: Final = re.compile(r"(0x[0-9a-f]+|[0-9]+)\s*([a-z%]*)", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"([kmgtp]?)(i?)(b?)")


def fio_number(text: str, option: str, kb_base: int) -> int:
    """A number or bytes: fio reads both in the same way. Raises UsageError."""
    number, unit = _parts(text, option)
    match = _SUFFIX.fullmatch(unit)
    if match is None or (match[2] and not match[1]):
        reason = "is a percentage of an unknown size" if unit == "%" else f"has an unknown unit '{unit}'"
        raise UsageError(
            f"fio option {option}={text} {reason}", f"specify {option} in bytes, or with the suffix k, m or g"
        )
    # Only the full suffix kib is the other kilo: ki is the same as k.
    is_other = bool(match[2] and match[3])
    base = (1000 if kb_base == KB_BASES[0] else 1024) if is_other else kb_base
    power: int = _POWERS[match[1]]
    return number * int(base**power)


def fio_time_ns(text: str, option: str, bare_ns: int = SECOND_NS) -> int:
    """A time; a bare number is in units of ``bare_ns``. Raises UsageError."""
    number, unit = _parts("" if text.lower().startswith("0x") else text, option)
    factor = bare_ns if not unit else _TIMES_NS.get(unit)
    if factor is None:
        raise UsageError(
            f"fio option {option}={text} has an unknown unit '{unit}'", "valid time units in fio: d, h, m, s, ms, us"
        )
    return number * factor


def fio_switch(text: str, option: str) -> bool:
    """On or off; an option without a value is on. Raises UsageError."""
    if text not in {"", "0", "1"}:
        raise UsageError(f"fio option {option}={text} is not 0 or 1", f"write {option}=1 or {option}=0")
    return text != "0"


def _parts(text: str, option: str) -> tuple[int, str]:
    """The number, and the unit in lower case."""
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= TEXT_LENGTH_MAX else None
    if match is None:
        raise UsageError(
            f"fio option {option}={text[:TEXT_LENGTH_MAX]} is not a whole number",
            f"specify {option} as a whole number, without arithmetic, fractions or variables",
        )
    return int(match[1], 0 if match[1][:2] in {"0x", "0X"} else 10), match[2].lower()
