"""Reads rounds from tables: one row per round and cell, or one row per round and block size with a column per mix.

Columns are found by their names, in the spellings that are usual. A header names the unit of a latency or bandwidth.
"""

import csv
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.sources.rounds.measured import VALUE_MAX, Demand, Measured, workload_of
from iosonde.units import parse_bytes

_DECIMAL: Final = re.compile(r"^\s*(\d+),(\d+)\s*$")
"""A number with a decimal comma, which a table can have whose fields are separated in another way."""

_MIX: Final = re.compile(r"^\s*(\d{1,3})\s*/\s*(\d{1,3})\s*$")
_SIZE: Final = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kKmM]?)(?:i?[bB])?\s*$")
_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")
_NUMBERED: Final = re.compile(r"^\D{0,12}?(\d{1,9})(?:\.0*)?$")
ROUND: Final = frozenset({"round", "rnd", "loop", "iteration", "pass"})
READ: Final = frozenset(
    {"read", "readpercent", "readpct", "rwmixread", "rwmix", "rw", "mix", "workload", "rwmixpercent", "wld"}
)
SIZE: Final[Mapping[str, int]] = {
    **dict.fromkeys(("blocksize", "bs", "blocksizebytes", "blocksizeb", "size", "block"), 1),
    **dict.fromkeys(("blocksizekib", "blocksizekb", "blocksizek", "bskib", "bskb", "bsk"), 1024),
}
"""Names of the block size column, with the unit of a plain number in bytes."""

DEPTH: Final = frozenset({"queuedepth", "iodepth", "qd", "depth"})
JOBS: Final = frozenset({"jobs", "numjobs", "threads", "tc", "threadcount"})
PATTERN: Final = frozenset({"pattern", "access"})
_TIMES: Final = {
    **dict.fromkeys(("ns", "nsec"), 1),
    **dict.fromkeys(("us", "usec"), 10**3),
    **dict.fromkeys(("ms", "msec"), 10**6),
    **dict.fromkeys(("s", "sec"), 10**9),
}
_RATES: Final = {"kib": 1024, "kb": 10**3, "mib": 1 << 20, "mb": 10**6, "gib": 1 << 30, "gb": 10**9}
_RATE_NAMES: Final = ("", "bw", "bandwidth", "throughput")
_MEAN_NAMES: Final = (
    "lat",
    "latency",
    "latmean",
    "latencymean",
    "meanlat",
    "meanlatency",
    "avglat",
    "avglatency",
    "averagelatency",
    "averageresponsetime",
    "latavg",
    "latencyavg",
    "clat",
    "art",
)
_MAX_NAMES: Final = ("latmax", "latencymax", "maxlat", "maxlatency", "mrt")
# By normalised name: the quantity, and what a value is multiplied by.
VALUES: Final[Mapping[str, tuple[str, float]]] = {
    "iops": ("iops", 1),
    "iopsmean": ("iops", 1),
    "bytespers": ("bytes_per_s", 1),
    "bwbytes": ("bytes_per_s", 1),
    "bw": ("bytes_per_s", 1024),
    **{f"bw{unit}": ("bytes_per_s", scale) for unit, scale in _RATES.items()},
    **{
        f"{name}{unit}{per}": ("bytes_per_s", scale)
        for name in _RATE_NAMES
        for unit, scale in _RATES.items()
        for per in ("s", "pers", "sec")
    },
    "latencynsmean": ("latency_ns_mean", 1),
    "latencynsmax": ("latency_ns_max", 1),
    **{f"{name}{unit}": ("latency_ns_mean", scale) for name in _MEAN_NAMES for unit, scale in _TIMES.items()},
    **{f"{name}{unit}": ("latency_ns_max", scale) for name in _MAX_NAMES for unit, scale in _TIMES.items()},
}
HEADER_MAX: Final = 200
"""The most characters of a header in an error."""

_HINT: Final = (
    "use a header such as round,read_percent,block_size,queue_depth,jobs,iops (or bw_kib, mb_s, lat_us, lat_max_us)"
)


def read_csv(text: str, source: str) -> list[Measured]:
    """The cells of a table, with their rounds. Raises UsageError for a table without the columns that it takes."""
    if _BINARY.search(text):
        raise UsageError(f"{source} is not a table of text", _HINT)
    try:
        lines = [line for line in text.splitlines() if not line.lstrip().lower().startswith(("#", "sep="))]
        dialect = _dialect("\n".join(lines))
        rows = [row for row in csv.reader(lines, dialect) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{source} is not a table of text", _HINT) from error
    if not rows:
        raise UsageError(f"{source} is empty", _HINT)
    columns = _Columns.of(rows[0], source)
    has_comma = dialect.delimiter != ","
    found: list[Measured] = []
    for number, row in enumerate(rows[1:], 2):
        try:
            if len(row) > len(rows[0]):
                raise ValueError(f"it has {len(row)} fields, and the header {len(rows[0])}")  # noqa: TRY301
            found += columns.measured([_DECIMAL.sub(r"\1.\2", each) if has_comma else each for each in row])
        except IndexError as error:
            raise UsageError(f"{source}: row {number} has {len(row)} of {len(rows[0])} fields", _HINT) from error
        except (ValueError, OverflowError) as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error}", _HINT) from error
        except UsageError as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error.message}", error.hint) from error
    if {each.workload.read_percent for each in found} in ({0, 1}, {1}):
        raise UsageError(
            f"{source} has reads of 1: that can be 1 % or all operations", "write 100 for reads only, or 100/0"
        )
    return found


