"""Parses and formats numbers with units.

Internally, all values are integers in base units (bytes, nanoseconds). Only this module knows prefixes: ``KiB`` is
2^10, ``kB`` is 10^3, and a bare ``K`` is refused because it is ambiguous.
"""

import re
from itertools import pairwise
from math import ceil
from typing import Final

from iosonde.errors import UsageError

MILLISECOND_NS: Final = 10**6
SECOND_NS: Final = 10**9
MINUTE_NS: Final = 60 * SECOND_NS
MEGABYTE: Final = 10**6
GIGABYTE: Final = 10**9
BINARY: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
DECIMAL: Final = {"B": 1, "kB": 10**3, "MB": MEGABYTE, "GB": GIGABYTE, "TB": 10**12}
DURATIONS_NS: Final = {
    "ns": 1,
    "us": 10**3,
    "ms": MILLISECOND_NS,
    "s": SECOND_NS,
    "m": MINUTE_NS,
    "min": MINUTE_NS,
    "h": 60 * MINUTE_NS,
    "d": 24 * 60 * MINUTE_NS,
}
_WHOLE_NS: Final = {"ns": 1, "us": 10**3, "ms": MILLISECOND_NS, "s": SECOND_NS}
# Below each limit, `format_duration` rounds to this step.
_TOLD_TO_NS: Final = (
    (SECOND_NS, MILLISECOND_NS),
    (100 * SECOND_NS, SECOND_NS // 10),
    (100 * MINUTE_NS, SECOND_NS),
    (None, MINUTE_NS),
)
LONG_NUMBER: Final = 100_000
DECIMALS_MAX: Final = 6
RATES: Final = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6}
TEXT_LENGTH_MAX: Final = 40
_NUMBER = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-zµ]*)\s*$")
_PART = re.compile(r"([0-9]+)\s*([A-Za-zµ]+)")
_SEVERAL = re.compile(rf"\s*{_PART.pattern}(?:\s*{_PART.pattern})+\s*")
_SPELLINGS: Final = {name.lower(): name for name in (*BINARY, *DECIMAL)}


def parse_bytes(text: str, what: str) -> int:
    """Bytes from text such as ``4KiB``, ``1.5 GiB`` or ``512`` (``what`` names the flag in errors).

    Raises UsageError for an unknown or ambiguous unit, and for fractions of a byte.
    """
    _check_length(text, what)
    match = _NUMBER.match(text)
    if match is None:
        raise UsageError(f"{what}: '{text}' is not a size", "use a size such as 4KiB, 1MiB or 8GiB")
    number, unit = match.groups()
    if unit.lower() in {"k", "m", "g", "t"}:
        letter = unit.upper()
        raise UsageError(
            f"{what}: '{text}' is ambiguous (powers of 2 or of 10)",
            f"use {number}{letter}iB for powers of 2, or {number}{'k' if letter == 'K' else letter}B for powers of 10",
        )
    name = _SPELLINGS.get(unit.lower(), None) if unit else "B"
    if name is None:
        raise UsageError(
            f"{what}: '{text}' uses the unknown unit '{unit}'", "use B, KiB, MiB, GiB, TiB or kB, MB, GB, TB"
        )
    return _whole(number, {**BINARY, **DECIMAL}[name], what, text, "bytes")


def parse_duration(text: str, what: str) -> int:
    """Nanoseconds from text such as ``5s``, ``200ms``, ``2m`` or ``6m30s`` (``what`` names the flag in errors).

    Also accepts the output of `format_duration`: ``6 min 30 s``.
    """
    _check_length(text, what)
    if _SEVERAL.fullmatch(text):
        return _of_parts(text, what)
    match = _NUMBER.match(text)
    if match is None:
        raise UsageError(f"{what}: '{text}' is not a duration", "use a duration such as 5s, 200ms or 2m")
    number, unit = match.groups()
    if not unit:
        raise UsageError(f"{what}: '{text}' has no unit", f"use {number}s for seconds")
    factor = DURATIONS_NS.get(unit.replace("µ", "u"))
    if factor is None:
        raise UsageError(f"{what}: '{text}' uses the unknown unit '{unit}'", "use ns, us, ms, s, m, h or d")
    return _whole(number, factor, what, text, "nanoseconds")


