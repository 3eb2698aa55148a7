"""DiskSpd's flags (2.2): a letter, immediately followed by its value. K, M and G are powers of two."""

import re
from collections.abc import Callable
from typing import Final

from iosonde.plans.other_tools.meaning import Kind, Meaning

_MILLISECONDS: Final = 1_000
Row = tuple[str, Kind, str | Callable[[re.Match[str]], str]]


def _size(flag: str) -> Callable[[re.Match[str]], str]:
    def said(match: re.Match[str]) -> str:
        if not match[1]:
            return flag
        unit = match[2].upper()
        if unit == "B":
            # In DiskSpd this is a number of blocks, and the block size is in another flag.
            return f"{flag}, {match[1]} times the block size"
        return f"{flag} {match[1]}{f'{unit}iB' if unit in {'K', 'M', 'G', 'T'} else 'B'}"

    return said


def _with(flag: str, unit: str = "") -> Callable[[re.Match[str]], str]:
    return lambda match: f"{flag} {match[1]}{unit}" if match[1] else flag


def _writes(match: re.Match[str]) -> str:
    """The write share as a read share. Without a number DiskSpd only reads."""
    return f"--read {100 - min(int(match[1] or 0), 100)}"


def _ranges(match: re.Match[str]) -> str:
    return f"--pattern hot:{match[1].replace(':', ',')}" if match[1] else "--pattern hot:80/20"


_AMOUNT: Final = r"(\d*)([KMGTkmgtb]?)"
ROWS: Final[tuple[Row, ...]] = (
    (rf"b{_AMOUNT}", Kind.FLAGS, _size("--block-size")),
    (rf"c{_AMOUNT}", Kind.FLAGS, _size("--size")),
    (rf"f{_AMOUNT}", Kind.FLAGS, _size("--span")),
    (rf"B{_AMOUNT}(?::.*)?", Kind.FLAGS, _size("--offset")),
    (r"d(\d*)", Kind.FLAGS, _with("--duration", "s")),
    (r"W(\d*)", Kind.FLAGS, _with("--warmup", "s")),
    (r"[oO](\d*)", Kind.FLAGS, _with("--queue-depth")),
    (r"[tF](\d*)", Kind.FLAGS, _with("--jobs")),
    (r"w(\d*)", Kind.FLAGS, _writes),
    (r"rs(\d+)", Kind.FLAGS, lambda match: f"--pattern runs:{match[1]}"),
    (r"rdpct(.*)", Kind.FLAGS, _ranges),
    (r"rdabs.*", Kind.NOT_AVAILABLE, "iosonde accepts zone sizes only as percentages: --pattern hot:80/20"),
    (rf"r{_AMOUNT}", Kind.FLAGS, "--pattern random"),
    (r"si.*", Kind.NOT_AVAILABLE, "with a sequential pattern, each job accesses a separate part of the target"),
    (r"s(\d+)([KMGTkmgtb]?)", Kind.FLAGS, lambda match: f"--pattern strided:{_size('')(match).strip()}"),
    (r"s", Kind.FLAGS, "--pattern sequential"),
    (
        r"g(\d+)i",
        Kind.WORDS,
        lambda match: f"--rate {match[1]} times the number of threads: the rate is the total for all jobs",
    ),
    (r"g.*", Kind.WORDS, "--rate, in operations per second, as the total for all jobs"),
    (r"i(\d*)", Kind.FLAGS, _with("--burst")),
    (r"j(\d*)", Kind.FLAGS, _with("--think-time", "ms")),
    (r"z(\d*)", Kind.FLAGS, _with("--seed")),
    (r"Z(?:r|\d.*)", Kind.NOT_NEEDED, "iosonde generates new random data for each write"),
    (r"Z", Kind.FLAGS, "--data zeros"),
    (r"Sb", Kind.FLAGS, "--buffered"),
    (r"Su", Kind.NOT_NEEDED, "I/O is direct unless --buffered is given"),
    (r"(?:Sh|Suw|Swu|h)", Kind.WORDS, "--sync dsync for writes; direct I/O is the default"),
    (r"Sw", Kind.FLAGS, "--sync dsync"),
    (r"S.*", Kind.NOT_AVAILABLE, "iosonde supports only direct I/O and --buffered"),
    (r"R.*", Kind.FLAGS, "--json"),
    (r"C.*", Kind.NOT_NEEDED, "iosonde records nothing after the measurement time"),
    (
        r"L",
        Kind.NOT_NEEDED,
        "iosonde records the latency of every operation and reports percentiles with 95 % confidence intervals",
    ),
    (r"D.*", Kind.NOT_NEEDED, "iosonde always records a time series"),
    (r"[an].*", Kind.NOT_NEEDED, "iosonde pins its workers to CPUs near the device"),
    (r"l", Kind.NOT_NEEDED, "iosonde registers its buffers with io_uring"),
    (r"x", Kind.NOT_NEEDED, "I/O is asynchronous, through io_uring"),
    (r"v", Kind.NOT_NEEDED, "iosonde always prints all results"),
    (r"[TpyeIPNX].*", Kind.NOT_AVAILABLE, "iosonde has no equivalent"),
)
"""The first row that matches the whole flag applies."""

_MEANT: Final = tuple((re.compile(pattern), kind, said) for pattern, kind, said in ROWS)


def diskspd_meaning(word: str) -> Meaning | None:
    """The counterpart of a flag such as ``-b4K``; None for a flag that DiskSpd doesn't have."""
    for pattern, kind, said in _MEANT:
        match = pattern.fullmatch(word[1:])
        if match is not None:
            return Meaning(word, kind, said if isinstance(said, str) else said(match))
    return None
