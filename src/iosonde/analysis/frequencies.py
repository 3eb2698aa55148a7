"""The CPU frequency of a run: how it differs between cells, and how it changed over the run.

Only repeats in which the workers kept their CPUs busy count: an idle CPU may report a frequency at which it does no
work.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.estimate import Estimate, estimate
from iosonde.analysis.ratios import Ratio, known_of, ratio_of, spread_of
from iosonde.records import CellRecord

BUSY_MIN: Final = 0.5
"""The least share of the time of their CPUs that the workers used."""

REPEATS_MIN: Final = 3
"""Fewer repeats of a cell do not show their scatter, because a frequency is often reported in steps."""


@dataclass(frozen=True)
class CellFrequency:
    """The CPU frequency of a cell over its busy repeats, in Hz."""

    cell: str
    frequency_hz: Estimate


@dataclass(frozen=True)
class Frequencies:
    """The CPU frequencies of busy cells on one host, highest first.

    ``highest_of_lowest`` is the ratio of the first cell to the last one, and ``late_of_early`` that of the second half
    of the repeats of all cells to the first half. Both are None with too few cells or repeats.
    """

    cells: tuple[CellFrequency, ...]
    highest_of_lowest: Ratio | None
    late_of_early: Ratio | None


def busy_hz(record: CellRecord) -> int | None:
    """The mean frequency of the CPUs of a repeat; None if it is unknown, or if the workers did not keep them busy."""
    found = None if record.cpu is None else record.cpu.frequency
    if found is None or not record.measured_ns or not record.cpu_workers_ns:
        return None
    busy = record.cpu_workers_ns / (record.measured_ns * found.cpus)
    return found.frequency_hz_mean if busy >= BUSY_MIN else None


def frequencies_of(records: Sequence[CellRecord]) -> Frequencies:
    """The frequencies of the given repeats, all of one host."""
    by_cell: dict[str, list[int]] = defaultdict(list)
    for record in sorted(records, key=lambda each: each.order):
        hz = busy_hz(record)
        if hz is not None:
            by_cell[record.cell].append(hz)
    enough = {cell: values for cell, values in by_cell.items() if len(values) >= REPEATS_MIN}
    known = [CellFrequency(cell, found) for cell, values in enough.items() if (found := estimate(values)) is not None]
    known.sort(key=lambda each: -each.frequency_hz.mean)
    return Frequencies(tuple(known), spread_of([each.frequency_hz for each in known]), _late_of_early(enough))


def _late_of_early(by_cell: Mapping[str, Sequence[int]]) -> Ratio | None:
    """The ratio of the second half of the repeats to the first one, each relative to the mean of its cell."""
    early: list[float] = []
    late: list[float] = []
    for values in by_cell.values():
        mean, half = sum(values) / len(values), len(values) // 2
        early += [value / mean for value in values[:half]]
        late += [value / mean for value in values[-half:]]
    if min(len(early), len(late)) < REPEATS_MIN:
        return None
    one, other = (None if found is None else known_of(found) for found in (estimate(late), estimate(early)))
    return None if one is None or other is None else ratio_of(one, other)
