"""Decides for each repeat of a cell whether it is used or discarded, and on what evidence.

A repeat is never discarded for its value alone. The reasons are:

- *contaminated*: another run of iosonde used the same device. Such repeats are discarded first.
- *steal*: the hypervisor gave CPU time of this machine to other guests during the repeat. The target does not cause
  such waits.
- *initial state*: a drive that was just filled is fast until garbage collection starts. The first repeats of a cell
  differ from all later ones, in one direction, by more than the later ones differ from each other.
- *warming up*: with a warm-up of their length, throughput still moved during the measurement, in one direction over all
  of these repeats together, and repeats with a longer warm-up do not show this. A single repeat that moves is no
  evidence: it may be due to competing I/O, and random variation is part of the result.

Evidence that would leave fewer than three repeats is reported, but discards nothing.

A repeat in which nothing completed is a throughput of 0 if operations completed in other repeats. Without it, the mean
would cover only the times at which the target responds. If no repeat completed the requested operations, the cell has
failed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Annotated, Final

from pydantic import Field

from iosonde.analysis.estimate import LEVEL_SHARE_MIN, student_t
from iosonde.analysis.totals import count_of
from iosonde.records import CellRecord, Outcome
from iosonde.vocabulary import DiscardReason

LATER_MIN: Final = 4
"""The least number of repeats after a change of state that show the spread in the new state."""

CONFIDENCE: Final = 0.9999
"""A campaign tests hundreds of cells, each at several points. Chance must not discard repeats of any of them."""

USED_MIN: Final = 3
"""Fewer repeats are not better, even if they are clean."""

STEAL_SHARE_MAX: Final = 0.02
"""A share of the worker threads' time in a repeat. At most this share is missing from its throughput, which is
tolerable. Linux counts steal time in ticks of 10 ms. Part of a tick may be from before the repeat."""

WARMING_MIN: Final = 3
"""The least number of repeats with one warm-up length that show whether it was long enough."""

WARMING_DISTANCE: Final = 3.29
"""The distance of their starts from their last halves, combined, in standard errors. Chance exceeds it once in a
thousand times."""


@dataclass(frozen=True)
class Repeats:
    """The repeats of a cell in run order.

    ``used`` are those that results include. ``fates`` is the fate of each repeat, by its order. ``warming_up`` means
    that even the cell's longest warm-up is too short, by the evidence of the repeats that had it. ``earlier`` are the
    trials in the measurement windows of earlier phases of a procedure. The results of those phases include them.
    """

    # A document that contains the run has these records already.
    used: Annotated[tuple[CellRecord, ...], Field(exclude=True)]
    discarded: Annotated[tuple[CellRecord, ...], Field(exclude=True)] = ()
    fates: Mapping[int, DiscardReason] = field(default_factory=dict)
    warming_up: bool = False
    earlier: Annotated[tuple[CellRecord, ...], Field(exclude=True)] = ()

    def of(self, fate: DiscardReason) -> tuple[CellRecord, ...]:
        """The discarded repeats of one fate."""
        return tuple(record for record in self.discarded if self.fates[record.order] is fate)

    @property
    def contaminated(self) -> tuple[CellRecord, ...]:
        """The repeats that were discarded because another run used the device."""
        return self.of(DiscardReason.CONTAMINATED)

    @property
    def unsettled(self) -> tuple[CellRecord, ...]:
        """The repeats that were discarded because their warm-up was too short."""
        return self.of(DiscardReason.WARMING_UP)

    @property
    def early(self) -> tuple[CellRecord, ...]:
        """The repeats that were discarded because the target was still in its initial state."""
        return self.of(DiscardReason.INITIAL_STATE)


def sort_repeats(records: Sequence[CellRecord]) -> Repeats:
    """Decides which repeats of one cell are used."""
    fates = {
        record.order: DiscardReason.INTERRUPTED if record.outcome is Outcome.CUT else DiscardReason.FAILED
        for record in records
    }
    finished = sorted(measured_repeats(records), key=lambda record: record.order)
    kept = _without(
        finished, {record.order: DiscardReason.CONTAMINATED for record in finished if record.neighbours}, fates
    )
    kept = _without(kept, {each.order: DiscardReason.STEAL for each in kept if has_steal(each)}, fates)
    kept = _without(kept, {record.order: DiscardReason.INITIAL_STATE for record in kept[: _early(kept)]}, fates)
    warming = _warming(kept)
    longest = max((record.timing.warmup_ns for record in kept), default=0)
    short = {
        record.order: DiscardReason.WARMING_UP for record in kept if record.timing.warmup_ns in warming - {longest}
    }
    kept = _without(kept, short, fates)
    fates |= {record.order: DiscardReason.USED for record in kept}
    discarded = tuple(record for record in finished if fates[record.order] is not DiscardReason.USED)
    return Repeats(tuple(kept), discarded, fates, warming_up=longest in warming)


@dataclass(frozen=True)
class WindowOrders:
    """The orders of the trials of procedures that are in measurement windows.

    ``last`` are those of the last phase that measured their cell, which the figures of the cell include. ``earlier``
    are those of phases before it.
    """

    last: frozenset[int]
    earlier: frozenset[int]


def sort_rounds(records: Sequence[CellRecord], windows: WindowOrders) -> Repeats:
    """The rounds of one cell of a standard procedure: those in the window of its last phase are used.

    Rounds are no repeats of one measurement, so none is discarded for what it shows.
    """
    fates = {
        record.order: DiscardReason.INTERRUPTED if record.outcome is Outcome.CUT else DiscardReason.FAILED
        for record in records
    }
    finished = sorted(measured_repeats(records), key=lambda record: record.order)
    fates |= {each.order: _fate_of_round(each.order, windows) for each in finished}
    return Repeats(
        used=tuple(each for each in finished if each.order in windows.last),
        earlier=tuple(each for each in finished if each.order in windows.earlier),
        fates=fates,
    )


def _fate_of_round(order: int, windows: WindowOrders) -> DiscardReason:
    if order in windows.last:
        return DiscardReason.USED
    return DiscardReason.EARLIER_PHASE if order in windows.earlier else DiscardReason.OUTSIDE_WINDOW


def failed_repeats(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The repeats of one or several cells that have no results because they failed."""
    answering = _answering(records)
    return [each for each in records if each.outcome is Outcome.FAILED and not _is_zero(each, answering)]


