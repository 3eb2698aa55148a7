"""The columns of tables of rounds, found by their names in the usual spellings, and the values of their fields.

A header names the unit of a latency or bandwidth.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.records import BlockSizes, parse_sizes
from iosonde.sources.rounds.csv_fields import (
    MIX,
    bytes_of,
    mix_of,
    plain_name,
    reads_of,
    round_of,
    shortened,
    value_of,
    whole_number,
)
from iosonde.sources.rounds.csv_headers import (
    CELL,
    DEPTH,
    DIRECTION,
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
    WRITE,
)
from iosonde.sources.rounds.csv_values import ValueColumn, check_units, quantities, round_value, value_columns
from iosonde.sources.rounds.fio_words import MIXED
from iosonde.sources.rounds.measured import NOTHING_GIVEN, Demand, GivenCell, Measured, workload_of
from iosonde.vocabulary import PhaseRole, Quantity

_SEQUENTIAL: Final = frozenset({"read", "write", "rw", "readwrite"})
_BITS: Final = re.compile(r"(?<![A-Za-z])[KMGT]i?b(?:it)?(?:s|/s|ps)|(?i:[kmgt]i?bits?)(?![a-z])")
"""Units of bits per second: ``Gb/s``, ``Mbps``, ``Mbit/s``. Without capitals, ``mb_s`` is taken as bytes."""

_PATTERN_WORD: Final = re.compile(r"(?:seq|rand|rnd)", re.IGNORECASE)

_HINT_OF_CELL: Final = "; `iosonde steady --cell read=0,block_size=4KiB` tells what is the same in all rows"
HINT: Final = (
    "use a header such as round,read_percent,block_size,queue_depth,jobs,iops (or bw_kib, mb_s, lat_us, lat_max_us)"
)


@dataclass(frozen=True)
class Columns:
    """The columns of a table. ``mixes`` are those of a mix each, by its percentage of reads.

    ``given`` is what the user says of all cells. ``size_scale`` are the bytes of a block size without a unit. With
    ``has_words_of_fio``, ``read`` and ``write`` are sequential.
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
    write: int | None
    percent: int | None
    tracked: int | None
    values: Mapping[int, ValueColumn]
    mixes: Mapping[int, int]
    given: GivenCell = NOTHING_GIVEN
    size_scale: int = 1
    has_words_of_fio: bool = False

    @classmethod
    def of(cls, header: Sequence[str], source: str, given: GivenCell = NOTHING_GIVEN) -> "Columns":
        """The columns that a header names. Raises UsageError if one that is needed is missing."""
        names = list(map(plain_name, header))
        if bits := next((each for each in header if _BITS.search(each)), None):
            raise UsageError(f"{source} has a column in bits: {bits}", "convert it to bytes, such as MB/s")

        def place(known: Container[str]) -> int | None:
            return next((index for index, name in enumerate(names) if name in known), None)

        mixes = {index: mix_of(match) for index, each in enumerate(header) if (match := MIX.match(each))}
        values = value_columns(header, source)
        size, read = place(SIZE), place(READ)
        read = place(DIRECTION) if read is None and not mixes else read
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
            place(WRITE) if read is None and not mixes else None,
            place(PERCENT),
            place(TRACKED),
            values,
            mixes,
            given,
            size_scale=1 if size is None else SIZE[names[size]],
            has_words_of_fio=read is not None and names[read] == "rw",
        )
        if not values and not mixes:
            check_units(header, source)
        found.check_given(source)
        wanted = {
            "round": found.round is not None,
            "block size": found.size is not None or given.block_size is not None,
            "mix": {found.read, found.write} != {None} or bool(mixes) or given.read is not None,
        }
        missing = [name for name, is_known in wanted.items() if not is_known]
        if missing or not (values or mixes):
            what = " and ".join([*missing, *([] if values or mixes else ["values"])])
            hint = f"{HINT}{_HINT_OF_CELL}" if {"block size", "mix"} & set(missing) else HINT
            raise UsageError(f"{source} has no column for {what}: {shortened(header)}", hint)
        return found

    def with_pattern(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> "Columns":
        """These columns, and as the access pattern one with another name that has nothing but its words."""
        for index in self.unused_places(header) if self.pattern is None else ():
            texts = {row[index].strip() for row in rows if index < len(row)} - {""}
            if texts and all(map(_PATTERN_WORD.match, texts)):
                return replace(self, pattern=index)
        return self

    def check_given(self, source: str) -> None:
        """Raises UsageError for what the user says although the table has a column for it."""
        given = self.given
        named = {
            "read": given.read is not None and ({self.read, self.write} != {None} or bool(self.mixes)),
            "block_size": given.block_size is not None and self.size is not None,
            "queue_depth": given.queue_depth is not None and self.depth is not None,
            "jobs": given.jobs is not None and self.jobs is not None,
        }
        if twice := next((name for name, is_there in named.items() if is_there), ""):
            raise UsageError(f"--cell has {twice}, and {source} has a column for it", f"leave {twice} out of --cell")

    def unused(self, header: Sequence[str]) -> Iterator[str]:
        """The names of the columns that say nothing here. In a table that iosonde wrote, they are not told."""
        yield from (header[index].strip() for index in self.unused_places(header))

    def unused_places(self, header: Sequence[str]) -> Iterator[int]:
        """The places of the columns that say nothing here."""
        if self.role is not None:
            return
        used = {
            *(self.round, self.read, self.size, self.depth, self.jobs, self.pattern, self.cell, self.sizes),
            *(self.percent, self.write, self.tracked, *self.test, *self.mixes),
            # In a matrix, only the columns of mixes are read.
            *(() if self.mixes else self.values),
        }
        yield from (index for index, name in enumerate(header) if index not in used and name.strip())

    def cell_texts(self, row: Sequence[str]) -> tuple[str, ...]:
        """The fields of a row that tell its cell."""
        places = (*self.test, self.read, self.size, self.depth, self.jobs, self.pattern, self.cell, self.sizes)
        known = [place for place in (*places, self.percent, self.write) if place is not None and place < len(row)]
        return tuple(row[place].strip() for place in known)

    def round_text(self, row: Sequence[str]) -> str:
        """The field of a row that tells its round."""
        return self._text(row, self.round)

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
        given = self.given
        number = round_of(self._text(row, self.round))
        kind = self._text(row, self.read)
        is_random_word = kind.lower().startswith("rand")
        is_word_of_fio = self.has_words_of_fio and kind.lower() in _SEQUENTIAL
        if kind.lower() in MIXED and self.percent is not None:
            kind = self._text(row, self.percent)
        demand = Demand(
            self._text(row, self.pattern).lower().startswith("seq")
            or (self.pattern is None and (is_word_of_fio or (self._has_only_bandwidth and not is_random_word))),
            self._number(row, self.depth, given.queue_depth),
            self._number(row, self.jobs, given.jobs),
        )
        states_demand = not {self.depth, self.jobs, given.queue_depth, given.jobs} <= {None}
        is_known = {self.depth, given.queue_depth} != {None} != {self.jobs, given.jobs}
        size = bytes_of(self._text(row, self.size), self.size_scale) if given.block_size is None else given.block_size
        if self.mixes:
            for column, read in self.mixes.items():
                iops = value_of(row[column]) if self._text(row, column) else None
                value = RoundValue() if iops is None else RoundValue(iops=iops, bytes_per_s=iops * size)
                yield Measured(number, workload_of(read, size, demand), value, states_demand)
            return
        read = self._reads(row, kind)
        workload = workload_of(read, size, demand, self._mixed_sizes(row))
        yield Measured(
            number, workload, round_value(self.values, row, workload, is_demand_known=is_known), states_demand
        )

    @property
    def _has_only_bandwidth(self) -> bool:
        """Whether the table is one of throughput, whose accesses are sequential if it does not say more."""
        return not self.mixes and quantities(self.values) == {"bytes_per_s"}

    def _mixed_sizes(self, row: Sequence[str]) -> BlockSizes | None:
        """The sizes of a cell with several."""
        text = self._text(row, self.sizes)
        sizes = parse_sizes(text, "block sizes") if text else None
        return sizes if isinstance(sizes, BlockSizes) else None

    def _reads(self, row: Sequence[str], kind: str) -> int:
        """The percentage of reads of a row."""
        if self.given.read is not None:
            return self.given.read
        if kind.lower() in MIXED and self.percent is None:
            raise ValueError(f"{kind} does not say the percentage of reads; add a column rwmixread")
        return reads_of(kind) if self.write is None else 100 - reads_of(self._text(row, self.write))

    def _number(self, row: Sequence[str], column: int | None, given: int | None) -> int:
        """A whole number of the row, else what the user says; 1 without both."""
        return whole_number(self._text(row, column) or "1") if given is None else given

    @staticmethod
    def _text(row: Sequence[str], column: int | None) -> str:
        return "" if column is None else row[column].strip()
