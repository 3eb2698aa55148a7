"""Reads rounds from tables: one row per round and cell, or one row per round and block size with a column per mix.

Columns are found by their names, in the spellings that are usual. A header names the unit of a latency or bandwidth.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.sources.rounds.measured import Demand, Measured, workload_of
from iosonde.units import parse_bytes

_MIX: Final = re.compile(r"^\s*(\d{1,3})\s*/\s*(\d{1,3})\s*$")
_SIZE: Final = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kKmM]?)(?:i?[bB])?\s*$")
ROUND: Final = frozenset({"round", "rnd", "loop", "iteration", "pass"})
READ: Final = frozenset(
    {"read", "readpercent", "readpct", "rwmixread", "rwmix", "rw", "mix", "workload", "rwmixpercent", "wld"}
)
SIZE: Final = frozenset({"blocksize", "bs", "blocksizebytes", "size", "block"})
DEPTH: Final = frozenset({"queuedepth", "iodepth", "qd", "depth"})
JOBS: Final = frozenset({"jobs", "numjobs", "threads", "tc", "threadcount"})
PATTERN: Final = frozenset({"pattern", "access"})
_TIMES: Final = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_MEAN_NAMES: Final = (
    "lat",
    "latency",
    "latmean",
    "latencymean",
    "meanlat",
    "meanlatency",
    "avglat",
    "avglatency",
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
    "bwkib": ("bytes_per_s", 1024),
    "kibs": ("bytes_per_s", 1024),
    "kibpers": ("bytes_per_s", 1024),
    "mibs": ("bytes_per_s", 1 << 20),
    "mibpers": ("bytes_per_s", 1 << 20),
    "bwmib": ("bytes_per_s", 1 << 20),
    "mbs": ("bytes_per_s", 10**6),
    "mbpers": ("bytes_per_s", 10**6),
    "bwmb": ("bytes_per_s", 10**6),
    "throughputmbs": ("bytes_per_s", 10**6),
    "latencynsmean": ("latency_ns_mean", 1),
    "latencynsmax": ("latency_ns_max", 1),
    **{f"{name}{unit}": ("latency_ns_mean", scale) for name in _MEAN_NAMES for unit, scale in _TIMES.items()},
    **{f"{name}{unit}": ("latency_ns_max", scale) for name in _MAX_NAMES for unit, scale in _TIMES.items()},
}
VALUE_MAX: Final = 1e15
"""More than any drive has operations, bytes or nanoseconds: larger values would be mistakes."""

_HINT: Final = (
    "use a header such as round,read_percent,block_size,queue_depth,jobs,iops (or bw_kib, mb_s, lat_us, lat_max_us)"
)


def read_csv(text: str, source: str) -> list[Measured]:
    """The cells of a table, with their rounds. Raises UsageError for a table without the columns that it takes."""
    try:
        read = csv.reader(io.StringIO(text), _dialect(text))
        rows = [row for row in read if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{source} is not a table of text", _HINT) from error
    if not rows:
        raise UsageError(f"{source} is empty", _HINT)
    columns = _Columns.of(rows[0], source)
    found: list[Measured] = []
    for number, row in enumerate(rows[1:], 2):
        try:
            if len(row) > len(rows[0]):
                raise ValueError(f"it has {len(row)} fields, and the header {len(rows[0])}")  # noqa: TRY301
            found += columns.measured(row)
        except (ValueError, IndexError) as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error}", _HINT) from error
    return found


def _dialect(text: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        return csv.excel


@dataclass(frozen=True)
class _Columns:
    """The columns of a table. ``mixes`` are those of a mix each, by its percentage of reads."""

    round: int | None
    read: int | None
    size: int | None
    depth: int | None
    jobs: int | None
    pattern: int | None
    values: Mapping[int, tuple[str, float]]
    mixes: Mapping[int, int]

    @classmethod
    def of(cls, header: Sequence[str], source: str) -> "_Columns":
        names = [re.sub(r"[^a-z]", "", each.lower().replace("µ", "u").replace("%", "")) for each in header]

        def place(known: frozenset[str]) -> int | None:
            return next((index for index, name in enumerate(names) if name in known), None)

        mixes = {index: int(match.group(1)) for index, each in enumerate(header) if (match := _MIX.match(each))}
        values = {index: VALUES[name] for index, name in enumerate(names) if name in VALUES}
        found = cls(place(ROUND), place(READ), place(SIZE), place(DEPTH), place(JOBS), place(PATTERN), values, mixes)
        missing = [
            name
            for name, column in (("round", found.round), ("block size", found.size), ("mix", found.read))
            if column is None and not (name == "mix" and mixes)
        ]
        if missing or not (values or mixes):
            what = " and ".join([*missing, *([] if values or mixes else ["values"])])
            raise UsageError(f"{source} has no column for {what}: {', '.join(header)}", _HINT)
        return found

    def measured(self, row: Sequence[str]) -> Iterator[Measured]:
        number = int(float(self._text(row, self.round)))
        demand = Demand(
            self._text(row, self.pattern).lower().startswith("seq"),
            int(self._text(row, self.depth) or 1),
            int(self._text(row, self.jobs) or 1),
        )
        size = _bytes(self._text(row, self.size))
        if self.mixes:
            for column, read in self.mixes.items():
                yield Measured(number, workload_of(read, size, demand), RoundValue(iops=_number(row[column])))
            return
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
        yield Measured(number, workload_of(_read(self._text(row, self.read)), size, demand), value)

    @staticmethod
    def _text(row: Sequence[str], column: int | None) -> str:
        return "" if column is None else row[column].strip()


def _number(text: str) -> float:
    """A measured value. Raises ValueError for one that nothing can measure."""
    value = float(text)
    if not text.isascii() or "_" in text or not 0 <= value <= VALUE_MAX:
        raise ValueError(f"{text.strip()} is not a number from 0 to {VALUE_MAX:g}")
    return value


def _read(text: str) -> int:
    """A percentage of reads: ``65``, ``65/35``, ``read``."""
    words = {"read": 100, "randread": 100, "write": 0, "randwrite": 0}
    if text.lower() in words:
        return words[text.lower()]
    match = _MIX.match(text)
    return int(match.group(1)) if match else int(float(text.rstrip("% ")))


def _bytes(text: str) -> int:
    """A block size: ``4096``, ``4k``, ``4KiB``, ``0.5K``."""
    match = _SIZE.match(text)
    if match is None:
        return parse_bytes(text, "block size")
    unit = {"": 1, "k": 1024, "m": 1 << 20}[match.group(2).lower()]
    return int(float(match.group(1)) * unit)
