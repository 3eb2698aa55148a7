"""Whether a cell is known as well as was asked, and what stands in the way."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf

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


@dataclass(frozen=True)
class Known:
    """How well one figure is known: half its 95 % interval as a share of it, None where there is no interval."""

    figure: str
    half_width_share: float | None
    level: Level | None = None


@dataclass(frozen=True)
class Precision:
    """How well a cell is known. ``doubt`` is the widest half interval over the one that was asked for.

    A cell is ``met`` when its doubt is at most 1; it is infinite where a figure has no interval. ``reason`` says what
    stands in the way, None where the aim is met.
    """

    cell: str
    known: tuple[Known, ...]
    doubt: float
    reason: Reason | None

    @property
    def met(self) -> bool:
        """Whether it is known as well as was asked."""
        return self.reason is None

    @property
    def widest(self) -> Known:
        """The figure that is known worst."""
        return max(self.known, key=lambda each: inf if each.half_width_share is None else each.half_width_share)


def precision_of(cell: CellEstimate, precision_percent: float) -> Precision:
    """How well throughput, mean latency and p99 of what a cell is about are known; of a saturated one, throughput."""
    subject = cell.subject
    if subject is None:
        return Precision(cell.cell, (Known("throughput", None),), inf, Reason.UNMEASURED)
    known: tuple[Known, ...] = (_mean("throughput", subject.iops),)
    # How long a saturated cell is measured makes its latency: no time would make that known.
    if not subject.saturated:
        known += (_mean("mean latency", subject.latency_ns_mean), Known("p99", _tail_share(subject)))
    shares = [each.half_width_share for each in known]
    doubt = max(inf if share is None else share * 100 / precision_percent for share in shares)
    settled = cell.repeats_finished - cell.repeats_unsettled - cell.repeats_early
    if doubt <= 1 and settled >= REPEATS_MIN:
        return Precision(cell.cell, known, doubt, None)
    return Precision(cell.cell, known, doubt, _reason(subject, known, settled))


def _mean(name: str, found: Estimate) -> Known:
    half_width = found.half_width
    return Known(name, None if half_width is None else _share(half_width, found.mean), found.level)


def _tail_share(subject: OperationEstimate) -> float | None:
    tail = subject.percentile(TAIL_PERCENT)
    if tail.value_ns is None or tail.low_ns is None or tail.high_ns is None:
        return None
    return _share((tail.high_ns - tail.low_ns) / 2, tail.value_ns)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _reason(subject: OperationEstimate, known: tuple[Known, ...], settled: int) -> Reason:
    if settled < REPEATS_MIN:
        return Reason.UNSETTLED
    if known[-1].half_width_share is None:
        thin = subject.count < SAMPLES_BEYOND_MIN * 100 / (100 - TAIL_PERCENT)
        return Reason.TAIL_TOO_THIN if thin else Reason.TOO_SHORT
    if any(each.level is Level.REPEATS for each in known):
        return Reason.REPEATS_DIFFER
    return Reason.TOO_SHORT