def _of_parts(text: str, what: str) -> int:
    """A duration of several parts, the largest unit first."""
    parts = ["".join(part) for part in _PART.findall(text)]
    factors = [DURATIONS_NS.get(unit.replace("µ", "u"), 0) for _, unit in _PART.findall(text)]
    if 0 not in factors and any(after >= before for before, after in pairwise(factors)):
        raise UsageError(
            f"{what}: '{text}' has the units in the wrong order", "put the largest unit first, as in 6m30s"
        )
    return sum(parse_duration(part, what) for part in parts)


def parse_percent(text: str, what: str) -> float:
    """Percent from text such as ``2%`` or ``0.5 %`` (``what`` names the flag in errors)."""
    _check_length(text, what)
    match = _NUMBER.match(text.strip().removesuffix("%"))
    if match is None or match[2]:
        raise UsageError(f"{what}: '{text}' is not a percentage", "use a percentage such as 2% or 0.5%")
    return float(match[1])


def parse_rate(text: str, what: str) -> int:
    """Operations per second from text such as ``500``, ``20k`` or ``1.5M`` (``what`` names the flag in errors).

    Rates use powers of ten, so ``k`` and ``M`` are not ambiguous. A trailing ``/s`` is accepted.
    """
    _check_length(text, what)
    match = _NUMBER.match(text.strip().removesuffix("/s"))
    if match is None:
        raise UsageError(f"{what}: '{text}' is not a rate", "use operations per second, such as 500, 20k or 1.5M")
    number, unit = match.groups()
    factor = RATES.get(unit)
    if factor is None:
        raise UsageError(
            f"{what}: '{text}' uses the unknown unit '{unit}'",
            "specify operations per second, such as 500, 20k (thousand) or 1.5M (million)",
        )
    return _whole(number, factor, what, text, "operations per second")


def _check_length(text: str, what: str) -> None:
    """Raises UsageError for text that is too long for a number with a unit."""
    if len(text) > TEXT_LENGTH_MAX:
        raise UsageError(f"{what}: '{text[:20]}...' has {len(text):,} characters", "use a shorter number")


def _whole(number: str, factor: int, what: str, text: str, base: str) -> int:
    whole, _, part = number.partition(".")
    scaled = int(whole + part) * factor
    value, rest = divmod(scaled, int(f"1{'0' * len(part)}"))
    if rest:
        raise UsageError(
            f"{what}: '{text}' is not a whole number of {base}",
            "use a smaller unit" if factor > 1 else f"use whole {base}",
        )
    return value


def _scaled(value: float, digits: int) -> str:
    """A number with at least ``digits`` significant digits, without an exponent."""
    magnitude = abs(value)
    decimals = digits - 1
    while magnitude >= 10 and decimals > 0:
        magnitude /= 10
        decimals -= 1
    return f"{value:,.{decimals}f}"


def _largest(value: float, table: dict[str, int]) -> tuple[str, int]:
    name, factor = "B", 1
    for candidate, size in table.items():
        if abs(value) >= size:
            name, factor = candidate, size
    return name, factor


def format_size(value_bytes: int) -> str:
    """A size in powers of two, exact if it is a whole number: ``4 KiB``, ``1.50 GiB``."""
    name, factor = _largest(value_bytes, BINARY)
    if value_bytes % factor == 0:
        return f"{value_bytes // factor} {name}"
    return f"{_scaled(value_bytes / factor, 3)} {name}"


def exact_size(value_bytes: int) -> str:
    """A size that parses to the same number, like ``format_size`` if possible: ``1.50 GiB``, ``1537 MiB``."""
    text = format_size(value_bytes)
    return text if is_size(text, value_bytes) else _undivided(value_bytes, BINARY)


def is_size(text: str, value_bytes: int) -> bool:
    """Whether a text parses to exactly this size."""
    try:
        return parse_bytes(text, "") == value_bytes
    except UsageError:
        return False


