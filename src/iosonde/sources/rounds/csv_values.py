"""The columns of values in tables of rounds: of all operations, or of reads and writes each."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.records import Workload
from iosonde.sources.rounds.csv_fields import MIX_OF_OTHERS, plain_name, shortened, value_of
from iosonde.sources.rounds.csv_headers import VALUES, WITHOUT_UNIT
from iosonde.sources.rounds.measured import is_contradictory, other_share
from iosonde.units import SECOND_NS

ALL: Final = ""
READS: Final = "read"
WRITES: Final = "write"
_DIRECTIONS: Final[Mapping[str, str]] = {
    "": ALL,
    "total": ALL,
    "reads": READS,
    "read": READS,
    "rd": READS,
    "writes": WRITES,
    "write": WRITES,
    "wr": WRITES,
}
"""What a header says of the operations, before or after the quantity: ``Read IOPS``, ``iops_write``, ``total_iops``."""

_PER_S: Final = re.compile(r"/\s*s|\s/\s*(?=(?:n|u|µ|μ|m)?s(?:ec)?$)", re.IGNORECASE)
"""Signs that belong to a unit: ``MB/s``, ``Latency / µs``."""

_OTHER_VALUE: Final = re.compile(r"[\d%*/^$#]")
"""What makes a column one of another quantity or unit: ``99 % lat us``, ``IOPS/1000``, ``lat (100ns)``."""

_OTHER_IOPS: Final = re.compile(r"\s*k?iops\b", re.IGNORECASE)
ROUNDING_SHARE: Final = 0.01
"""Values of a row may contradict each other by this share, because they are rounded."""

BINARY_SHARE_MAX: Final = 0.006
"""The units of the smallest of these prefixes differ by 2.4 %. Rounded values differ by less than this share."""

IN_FLIGHT_MAX: Final = 3
"""By how much the product of IOPS and mean latency may exceed the operations in flight."""

LATENCY_NS_MIN: Final = 100


@dataclass(frozen=True)
class ValueColumn:
    """A quantity of all operations, of reads or of writes. ``is_plain``: the header does not say of which."""

    quantity: str
    scale: float
    direction: str = ALL
    is_plain: bool = True


Known = Mapping[tuple[str, str], float]
"""The values of a row by quantity and direction."""


def value_columns(header: Sequence[str], source: str) -> dict[int, ValueColumn]:
    """The columns of values by their places. Raises UsageError if two are of the same quantity."""
    found = {index: column for index, each in enumerate(header) if (column := _column(each)) is not None}
    # IOPS are those of all operations; a further column of the total says the same.
    plain = {each.quantity for each in found.values() if each.is_plain}
    found = {
        index: each
        for index, each in found.items()
        if each.is_plain or each.direction != ALL or each.quantity not in plain
    }
    counts = Counter((each.direction, each.quantity) for each in found.values())
    twice = [" ".join(filter(None, each)) for each, count in counts.items() if count > 1]
    if twice:
        raise UsageError(f"{source} has several columns of {twice[0]}: {shortened(header)}", "keep one of them")
    return found


def check_units(header: Sequence[str], source: str) -> None:
    """Raises UsageError for a table without values whose headers have another unit than is read, or none."""
    bare = [each.strip() for each in header if plain_name(each) in WITHOUT_UNIT and not _OTHER_VALUE.search(each)]
    if bare:
        raise UsageError(
            f"{source} does not say the unit of {bare[0]}", "name it in the header, such as lat_us, lat_ms or MB/s"
        )
    other = [each.strip() for each in header if _OTHER_IOPS.match(each)]
    if other:
        raise UsageError(f"{source} has IOPS in a unit that is not read: {other[0]}", "write plain IOPS")
    matrix = next((match for each in header if (match := MIX_OF_OTHERS.match(each))), None)
    if matrix is not None:
        raise UsageError(
            f"{source} has a matrix of {matrix.group(1).strip()}, and only IOPS can be in one",
            "write a row for each round and cell, with a header such as round,read,block_size,mb_s",
        )


def check_binary_units(values: Sequence[tuple[RoundValue, float]], source: str) -> None:
    """Raises UsageError for a bandwidth in KiB, MiB or GiB whose header says kB, MB or GB, or the reverse.

    ``values`` have the size of their operations: IOPS times size tells.
    """
    ratios = [
        value.iops * size / value.bytes_per_s for value, size in values if value.iops and value.bytes_per_s and size
    ]
    for power, (binary, decimal) in enumerate((("KiB", "kB"), ("MiB", "MB"), ("GiB", "GB")), 1):
        for factor, meant, said in ((1.024**power, binary, decimal), (1.024**-power, decimal, binary)):
            if ratios and all(abs(ratio / factor - 1) < BINARY_SHARE_MAX for ratio in ratios):
                raise UsageError(
                    f"{source} has a bandwidth in {meant}/s that its header names in {said}/s, as its IOPS and block "
                    "sizes say",
                    f"name it {meant}/s in the header",
                )


def _column(header: str) -> ValueColumn | None:
    if _OTHER_VALUE.search(_PER_S.sub("s", header)):
        return None
    name = plain_name(header)
    for word, direction in _DIRECTIONS.items():
        for rest in (name.removeprefix(word), name.removesuffix(word)):
            if rest in VALUES and (not word or rest != name):
                quantity, scale = VALUES[rest]
                return ValueColumn(quantity, scale, direction, is_plain=not word)
    return None


def round_value(
    columns: Mapping[int, ValueColumn], row: Sequence[str], workload: Workload, *, is_demand_known: bool
) -> RoundValue:
    """The values of a row. Raises ValueError if they contradict each other or the workload.

    If a quantity has columns of reads and of writes and none of the total, throughput is their sum, the mean latency
    is weighted by IOPS, and the maximum latency is the larger of the two. ``is_demand_known``: the table states the
    queue depth and the number of jobs.
    """
    known = {
        (each.quantity, each.direction): value_of(row[place]) * each.scale
        for place, each in columns.items()
        if row[place].strip()
    }
    _check_mix(known, workload.read_percent)
    _check_totals(known)
    longest = _of_all(known, "latency_ns_max", workload.read_percent)
    value = RoundValue(
        iops=_of_all(known, "iops", workload.read_percent),
        bytes_per_s=_of_all(known, "bytes_per_s", workload.read_percent),
        latency_ns_mean=_of_all(known, "latency_ns_mean", workload.read_percent),
        latency_ns_max=None if longest is None else round(longest),
    )
    size = workload.bytes_per_operation
    _check(value, size)
    if is_demand_known:
        _check_demand(value, workload)
    return value.with_throughput(size)


def quantities(columns: Mapping[int, ValueColumn]) -> AbstractSet[str]:
    """The quantities that a table has."""
    return {each.quantity for each in columns.values()}


def _of_all(known: Known, quantity: str, read_percent: int) -> float | None:
    """A quantity of all operations of a mix."""
    if (quantity, ALL) in known:
        return known[quantity, ALL]
    if read_percent in {0, 100}:
        return known.get((quantity, READS if read_percent else WRITES))
    parts = _of_both(known, quantity)
    if not parts or quantity == "latency_ns_max":
        return max(parts, default=None)
    if quantity == "latency_ns_mean":
        rates = _of_both(known, "iops")
        return fmean(parts, rates) if any(rates) else None
    return sum(parts)


def _of_both(known: Known, quantity: str) -> list[float]:
    """The values of reads and writes; none if one is unknown."""
    found = [known[quantity, each] for each in (READS, WRITES) if (quantity, each) in known]
    return found if len(found) > 1 else []


def _check_mix(known: Known, told: int) -> None:
    """Raises ValueError if the share of reads differs from that of the mix."""
    for quantity in ("iops", "bytes_per_s"):
        reads, writes = _of_both(known, quantity) or (0.0, 0.0)
        share = other_share(reads, writes, told)
        if share is not None:
            raise ValueError(f"its mix has {told} % of reads, but {share:.0f} % of its operations are reads")


def _check_totals(known: Known) -> None:
    """Raises ValueError if a total differs from the sum of reads and writes."""
    for quantity, what in (("iops", "operations/s"), ("bytes_per_s", "bytes/s")):
        parts, total = _of_both(known, quantity), known.get((quantity, ALL))
        if parts and total is not None and abs(sum(parts) - total) > ROUNDING_SHARE * max(total, sum(parts)) + 1:
            raise ValueError(f"reads and writes add up to {sum(parts):,.0f} {what}, and the total is {total:,.0f}")


def _check_demand(value: RoundValue, workload: Workload) -> None:
    """Raises ValueError if more operations are in flight than queues can hold (Little's law)."""
    if value.iops is None or value.latency_ns_mean is None:
        return
    held, most = value.iops * value.latency_ns_mean / SECOND_NS, workload.operations_in_flight
    if held > IN_FLIGHT_MAX * most:
        raise ValueError(
            f"{value.iops:,.0f} operations/s with a mean latency of {value.latency_ns_mean / 1000:,.1f} µs are "
            f"{held:,.0f} in flight, and the queues hold {most:,}"
        )


def _check(value: RoundValue, size: float) -> None:
    """Raises ValueError if values of a row contradict each other: a header then names the wrong quantity or unit."""
    mean, longest = value.latency_ns_mean, value.latency_ns_max
    if mean is not None and 0 < mean < LATENCY_NS_MIN:
        raise ValueError(f"a mean latency of {mean:g} ns is shorter than any drive has")
    if mean is not None and longest is not None and longest < mean * (1 - ROUNDING_SHARE):
        raise ValueError(f"the maximum latency of {longest / 1000:g} µs is below the mean of {mean / 1000:g} µs")
    if value.iops and value.bytes_per_s:
        computed = value.iops * size
        if is_contradictory(computed, value.bytes_per_s):
            raise ValueError(
                f"{value.iops:g} operations/s of {size:g} bytes are {computed / 1e6:g} MB/s, and not "
                f"{value.bytes_per_s / 1e6:g} MB/s"
            )