def measured_repeats(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The finished repeats of one or several cells, in their order."""
    answering = _answering(records)
    finished = (each for each in records if each.outcome is Outcome.FINISHED or _is_zero(each, answering))
    return [each for each in finished if each.measured_ns > 0]


def trials_measured(records: Sequence[CellRecord]) -> int:
    """The number of trials with results. A trial has a record for each of its streams and hosts."""
    return len({each.order for each in measured_repeats(records)})


def _answering(records: Sequence[CellRecord]) -> set[str]:
    """The cells with a repeat that completed the requested operations."""
    return {record.cell for record in records if record.outcome is Outcome.FINISHED}


def _is_zero(record: CellRecord, answering: set[str]) -> bool:
    """Whether a repeat is a throughput of 0: nothing completed in it, but other repeats of the cell finished."""
    return record.is_silent and record.measured_ns > 0 and record.cell in answering


def steal_share(record: CellRecord) -> float:
    """The CPU time that the hypervisor gave to other guests, as a share of the worker threads' time.

    It is unknown which thread lost it, so this is the most that the workers can have lost.
    """
    if record.cpu is None or not record.measured_ns:
        return 0.0
    return record.cpu.steal_ns / (record.measured_ns * max(len(record.cpu.threads), 1))


def has_steal(record: CellRecord) -> bool:
    """Whether the hypervisor gave so much CPU time to other guests that it affects the results."""
    return steal_share(record) > STEAL_SHARE_MAX


def _without(
    records: Sequence[CellRecord], leaving: Mapping[int, DiscardReason], fates: dict[int, DiscardReason]
) -> Sequence[CellRecord]:
    """The records that remain, if enough do. The fates of the others are added to ``fates``."""
    left = [record for record in records if record.order not in leaving]
    if len(left) < min(USED_MIN, len(records)):
        return records
    fates |= leaving
    return left


def _early(records: Sequence[CellRecord]) -> int:
    """The number of first repeats in a different state from all others; at most half of them."""
    rates = [_rate(record) for record in records]
    most = min(len(rates) // 2, len(rates) - LATER_MIN)
    return next((first for first in range(most, 0, -1) if _differs(rates[:first], rates[first:])), 0)


def _rate(record: CellRecord) -> float:
    return count_of(record.operations, record.workload.subject) / record.measured_ns


def _differs(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether each value before differs from those after, in one direction, by more than these from each other."""
    count = len(after)
    mean = fsum(after) / count
    nearest = min(abs(each - mean) for each in before)
    one_side = all(each > mean for each in before) or all(each < mean for each in before)
    if not one_side or nearest <= LEVEL_SHARE_MIN * mean:
        return False
    spread = sqrt(fsum((each - mean) ** 2 for each in after) / (count - 1) * (1 + 1 / count))
    return nearest > student_t(count - 1, CONFIDENCE) * spread


def _warming(records: Sequence[CellRecord]) -> set[int]:
    """The warm-up lengths, in nanoseconds, that are too short by the evidence of the repeats that had them."""
    by_warmup: dict[int, list[CellRecord]] = defaultdict(list)
    for record in records:
        by_warmup[record.timing.warmup_ns].append(record)
    return {warmup_ns for warmup_ns, found in by_warmup.items() if _moves_together(found)}


def _moves_together(records: Sequence[CellRecord]) -> bool:
    distances = [each.within.geweke for each in records if each.within is not None and each.within.geweke is not None]
    if len(distances) < WARMING_MIN:
        return False
    moving = sum(not record.settled for record in records)
    return 2 * moving > len(records) and abs(fsum(distances)) / sqrt(len(distances)) > WARMING_DISTANCE