def exact_duration(duration_ns: int) -> str:
    """A duration without rounding, like ``format_duration`` if possible: ``5.0 s``, ``1250 ms``."""
    told_to = next(step for below, step in _TOLD_TO_NS if below is None or duration_ns < below)
    return format_duration(duration_ns) if duration_ns % told_to == 0 else _undivided(duration_ns, _WHOLE_NS)


def short_duration(duration_ns: int) -> str:
    """A duration without rounding if that is short, else rounded: ``1.25 s``, ``26.7 ms`` for 26,666,666 ns."""
    if duration_ns % MILLISECOND_NS == 0:
        exact = exact_duration(duration_ns)
        in_seconds = exact.endswith(" ms") and duration_ns >= SECOND_NS
        return f"{duration_ns // MILLISECOND_NS / 1000:.3f}".rstrip("0") + " s" if in_seconds else exact
    return f"{duration_ns / MILLISECOND_NS:.3g} ms" if duration_ns < SECOND_NS else format_duration(duration_ns)


def _undivided(value: int, units: dict[str, int]) -> str:
    """The number in the largest unit that divides it; a long one with decimals in a larger unit, if that is exact."""
    name, factor = max((unit for unit in units.items() if value % unit[1] == 0), key=lambda unit: unit[1])
    if value // factor < LONG_NUMBER:
        return f"{value // factor} {name}"
    step = 10**DECIMALS_MAX
    name, factor = max(
        (unit for unit in units.items() if unit[1] <= value and value * step % unit[1] == 0), key=lambda unit: unit[1]
    )
    whole, rest = divmod(value * step // factor, step)
    return f"{whole}.{rest:0{DECIMALS_MAX}}".rstrip("0").rstrip(".") + f" {name}"


def format_amount(value_bytes: float) -> str:
    """An amount of data in powers of ten: ``1.25 TB``."""
    name, factor = _largest(value_bytes, DECIMAL)
    return f"{_scaled(value_bytes / factor, 3)} {name}"


def format_bandwidth(bytes_per_s: float) -> str:
    """Bandwidth in MB/s (1,000,000 bytes per second), the unit of data sheets."""
    return f"{_scaled(bytes_per_s / MEGABYTE, 3)} MB/s"


def format_iops(per_s: float) -> str:
    """Operations per second, without a prefix."""
    return f"{per_s:,.0f}" if per_s >= 100 else _scaled(per_s, 3)


def format_rate(per_s: int) -> str:
    """An arrival rate per second, exact and in whole numbers: ``500``, ``20k``, ``1500k``, ``2M``."""
    for name, factor in (("M", 10**6), ("k", 10**3)):
        if per_s >= factor and per_s % factor == 0:
            return f"{per_s // factor}{name}"
    return str(per_s)


def format_latency(latency_ns: float) -> str:
    """A latency with three significant digits: in ns below 1 µs, in µs below 10 ms."""
    if latency_ns < 1_000:
        return f"{_scaled(latency_ns, 3)} ns"
    if latency_ns < 10_000_000:
        return f"{_scaled(latency_ns / 1_000, 3)} µs"
    if latency_ns < 10_000_000_000:
        return f"{_scaled(latency_ns / MILLISECOND_NS, 3)} ms"
    return f"{_scaled(latency_ns / SECOND_NS, 3)} s"


def format_frequency(hz: float) -> str:
    """The frequency of a CPU: ``2.60 GHz``."""
    return f"{hz / 10**9:.2f} GHz"


def format_percent(share: float, decimals: int = 0, *, signed: bool = False) -> str:
    """A share in percent: ``96 %``, or ``+25.0 %`` if ``signed``."""
    return f"{100 * share:{'+' if signed else ''}.{decimals}f} %"


def minutes_flag(duration_ns: float) -> str:
    """A duration rounded up to whole minutes, as a flag value: ``7m``."""
    return f"{ceil(duration_ns / MINUTE_NS)}m"


def format_duration(duration_ns: float) -> str:
    """A duration as text: ``350 ms``, ``5.0 s``, ``20 min 06 s``, ``3 h 05 min``."""
    seconds = duration_ns / SECOND_NS
    if seconds < 1:
        return f"{duration_ns / MILLISECOND_NS:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 100:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
