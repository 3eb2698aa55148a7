"""The columns of tables of rounds, found by their names in the usual spellings, and the values of their fields.

A header names the unit of a latency or bandwidth.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.records import BlockSizes, parse_sizes
from iosonde.sources.rounds.csv_fields import MIX, bytes_of, mix_of, reads_of, round_of, value_of, whole_number
from iosonde.sources.rounds.csv_headers import (
    CELL,
    DEPTH,
    JOBS,
    JUDGED_ROLES,
    PATTERN,
    PERCENT,
    PHASE,
    PROCEDURE,
    READ,
    ROLE,
    ROUND,
    SIZE,
    SIZES,
    TRACKED,
    VALUES,
)
from iosonde.sources.rounds.fio_words import MIXED
from iosonde.sources.rounds.measured import Demand, Measured, is_contradictory, workload_of
from iosonde.vocabulary import PhaseRole, Quantity

_SEQUENTIAL: Final = frozenset({"read", "write", "rw", "readwrite"})
_BITS: Final = re.compile(r"(?<![A-Za-z])[KMGT]i?b(?:it)?(?:s|/s|ps)|(?i:[kmgt]i?bits?)(?![a-z])")
"""Units of bits per second: ``Gb/s``, ``Mbps``, ``Mbit/s``. Without capitals, ``mb_s`` is taken as bytes."""

_PER_S: Final = re.compile(r"/\s*s", re.IGNORECASE)
_OTHER_IOPS: Final = re.compile(r"\s*k?iops\b", re.IGNORECASE)
_OTHER_VALUE: Final = re.compile(r"[\d%*/^$#]")
"""What makes a column one of another quantity or unit: ``99 % lat us``, ``IOPS/1000``, ``lat (100ns)``."""

ROUNDING_SHARE: Final = 0.01
"""A maximum latency may be below the mean by this share, because both are rounded."""

HEADER_MAX: Final = 200
"""The most characters of a header in an error."""

HINT: Final = (
    "use a header such as round,read_percent,block_size,queue_depth,jobs,iops (or bw_kib, mb_s, lat_us, lat_max_us)"
)


@dataclass(frozen=True)
class Columns:
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
    test: tuple[int, ...]
    role: int | None
    cell: int | None
    sizes: int | None
    percent: int | None
    tracked: int | None
    values: Mapping[int, tuple[str, float]]
    mixes: Mapping[int, int]
    size_scale: int = 1
    has_words_of_fio: bool = False

    @classmethod
    def of(cls, header: Sequence[str], source: str) -> "Columns":
        """The columns that a header names. Raises UsageError if one that is needed is missing."""
        names = list(map(plain_name, header))
        if bits := next((each for each in header if _BITS.search(each)), None):
            raise UsageError(f"{source} has a column in bits: {bits}", "convert it to bytes, such as MB/s")

        def place(known: Container[str]) -> int | None:
            return next((index for index, name in enumerate(names) if name in known), None)

        mixes = {index: mix_of(match) for index, each in enumerate(header) if (match := MIX.match(each))}
        values = {
            index: VALUES[name]
            for index, name in enumerate(names)
            if name in VALUES and not _OTHER_VALUE.search(_PER_S.sub("s", header[index]))
        }
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
            tuple(index for known in (PROCEDURE, PHASE) if (index := place(known)) is not None),
            place(ROLE),
            place(CELL),
            place(SIZES),
            place(PERCENT),
            place(TRACKED),
            values,
            mixes,
            size_scale=1 if size is None else SIZE[names[size]],
            has_words_of_fio=read is not None and names[read] == "rw",
        )
        if not values and not mixes and (other := [each.strip() for each in header if _OTHER_IOPS.match(each)]):
            raise UsageError(f"{source} has IOPS in a unit that is not read: {other[0]}", "write plain IOPS")
        missing = [
            name
            for name, column in (("round", found.round), ("block size", found.size), ("mix", found.read))
            if column is None and not (name == "mix" and mixes)
        ]
        if missing or not (values or mixes):
            what = " and ".join([*missing, *([] if values or mixes else ["values"])])
            raise UsageError(f"{source} has no column for {what}: {_shortened(header)}", HINT)
        return found

    def unused(self, header: Sequence[str]) -> Iterator[str]:
        """The names of the columns that say nothing here. In a table that iosonde wrote, they are not told."""
        yield from (header[index].strip() for index in self.unused_places(header))

    def unused_places(self, header: Sequence[str]) -> Iterator[int]:
        """The places of the columns that say nothing here."""
        if self.role is not None:
            return
        used = {
            *(self.round, self.read, self.size, self.depth, self.jobs, self.pattern, self.cell, self.sizes),
            *(self.percent, self.tracked, *self.test, *self.mixes),
            # In a matrix, only the columns of mixes are read.
            *(() if self.mixes else self.values),
        }
        yield from (index for index, name in enumerate(header) if index not in used and name.strip())

    def cell_texts(self, row: Sequence[str]) -> tuple[str, ...]:
        """The fields of a row that tell its cell."""
        places = (*self.test, self.read, self.size, self.depth, self.jobs, self.pattern, self.cell, self.sizes)
        known = [place for place in (*places, self.percent) if place is not None and place < len(row)]
        return tuple(row[place].strip() for place in known)

    def measured(self, row: Sequence[str]) -> Iterator[Measured]:
        """The cells of a row; none of a phase that is not judged by rounds."""
        if self.unjudged_role(row):
            return
        test = ", ".join(filter(None, (self._text(row, column) for column in self.test)))
        stated = tuple(map(Quantity, filter(None, self._text(row, self.tracked).split("+"))))
        cell = self._text(row, self.cell)
        yield from (replace(each, test=test, cell=cell, tracked=stated) for each in self._cells(row))

    def unjudged_role(self, row: Sequence[str]) -> str:
        """The role of the row's phase if that is not judged by rounds, such as ``histogram``; otherwise empty."""
        role = self._text(row, self.role)
        return "" if role in JUDGED_ROLES else role

    def screened(self, rows: Iterable[Sequence[str]]) -> set[str]:
        """The procedures whose steady state is that of a phase before the reported one: short forms."""
        screening = PhaseRole.SCREENING.value
        return {self._procedure(row) for row in rows if self._text(row, self.role) == screening}

    def is_after(self, row: Sequence[str], screened: Container[str]) -> bool:
        """Whether a row belongs to the matrix of such a procedure, which is measured once and not judged."""
        return self._text(row, self.role) == PhaseRole.ROUNDS.value and self._procedure(row) in screened

    def _procedure(self, row: Sequence[str]) -> str:
        return self._text(row, self.test[0]) if self.test else ""

    def _cells(self, row: Sequence[str]) -> Iterator[Measured]:
        number = round_of(self._text(row, self.round))
        kind = self._text(row, self.read)
        is_random_word = kind.lower().startswith("rand")
        is_word_of_fio = self.has_words_of_fio and kind.lower() in _SEQUENTIAL
        if kind.lower() in MIXED and self.percent is not None:
            kind = self._text(row, self.percent)
        demand = Demand(
            self._text(row, self.pattern).lower().startswith("seq")
            or (self.pattern is None and (is_word_of_fio or (self._has_only_bandwidth and not is_random_word))),
            whole_number(self._text(row, self.depth) or "1"),
            whole_number(self._text(row, self.jobs) or "1"),
        )
        states_demand = self.depth is not None or self.jobs is not None
        size = bytes_of(self._text(row, self.size), self.size_scale)
        if self.mixes:
            for column, read in self.mixes.items():
                iops = value_of(row[column]) if self._text(row, column) else None
                value = RoundValue() if iops is None else RoundValue(iops=iops, bytes_per_s=iops * size)
                yield Measured(number, workload_of(read, size, demand), value, states_demand)
            return
        workload = workload_of(reads_of(kind), size, demand, self._mixed_sizes(row))
        known = {
            name: value_of(row[column]) * scale
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
        size_mean = workload.bytes_per_operation
        _check(value, size_mean)
        yield Measured(number, workload, value.with_throughput(size_mean), states_demand)

    @property
    def _has_only_bandwidth(self) -> bool:
        """Whether the table is one of throughput, whose accesses are sequential if it does not say more."""
        return not self.mixes and {name for name, _ in self.values.values()} == {"bytes_per_s"}

    def _mixed_sizes(self, row: Sequence[str]) -> BlockSizes | None:
        """The sizes of a cell with several."""
        text = self._text(row, self.sizes)
        sizes = parse_sizes(text, "block sizes") if text else None
        return sizes if isinstance(sizes, BlockSizes) else None

    @staticmethod
    def _text(row: Sequence[str], column: int | None) -> str:
        return "" if column is None else row[column].strip()


def _check(value: RoundValue, size: float) -> None:
    """Raises ValueError if values of a row contradict each other: a header then names the wrong quantity or unit."""
    mean, longest = value.latency_ns_mean, value.latency_ns_max
    if mean is not None and longest is not None and longest < mean * (1 - ROUNDING_SHARE):
        raise ValueError(f"the maximum latency of {longest / 1000:g} µs is below the mean of {mean / 1000:g} µs")
    if value.iops and value.bytes_per_s:
        computed = value.iops * size
        if is_contradictory(computed, value.bytes_per_s):
            raise ValueError(
                f"{value.iops:g} operations/s of {size:g} bytes are {computed / 1e6:g} MB/s, and not "
                f"{value.bytes_per_s / 1e6:g} MB/s"
            )


def _shortened(header: Sequence[str]) -> str:
    text = ", ".join(header)
    return text if len(text) <= HEADER_MAX else f"{text[:HEADER_MAX]}…"


def plain_name(header: str) -> str:
    """A header in small letters without signs. One in another script, such as an unknown unit, has no name."""
    text = header.lower().replace("\N{MICRO SIGN}", "u").replace("\N{GREEK SMALL LETTER MU}", "u")
    return re.sub(r"[^a-z]", "", text) if text.isascii() else ""
