"""Open loops: offered load, achieved throughput, and saturation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from iosonde.analysis.estimate import Estimate, estimate_known
from iosonde.records import CellRecord, Operation
from iosonde.units import SECOND_NS

BACKLOG_SHARE_MAX: Final = 0.01
"""If the backlog is older than this share of the measurement time, less than 99 % of the offered load completed."""

DEVIATIONS_MAX: Final = 3.0
"""A queue that keeps up also has a random backlog. The standard deviation of n arrivals is sqrt(n). A backlog of fewer
standard deviations than this is not distinguishable from chance."""


SATURATED: Final = (
    "Saturated: response time grows with the measurement time. Percentiles are not reported; mean and maximum are "
    "lower bounds (≥)."
)
"""The note next to the latencies of a saturated cell."""


@dataclass(frozen=True)
class PaceEstimate:
    """One open loop over its finished repeats.

    ``asked_per_s`` is the offered load and ``achieved_per_s`` the achieved throughput, over all targets.
    ``waiting_ns_max`` is how long the oldest operation without a place in the queue had waited at the end of a repeat,
    and ``waiting`` is the approximate number of such operations; None if unknown. ``saturated`` is the number of
    repeats that did not sustain the arrival rate.
    """

    asked_per_s: int
    achieved_per_s: Estimate
    waiting_ns_max: int | None
    waiting: int | None
    saturated: int

    @property
    def share(self) -> float:
        """Achieved throughput as a share of the offered load."""
        return self.achieved_per_s.mean / self.asked_per_s


def estimate_pace(records: Sequence[CellRecord], weights: Sequence[float] | None = None) -> PaceEstimate | None:
    """The offered load and achieved throughput of a cell; None for a closed loop, or if no repeat finished."""
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
    """Whether a repeat did not sustain its arrival rate.

    It completed less than the offered load. At its end, the backlog was older than 1 % of the measurement time and
    larger than the random backlog of a queue that keeps up. The age of the backlog does not have the noise of random
    arrivals, while their number does: of 1,000 arrivals, it varies by 3 % by chance.
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
    """The number of completed arrivals. A flush is not an arrival of its own."""
    return sum(record.operations[each].count for each in (Operation.READ, Operation.WRITE) if each in record.operations)
