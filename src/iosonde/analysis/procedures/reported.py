"""The figures that a procedure reports: means over the window of each cell, and its pooled latencies."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, merge_histograms, values_at_ranks
from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.records import Histogram, Workload
from iosonde.vocabulary import Quantity

LEVELS: Final = (99_000, 99_900, 99_990, 99_999)
"""The confidence levels of a latency report, in thousandths of a percent: integers, because 99.999 % of 10**6 must be
exact."""

WHOLE: Final = 100_000
FIVE_NINES: Final = 99_999


def level_name(level: int) -> str:
    """A level in percent: ``99.999 %``."""
    return f"{level / 1000:g} %"


def window_words(cells: "Sequence[ReportedCell]") -> str:
    """What the figures of cells are: the mean over the window, or the values of the only round."""
    return "mean over the window" if max((each.rounds for each in cells), default=1) > 1 else "of one round"


@dataclass(frozen=True)
class ReportedCell:
    """One cell over the rounds of a window.

    A mean is that of the values of the rounds; None if a round has no value. ``latency_ns_max`` is the longest
    operation of all rounds. ``levels_ns`` are the latencies at ``LEVELS`` over all operations of these rounds, None
    with fewer than 10 operations above. ``latency`` has all operations; None if a round has no distribution.
    """

    cell: str
    workload: Workload
    rounds: int
    iops: float | None
    bytes_per_s: float | None
    latency_ns_mean: float | None
    latency_ns_min: int | None
    latency_ns_max: int | None
    levels_ns: tuple[int | None, ...]
    operations: int
    latency: Histogram | None

    @property
    def five_nines_ns(self) -> int | None:
        """The latency at 99.999 %."""
        return self.levels_ns[LEVELS.index(FIVE_NINES)]

    def of(self, quantity: Quantity) -> float | None:
        """The mean of a quantity."""
        found: float | None = getattr(self, quantity.value)
        return found


def reported_cell(cell: str, workload: Workload, values: Sequence[RoundValue]) -> ReportedCell:
    """The reported figures of a cell from its values in the rounds of a window."""
    known = [each.latency for each in values if each.latency is not None]
    latency = merge_histograms(known) if known and len(known) == len(values) else None
    shortest = min((each.latency_ns_min for each in values if each.latency_ns_min is not None), default=None)
    longest = _longest(values)
    counted = sum(latency.count) if latency is not None else 0
    levels: tuple[int | None, ...] = (None,) * len(LEVELS)
    if latency is not None and shortest is not None and longest is not None:
        levels = levels_of(latency, smallest_ns=shortest, largest_ns=longest)
    return ReportedCell(
        cell=cell,
        workload=workload,
        rounds=len(values),
        iops=_mean(values, Quantity.IOPS),
        bytes_per_s=_mean(values, Quantity.BYTES_PER_S),
        latency_ns_mean=_mean(values, Quantity.LATENCY_NS_MEAN),
        latency_ns_min=shortest,
        latency_ns_max=longest,
        levels_ns=levels,
        operations=counted,
        latency=latency,
    )


def _mean(values: Sequence[RoundValue], quantity: Quantity) -> float | None:
    found = [each.of(quantity) for each in values]
    known = [each for each in found if each is not None]
    return fmean(known) if known and len(known) == len(found) else None


def _longest(values: Sequence[RoundValue]) -> int | None:
    """The longest operation of all rounds; None if that of a round is unknown."""
    found = [each.latency_ns_max for each in values]
    known = [each for each in found if each is not None]
    return max(known) if known and len(known) == len(found) else None


def levels_of(latency: Histogram, *, smallest_ns: int, largest_ns: int) -> tuple[int | None, ...]:
    """The latency at each of ``LEVELS``; None with fewer than 10 operations above."""
    total = sum(latency.count)
    ranks = {level: max(1, -(-total * level // WHOLE)) for level in LEVELS}
    supported = {level: rank for level, rank in ranks.items() if total - rank >= SAMPLES_BEYOND_MIN}
    found = values_at_ranks(latency, tuple(supported.values()), smallest_ns=smallest_ns, largest_ns=largest_ns)
    by_level = dict(zip(supported, found, strict=True))
    return tuple(by_level.get(level) for level in LEVELS)