def _dialect(text: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        return csv.excel


@dataclass(frozen=True)
class _Columns:
    """The columns of a table. ``mixes`` are those of a mix each, by its percentage of reads.

    ``size_scale`` are the bytes of a block size without a unit. With ``has_words_of_fio``, ``read`` and ``write`` are
    sequential.
    """

    round: int | None
    read: int | None
    size: int | None
    depth: int | None
    jobs: int | None
    pattern: int | None
    values: Mapping[int, tuple[str, float]]
    mixes: Mapping[int, int]
    size_scale: int = 1
    has_words_of_fio: bool = False

    @classmethod
    def of(cls, header: Sequence[str], source: str) -> "_Columns":
        names = list(map(_plain_name, header))

        def place(known: Container[str]) -> int | None:
            return next((index for index, name in enumerate(names) if name in known), None)

        mixes = {index: _mix(match) for index, each in enumerate(header) if (match := _MIX.match(each))}
        values = {index: VALUES[name] for index, name in enumerate(names) if name in VALUES}
        twice = [name for name, count in Counter(name for name, _ in values.values()).items() if count > 1]
        if twice:
            raise UsageError(f"{source} has several columns of {twice[0]}: {_shortened(header)}", "keep one of them")
        size, read = place(SIZE), place(READ)
        found = cls(
            place(ROUND),
            read,
            size,
            place(DEPTH),
            place(JOBS),
            place(PATTERN),
            values,
            mixes,
            size_scale=1 if size is None else SIZE[names[size]],
            has_words_of_fio=read is not None and names[read] == "rw",
        )
        missing = [
            name
            for name, column in (("round", found.round), ("block size", found.size), ("mix", found.read))
            if column is None and not (name == "mix" and mixes)
        ]
        if missing or not (values or mixes):
            what = " and ".join([*missing, *([] if values or mixes else ["values"])])
            raise UsageError(f"{source} has no column for {what}: {_shortened(header)}", _HINT)
        return found

    def measured(self, row: Sequence[str]) -> Iterator[Measured]:
        number = _round(self._text(row, self.round))
        is_word_of_fio = self.has_words_of_fio and self._text(row, self.read).lower() in {"read", "write"}
        demand = Demand(
            self._text(row, self.pattern).lower().startswith("seq") or (self.pattern is None and is_word_of_fio),
            _whole(self._text(row, self.depth) or "1"),
            _whole(self._text(row, self.jobs) or "1"),
        )
        states_demand = self.depth is not None or self.jobs is not None
        size = _bytes(self._text(row, self.size), self.size_scale)
        if self.mixes:
            for column, read in self.mixes.items():
                value = RoundValue(iops=_number(row[column])) if self._text(row, column) else RoundValue()
                yield Measured(number, workload_of(read, size, demand), value, states_demand)
            return
        workload = workload_of(_read(self._text(row, self.read)), size, demand)
        known = {
            name: _number(row[column]) * scale
            for column, (name, scale) in self.values.items()
            if self._text(row, column)
        }
        longest = known.get("latency_ns_max")
        value = RoundValue(
            iops=known.get("iops"),
            bytes_per_s=known.get("bytes_per_s"),
            latency_ns_mean=known.get("latency_ns_mean"),
            latency_ns_max=None if longest is None else round(longest),
        )
        if value.iops is None and value.bytes_per_s is not None:
            value = replace(value, iops=value.bytes_per_s / size)
        yield Measured(number, workload, value, states_demand)

    @staticmethod
    def _text(row: Sequence[str], column: int | None) -> str:
        return "" if column is None else row[column].strip()


def _number(text: str) -> float:
    """A measured value. Raises ValueError for one that nothing can measure."""
    value = float(text)
    if not text.isascii() or "_" in text or not 0 <= value <= VALUE_MAX:
        raise ValueError(f"{text.strip()} is not a number from 0 to {VALUE_MAX:g}")
    return value


def _shortened(header: Sequence[str]) -> str:
    text = ", ".join(header)
    return text if len(text) <= HEADER_MAX else f"{text[:HEADER_MAX]}…"


def _plain_name(header: str) -> str:
    """A header in small letters without signs. One in another script, such as an unknown unit, has no name."""
    text = header.lower().replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
    return re.sub(r"[^a-z]", "", text) if text.isascii() else ""


def _whole(text: str) -> int:
    """A whole number, which some programs write as ``32.0``."""
    value = float(text)
    if not value.is_integer():
        raise ValueError(f"{text} is not a whole number")
    return int(value)


def _round(text: str) -> int:
    """The number of a round: ``3``, ``3.0``, ``R3``, ``round 3``."""
    match = _NUMBERED.match(text)
    if match is None:
        raise ValueError(f"{text or 'an empty field'} is not the number of a round")
    return int(match.group(1))


def _mix(match: re.Match[str]) -> int:
    read, write = int(match.group(1)), int(match.group(2))
    if read + write != 100:  # noqa: PLR2004 - percent
        raise UsageError(f"{match.group(0).strip()} is not a mix of reads and writes", "the parts add up to 100")
    return read


def _read(text: str) -> int:
    """A percentage of reads: ``65``, ``65/35``, ``read``."""
    words = {"read": 100, "randread": 100, "write": 0, "randwrite": 0}
    if text.lower() in words:
        return words[text.lower()]
    match = _MIX.match(text)
    return _mix(match) if match else _whole(text.rstrip("% "))


def _bytes(text: str, scale: int) -> int:
    """A block size: ``4096``, ``4k``, ``4KiB``, ``0.5K``. ``scale`` are the bytes of a number without a unit."""
    match = _SIZE.match(text)
    if match is None:
        return parse_bytes(text, "block size")
    unit = {"": scale, "k": 1024, "m": 1 << 20}[match.group(2).lower()]
    return int(float(match.group(1)) * unit)
