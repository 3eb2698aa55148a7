"""What becomes of each repeat of a cell: whether its figures are used, and if not, on what evidence it is discarded.

A repeat is never discarded for its value alone. What is discarded, and why:

- *contaminated*: another run of iosonde was seen at work on the same device. Such repeats go first.
- *steal*: the hypervisor gave CPU time of this machine to others while the repeat was measured: what waits for a CPU is
  not the target.
- *initial state*: a drive that was just filled is quick until it has to collect what was deleted. The first repeats of
  a cell differ from all that follow, in one direction, by more than these differ from each other.
- *warming up*: with a warm-up as short as theirs, throughput still moved while it was measured, in one direction in
  all of these repeats together; and repeats with a longer warm-up do not show that. One repeat that moves by itself
  is no evidence: competing I/O does that, and what comes by chance belongs to the figure.

Evidence that would leave fewer than three repeats is told, and discards nothing.

A repeat in which nothing completed is a throughput of 0 beside others in which something did: without it the mean would
be that of the times at which the target answers. A cell of which no repeat completed what was asked has failed.
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
from iosonde.vocabulary import Fate

BEHIND_MIN: Final = 4
"""Repeats behind a change of state that show what is usual there."""

CONFIDENCE: Final = 0.9999
"""A campaign asks hundreds of cells, each at several places: chance must not change the state of any of them."""

USED_MIN: Final = 3
"""Fewer repeats are no better for being clean."""

STEAL_SHARE_MAX: Final = 0.02
"""Of the time of a repeat's worker threads: as much can be missing from its throughput, and hardly anybody minds. Linux
counts in ticks of 10 ms; part of one may have been lost before the repeat, but as often as not it was lost in it."""

WARMING_MIN: Final = 3
"""Repeats with one length of warm-up that show together whether it was long enough."""

WARMING_DISTANCE: Final = 3.29
"""How far, in standard errors, their starts lie from their last halves together: chance does that once in a thousand
times."""


@dataclass(frozen=True)
class Repeats:
    """The repeats of a cell in the order in which they were measured.

    ``used`` are those that figures come from. ``fates`` says of each repeat, by its order, what became of it.
    ``warming_up`` says that the cell's longest warm-up is still too short by the evidence of those who had it.
    """

    # A document that has the run has its records: they are not written once more.
    used: Annotated[tuple[CellRecord, ...], Field(exclude=True)]
    discarded: Annotated[tuple[CellRecord, ...], Field(exclude=True)] = ()
    fates: Mapping[int, Fate] = field(default_factory=dict)
    warming_up: bool = False

    def of(self, fate: Fate) -> tuple[CellRecord, ...]:
        """The discarded repeats of one fate."""
        return tuple(record for record in self.discarded if self.fates[record.order] is fate)

    @property
    def contaminated(self) -> tuple[CellRecord, ...]:
        """Those that were discarded because another run was at work on the device."""
        return self.of(Fate.CONTAMINATED)

    @property
    def unsettled(self) -> tuple[CellRecord, ...]:
        """Those that were discarded because their warm-up was too short."""
        return self.of(Fate.WARMING_UP)

    @property
    def early(self) -> tuple[CellRecord, ...]:
        """Those that were discarded because the target left its initial state behind them."""
        return self.of(Fate.INITIAL_STATE)


def sort_repeats(records: Sequence[CellRecord]) -> Repeats:
    """Decides what becomes of the repeats of one cell."""
    fates = {record.order: Fate.INTERRUPTED if record.outcome is Outcome.CUT else Fate.FAILED for record in records}
    finished = sorted(measured_repeats(records), key=lambda record: record.order)
    kept = _without(finished, {record.order: Fate.CONTAMINATED for record in finished if record.neighbours}, fates)
    kept = _without(kept, {each.order: Fate.STEAL for each in kept if has_steal(each)}, fates)
    kept = _without(kept, {record.order: Fate.INITIAL_STATE for record in kept[: _early(kept)]}, fates)
    warming = _warming(kept)
    longest = max((record.timing.warmup_ns for record in kept), default=0)
    short = {record.order: Fate.WARMING_UP for record in kept if record.timing.warmup_ns in warming - {longest}}
    kept = _without(kept, short, fates)
    fates |= {record.order: Fate.USED for record in kept}
    discarded = tuple(record for record in finished if fates[record.order] is not Fate.USED)
    return Repeats(tuple(kept), discarded, fates, warming_up=longest in warming)


def failed_repeats(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The repeats of one cell or of several that have no figures because they failed."""
    answering = _answering(records)
    return [each for each in records if each.outcome is Outcome.FAILED and not _is_zero(each, answering)]


def measured_repeats(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The repeats of one cell or of several that were measured to their end, in the order in which they come."""
    answering = _answering(records)
    finished = (each for each in records if each.outcome is Outcome.FINISHED or _is_zero(each, answering))
    return [each for each in finished if each.measured_ns > 0]


def _answering(records: Sequence[CellRecord]) -> set[str]:
    """The cells of which a repeat completed what was asked."""
    return {record.cell for record in records if record.outcome is Outcome.FINISHED}


def _is_zero(record: CellRecord, answering: set[str]) -> bool:
    """Whether a repeat is a throughput of 0, in which its cell, which does give what is asked, gave nothing of it."""
    return record.is_silent and record.measured_ns > 0 and record.cell in answering


def steal_share(record: CellRecord) -> float:
    """The CPU time that the hypervisor gave to others, as a share of the worker threads' time in the window.

    Nobody knows whose time it was: this is the most that the workers can have lost by it.
    """
    if record.cpu is None or not record.measured_ns:
        return 0.0
    return record.cpu.steal_ns / (record.measured_ns * max(len(record.cpu.threads), 1))


def has_steal(record: CellRecord) -> bool:
    """Whether the hypervisor gave so much CPU time to others that it is in the figures."""
    return steal_share(record) > STEAL_SHARE_MAX


def _without(
    records: Sequence[CellRecord], leaving: Mapping[int, Fate], fates: dict[int, Fate]
) -> Sequence[CellRecord]:
    """The records that stay, where enough do; what becomes of the others is noted."""
    left = [record for record in records if record.order not in leaving]
    if len(left) < min(USED_MIN, len(records)):
        return records
    fates |= leaving
    return left


def _early(records: Sequence[CellRecord]) -> int:
    """How many of the first repeats show another state than all others: at most half of them."""
    rates = [_rate(record) for record in records]
    most = min(len(rates) // 2, len(rates) - BEHIND_MIN)
    return next((first for first in range(most, 0, -1) if _differs(rates[:first], rates[first:])), 0)


def _rate(record: CellRecord) -> float:
    return count_of(record.operations, record.workload.subject) / record.measured_ns


def _differs(before: Sequence[float], behind: Sequence[float]) -> bool:
    """Whether each value before differs from those behind, to the same side, by more than these from each other."""
    count = len(behind)
    mean = fsum(behind) / count
    nearest = min(abs(each - mean) for each in before)
    one_side = all(each > mean for each in before) or all(each < mean for each in before)
    if not one_side or nearest <= LEVEL_SHARE_MIN * mean:
        return False
    spread = sqrt(fsum((each - mean) ** 2 for each in behind) / (count - 1) * (1 + 1 / count))
    return nearest > student_t(count - 1, CONFIDENCE) * spread


def _warming(records: Sequence[CellRecord]) -> set[int]:
    """The lengths of warm-up, nanoseconds, that the repeats which had them show to be too short."""
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
