"""Open loops: what was asked for a second, what was achieved, and whether the target could keep up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from iosonde.analysis.estimate import Estimate, estimate_known
from iosonde.records import CellRecord, Operation
from iosonde.units import SECOND_NS

BACKLOG_SHARE_MAX: Final = 0.01
"""Behind by more than this share of the window, less than 99 % of what was asked was given."""

DEVIATIONS_MAX: Final = 3.0
"""A queue that can keep up has a backlog as well, which strays: counts of n arrivals do so by sqrt(n), and a backlog
within this many deviations can't be told from that."""


SATURATED: Final = (
    "Saturated: response latency grows for as long as one measures. Its percentiles are withheld, and its mean and "
    "maximum are lower bounds (≥)."
)
"""What is said wherever latencies of a cell stand that could not keep its rate: how long it was measured made them."""


@dataclass(frozen=True)
class PaceEstimate:
    """One open loop over its finished repeats.

    ``asked_per_s`` and ``achieved_per_s`` are of all targets together. ``waiting_ns_max`` is how long the oldest
    operation without a place in the queue had waited at the end of a repeat, and ``waiting`` is about how many waited
    with it; None where nobody knows. ``saturated`` is the number of repeats that could not keep the rate.
    """

    asked_per_s: int
    achieved_per_s: Estimate
    waiting_ns_max: int | None
    waiting: int | None
    saturated: int

    @property
    def share(self) -> float:
        """The achieved rate as a share of the asked one."""
        return self.achieved_per_s.mean / self.asked_per_s


def estimate_pace(records: Sequence[CellRecord], weights: Sequence[float] | None = None) -> PaceEstimate | None:
    """The pace of a cell; None for a closed loop, or where no repeat finished."""
    finished = [record for record in records if record.measured_ns > 0]
    rates = [_done(record) * SECOND_NS / record.measured_ns for record in finished]
    achieved = estimate_known(rates, weights)
    asked_per_s = finished[0].workload.rate_per_s_all if finished else None
    if asked_per_s is None or achieved is None:
        return None
    ages = [age for record in finished if (age := _waiting_ns(record)) is not None]
    waiting_ns_max = max(ages) if ages else None
    return PaceEstimate(
        asked_per_s=asked_per_s,
        achieved_per_s=achieved,
        waiting_ns_max=waiting_ns_max,
        waiting=None if waiting_ns_max is None else asked_per_s * waiting_ns_max // SECOND_NS,
        saturated=sum(is_saturated(record) for record in finished),
    )


def is_saturated(record: CellRecord) -> bool:
    """Whether a measurement could not keep the rate that was asked for.

    It gave less than was asked, and at its end it was behind by more than 1 % of the window and by more operations than
    a queue that keeps up strays. How far it is behind has none of the noise of random arrivals, which their mere number
    has: of 1,000 arrivals, 3 % more or fewer come by chance.
    """
    rate_per_s, waiting_ns = record.workload.rate_per_s, _waiting_ns(record)
    if rate_per_s is None or waiting_ns is None:
        return False
    wanted_each = rate_per_s * record.measured_ns / SECOND_NS
    behind_each = rate_per_s * waiting_ns / SECOND_NS
    bound = max(BACKLOG_SHARE_MAX * wanted_each, DEVIATIONS_MAX * sqrt(wanted_each))
    return behind_each > bound and _done(record) < wanted_each * record.workload.targets


def _waiting_ns(record: CellRecord) -> int | None:
    return None if record.censored is None else record.censored.waiting_age_ns_max


def _done(record: CellRecord) -> int:
    """Operations that were wanted and are done; a flush is not wanted for itself."""
    return sum(record.operations[each].count for each in (Operation.READ, Operation.WRITE) if each in record.operations)
