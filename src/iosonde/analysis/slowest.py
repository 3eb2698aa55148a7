"""What the slowest operations of a repeat have in common: time, groups in time, offset, operation, or target.

Operations that are slow by chance are spread evenly. The number in the fullest fiftieth of the time, or of the test
region, is compared with chance (the scan statistic, bounded by Bonferroni's inequality as in Naus, 1982). The number
that complete soon after the previous one is compared with random spacings, and the shares of operations and targets are
compared with those of all operations (binomial test).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb, exp, fsum, inf, log, log1p
from statistics import median
from typing import Final

import numpy as np

from iosonde.analysis.histogram import rank_of, values_at_ranks
from iosonde.analysis.totals import COUNTED_IN_ALL
from iosonde.records import Access, CellRecord, Operation, OperationTotals, SlowIo

STRETCH_SHARE: Final = 0.02
KEPT_MIN: Final = 16
"""Fewer slow operations than this do not show a pattern."""

CHANCE_MAX: Final = 1e-4
"""A campaign tests hundreds of repeats in five ways each."""

SHARE_MIN: Final = 0.5
"""A property that fewer than half of them share does not explain the tail."""

TAIL_MIN: Final = 2
"""Operations that wait in one queue are slow together, but less than twice as slow as the median of their operation."""

NEAR: Final = 2
"""Slow operations are neighbours if they complete within this many times the median of their latencies."""

GROUP_MIN: Final = 8
"""Groups that are smaller on average are operations that met in a queue, not stalls."""


class Common(StrEnum):
    """What slow operations can have in common."""

    TIME = "time"
    GROUP = "group"
    OFFSET = "offset"
    OPERATION = "operation"
    TARGET = "target"


@dataclass(frozen=True)
class Shared:
    """``count`` of the ``kept`` slowest operations of a repeat have something in common; ``expected`` do by chance.

    For time and groups, ``kept`` counts only operations that took at least twice the median of their kind.

    ``low`` and ``high`` are their range, in nanoseconds from the start of the measurement, or in bytes. For an
    operation or a target, ``name`` is its name. For groups, ``groups`` is their number, and ``high`` the largest time
    in nanoseconds between the completions of two neighbours.
    """

    common: Common
    count: int
    kept: int
    expected: float
    low: int = 0
    high: int = 0
    name: str = ""
    groups: int = 0


def shared_by_slowest(record: CellRecord, span_bytes: int) -> tuple[Shared, ...]:
    """What at least half of the slowest operations of a repeat have in common and would not have by chance.

    ``span_bytes`` is the test region of the run, used if the cell has none of its own.
    """
    slowest = record.slowest
    if len(slowest) < KEPT_MIN or record.clock_start is None or not record.measured_ns:
        return ()
    usual_ns = medians_ns(record)
    if all(each.latency_ns <= usual_ns.get(each.operation, 0) for each in slowest):
        # All operations take equally long, and which of them were kept says nothing.
        return ()
    began_ns = record.clock_start.engine_ns
    places = [each.offset_bytes for each in slowest]
    span = record.workload.span_bytes or span_bytes
    found = (
        _moments(record, slowest, began_ns, usual_ns),
        # Sequential or skewed access is concentrated in few offsets anyway.
        _stretch(Common.OFFSET, places, span) if record.workload.pattern is Access.RANDOM else None,
        _operation(record, slowest),
        _target(record, slowest),
    )
    return tuple(each for each in found if each is not None)


def _moments(
    record: CellRecord, slowest: Sequence[SlowIo], began_ns: int, usual_ns: Mapping[Operation, int]
) -> Shared | None:
    """A common time or several groups: the target stalled once, or repeatedly."""
    tail = [each for each in slowest if each.latency_ns >= TAIL_MIN * usual_ns.get(each.operation, inf)]
    if len(tail) < KEPT_MIN:
        return None
    times = [each.reap_ns - began_ns for each in tail]
    found = _stretch(Common.TIME, times, record.measured_ns)
    # In an open loop a queue builds up and drains, and all slow operations are from a few such periods.
    if found is not None or record.workload.is_open_loop:
        return found
    return _groups(times, record.measured_ns, round(NEAR * median(each.latency_ns for each in tail)))


def medians_ns(record: CellRecord) -> dict[Operation, int]:
    """The usual latency of a repeat: the median service time of each class that completed, in nanoseconds."""
    return {operation: _median_ns(totals) for operation, totals in record.operations.items() if totals.count}


def _median_ns(totals: OperationTotals) -> int:
    ranks = [rank_of(sum(totals.latency.count), 50.0)]
    smallest_ns, largest_ns = totals.latency_ns_min, totals.latency_ns_max
    return values_at_ranks(totals.latency, ranks, smallest_ns=smallest_ns, largest_ns=largest_ns)[0]


def _groups(times: Sequence[int], whole_ns: int, near_ns: int) -> Shared | None:
    """The operations that complete close to another one, if random times would do so less often."""
    kept = len(times)
    near = np.diff(sorted(times)) <= near_ns
    after, before = np.append(False, near), np.append(near, False)
    count, groups = int((after | before).sum()), int((before & ~after).sum())
    # 1 - far is the probability that the next random time is near; 1 - far² that the previous or the next one is.
    far = (1 - min(near_ns / whole_ns, 1.0)) ** kept
    chance = _at_least(int(near.sum()), kept - 1, 1 - far)
    if count < max(SHARE_MIN * kept, GROUP_MIN * groups) or chance > CHANCE_MAX:
        return None
    return Shared(Common.GROUP, count, kept, kept * (1 - far**2), high=near_ns, groups=groups)


def _stretch(common: Common, values: Sequence[int], whole: int) -> Shared | None:
    """The fullest range of ``STRETCH_SHARE`` of the whole, if chance does not explain its count."""
    ordered, length = np.sort(values), max(round(STRETCH_SHARE * whole), 1)
    ends = np.searchsorted(ordered, ordered + length, side="right")
    best = int(np.argmax(ends - np.arange(len(ordered))))
    last = int(ends[best])
    count, kept = last - best, len(ordered)
    # Any operation may start the range. Each other one is in it with the probability of its length.
    chance = kept * _at_least(count - 1, kept - 1, STRETCH_SHARE)
    if count < SHARE_MIN * kept or chance > CHANCE_MAX:
        return None
    return Shared(common, count, kept, kept * STRETCH_SHARE, int(ordered[best]), int(ordered[last - 1]))


def _operation(record: CellRecord, slowest: Sequence[SlowIo]) -> Shared | None:
    whole = {each: record.operations[each].count for each in COUNTED_IN_ALL if each in record.operations}
    names = [each.operation for each in slowest if each.operation in whole]
    total = sum(whole.values())
    return _most_of(Common.OPERATION, names, {str(each): count / total for each, count in whole.items()})


def _target(record: CellRecord, slowest: Sequence[SlowIo]) -> Shared | None:
    counts = [sum(each.count for each in target.operations.values()) for target in record.targets]
    total = sum(counts)
    if len(counts) < 2 or not total:  # noqa: PLR2004 - one target is all of them
        return None
    shares = {str(number): count / total for number, count in enumerate(counts, 1)}
    return _most_of(Common.TARGET, [str(each.target + 1) for each in slowest], shares)


def _most_of(common: Common, names: Sequence[str], shares: dict[str, float]) -> Shared | None:
    """The most frequent name among the slowest, if it is less frequent among all operations."""
    if len(shares) < 2 or len(names) < KEPT_MIN:  # noqa: PLR2004 - one kind is all there is
        return None
    name = max(shares, key=names.count)
    count, kept = names.count(name), len(names)
    if count < SHARE_MIN * kept or len(shares) * _at_least(count, kept, shares[name]) > CHANCE_MAX:
        return None
    return Shared(common, count, kept, kept * shares[name], name=name)


def _at_least(count: int, of: int, share: float) -> float:
    """The upper tail of the binomial distribution: the probability of ``count`` or more of ``of``."""
    if count <= 0 or share in {0.0, 1.0}:
        return float(count <= of * share)
    # Computed on logarithms, because the binomial coefficients of large counts overflow a float.
    kind, other = log(share), log1p(-share)
    return fsum(exp(log(comb(of, each)) + each * kind + (of - each) * other) for each in range(count, of + 1))
