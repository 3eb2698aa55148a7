"""Whether the rows of a table are rounds of one series: of one drive, under one condition, of a known quantity."""

import re
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from iosonde.errors import UsageError
from iosonde.sources.rounds.csv_columns import Columns
from iosonde.sources.rounds.csv_fields import plain_name
from iosonde.sources.rounds.csv_headers import CONDITION, DRIVE, UNIT
from iosonde.sources.rounds.measured import Measured

_WORD: Final = re.compile(r"[A-Za-z][\w .-]*$")

GROWTH_MIN: Final = 1.2
"""IOPS of large blocks are no higher than those of small ones, apart from the spread of measurements."""

PAGE_BYTES: Final = 4096
PURE: Final = (0, 100)
THROUGHPUT_SIZE_MIN: Final = 64 << 10
IOPS_MIN: Final = 10_000
"""A matrix of small blocks with smaller values only can have latencies or MB/s."""

SMALL_SIZE_MAX: Final = 8 << 10


def check_one_series(columns: Columns, header: Sequence[str], rows: Sequence[Sequence[str]], source: str) -> None:
    """Raises UsageError for rows of several drives, runs or conditions: their rounds do not follow one another."""
    for index in columns.unused_places(header):
        long = [row for row in rows if index < len(row)]
        name, texts = plain_name(header[index]), [row[index].strip() for row in long]
        values = list(dict.fromkeys(filter(None, texts)))
        if name in UNIT and columns.mixes and (other := [each for each in values if "iops" not in each.lower()]):
            raise UsageError(
                f"{source} has a matrix of {other[0]}, and only IOPS can be in one",
                "write a row for each round and cell, with a header such as round,read,block_size,lat_us",
            )
        names_rounds = _names_rounds(columns, long, texts)
        is_condition = (name in CONDITION or (_are_words(texts) and not names_rounds)) and _varies(columns, long, texts)
        if len(values) > 1 and (name in DRIVE or is_condition):
            what = "drives or runs" if name in DRIVE else "conditions"
            raise UsageError(
                f"{source} has rows of several {what}: {header[index].strip()} is {values[0]}, {values[1]}",
                "judge the rows of each by themselves, in a table of their own",
            )


def check_matrix(columns: Columns, header: Sequence[str], found: Sequence[Measured], source: str) -> None:
    """Raises UsageError for a matrix that does not name its quantity and whose values are hardly IOPS."""
    if not columns.mixes or any("iops" in header[index].lower() for index in columns.mixes):
        return
    work = [each.workload for each in found]
    values = [each.value.iops for each in found if each.value.iops is not None]
    is_of_throughput = all(each.read_percent in PURE and each.block_size_bytes >= THROUGHPUT_SIZE_MIN for each in work)
    is_of_small = all(each.block_size_bytes <= SMALL_SIZE_MAX for each in work)
    is_low = bool(values) and max(values) < IOPS_MIN
    if is_of_throughput or (is_of_small and is_low) or _grows(found):
        raise UsageError(
            f"{source} has a matrix whose values can be {'MB/s' if is_of_throughput else 'latencies or MB/s'}",
            "name IOPS in its headers, such as 0/100 IOPS; for other quantities, write a row for each round and "
            "cell, with a header such as round,read,block_size,mb_s",
        )


def _grows(found: Sequence[Measured]) -> bool:
    """Whether values grow with the block size, as latencies and bandwidths do and IOPS do not."""
    by_size: dict[int, list[float]] = {}
    for each in found:
        # Blocks below the page of a drive can be slower, because it reads the rest of the page first.
        if each.value.iops is not None and each.workload.block_size_bytes >= PAGE_BYTES:
            by_size.setdefault(each.workload.block_size_bytes, []).append(each.value.iops)
    means = [fmean(by_size[size]) for size in sorted(by_size)]
    return len(means) > 1 and means[-1] > GROWTH_MIN * means[0]


def _varies(columns: Columns, rows: Sequence[Sequence[str]], texts: Sequence[str]) -> bool:
    """Whether the texts of a column differ between rows of one cell. One that only describes the cell does not."""
    of_cell = {columns.cell_texts(row): text for row, text in zip(rows, texts, strict=True)}
    return any(of_cell[columns.cell_texts(row)] != text for row, text in zip(rows, texts, strict=True))


def _names_rounds(columns: Columns, rows: Sequence[Sequence[str]], texts: Sequence[str]) -> bool:
    """Whether a column has a text of its own for each round, such as ``loop3``."""
    pairs = {(columns.round_text(row), text) for row, text in zip(rows, texts, strict=True)}
    return len(pairs) == len({number for number, _ in pairs}) == len({text for _, text in pairs})


def _are_words(texts: Sequence[str]) -> bool:
    """Whether the texts of a column are words of which each is there several times, as those of conditions are."""
    counts = Counter(texts)
    return len(counts) * 2 <= len(texts) and all(map(_WORD.match, counts))
