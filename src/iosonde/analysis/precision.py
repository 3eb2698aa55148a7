"""Whether a cell is known as well as was asked, and what stands in the way."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import REPEATS_MIN, Estimate, Level
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, TAIL_PERCENT


class Reason(StrEnum):
    """Why a cell is not known as well as was asked."""

    UNMEASURED = "unmeasured"
    UNSETTLED = "unsettled"
    TAIL_TOO_THIN = "tail_too_thin"
    REPEATS_DIFFER = "repeats_differ"
    TOO_SHORT = "too_short"


FIGURES: Final = ("throughput", "mean latency", "p99")
"""What an aim is about, by name."""


@dataclass(frozen=True)
class Figure:
    """One of ``FIGURES`` with its 95 % interval, whose ends are None where it has none; ``level`` made it that wide."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    level: Level | None = None

    @property
    def half_width_share(self) -> float | None:
        """How well it is known: half its interval as a share of it, None without an interval."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2 / self.value if self.value else 0.0

    def holds(self, truth: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low is not None and self.high is not None and self.low <= truth <= self.high


@dataclass(frozen=True)
class Precision:
    """How well a cell is known. ``doubt`` is the widest half interval over the one that was asked for.

    A cell is ``met`` when its doubt is at most 1; it is infinite where a figure has no interval. ``reason`` says what
    stands in the way, None where the aim is met.
    """

    cell: str
    known: tuple[Figure, ...]
    doubt: float
    reason: Reason | None

    @property
    def met(self) -> bool:
        """Whether it is known as well as was asked."""
        return self.reason is None

    @property
    def widest(self) -> Figure:
        """The figure that is known worst."""
        return max(self.known, key=lambda each: inf if each.half_width_share is None else each.half_width_share)


def precision_of(cell: CellEstimate, precision_percent: float) -> Precision:
    """How well throughput, mean latency and p99 of what a cell is about are known; of a saturated one, throughput."""
    subject = cell.subject
    if subject is None:
        return Precision(cell.cell, (Figure(FIGURES[0], None, None, None),), inf, Reason.UNMEASURED)
    # How long a saturated cell is measured makes its latency: no time would make that known.
    known = figures_of(subject)[: 1 if subject.saturated else None]
    shares = [each.half_width_share for each in known]
    doubt = max(inf if share is None else share * 100 / precision_percent for share in shares)
    settled = cell.repeats_finished - cell.repeats_unsettled - cell.repeats_early
    if doubt <= 1 and settled >= REPEATS_MIN:
        return Precision(cell.cell, known, doubt, None)
    return Precision(cell.cell, known, doubt, _reason(subject, known, settled))


def figures_of(subject: OperationEstimate) -> tuple[Figure, ...]:
    """The figures that an aim is about, in the order of ``FIGURES``: operations a second, and latencies in ns."""
    throughput, latency, p99 = FIGURES
    tail = subject.percentile(TAIL_PERCENT)
    return (
        _mean(throughput, subject.iops),
        _mean(latency, subject.latency_ns_mean),
        Figure(p99, tail.value_ns, tail.low_ns, tail.high_ns),
    )


def _mean(name: str, found: Estimate) -> Figure:
    return Figure(name, found.mean, found.low, found.high, found.level)


def _reason(subject: OperationEstimate, known: tuple[Figure, ...], settled: int) -> Reason:
    if settled < REPEATS_MIN:
        return Reason.UNSETTLED
    if known[-1].half_width_share is None:
        thin = subject.count < SAMPLES_BEYOND_MIN * 100 / (100 - TAIL_PERCENT)
        return Reason.TAIL_TOO_THIN if thin else Reason.TOO_SHORT
    if any(each.level is Level.REPEATS for each in known):
        return Reason.REPEATS_DIFFER
    return Reason.TOO_SHORT
