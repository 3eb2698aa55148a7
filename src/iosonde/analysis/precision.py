"""Whether a cell reached the requested precision, and if not, why."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Level
from iosonde.analysis.figures import estimate_of, figure_of
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, TAIL_PERCENT
from iosonde.figures import Figure
from iosonde.records.plan import AIM_REPEATS_MIN, TAIL_TOLERANCE
from iosonde.vocabulary import Quantity


class Reason(StrEnum):
    """Why a cell did not reach the requested precision."""

    UNMEASURED = "unmeasured"
    TOO_FEW_REPEATS = "too_few_repeats"
    WARMING_UP = "warming_up"
    TAIL_TOO_THIN = "tail_too_thin"
    REPEATS_DIFFER = "repeats_differ"
    TOO_SHORT = "too_short"


FIGURES: Final = ("throughput", "mean latency", "p99")
"""The names of the quantities that a requested precision applies to."""


@dataclass(frozen=True, kw_only=True)
class AimedFigure(Figure):
    """One of ``FIGURES``. ``level`` is the source of its interval.

    ``between_share`` is that of ``Estimate``. ``tolerance`` is the factor by which its interval may be wider than that
    of a mean.
    """

    name: str
    level: Level | None = None
    between_share: float | None = None
    tolerance: float = 1.0

    def doubt(self, precision_percent: float) -> float:
        """Half its interval divided by the requested precision; infinite without an interval."""
        share = self.half_width_share
        return inf if share is None else share * 100 / precision_percent / self.tolerance


@dataclass(frozen=True)
class Precision:
    """The precision of a cell. ``doubt`` is the widest half interval divided by the requested precision.

    ``doubt`` is infinite if a quantity has no interval. A cell meets the requested precision if it is at most 1.
    ``reason`` is why the cell does not, and None if it does.
    """

    cell: str
    known: tuple[AimedFigure, ...]
    doubt: float
    reason: Reason | None
    repeats_used: int = 0

    @property
    def met(self) -> bool:
        """Whether the cell reached the requested precision."""
        return self.reason is None

    @property
    def widest(self) -> AimedFigure:
        """The quantity that is furthest from its requested precision."""
        return max(self.known, key=lambda each: each.doubt(1.0))


def precision_of(cell: CellEstimate, precision_percent: float) -> Precision:
    """The precision of throughput, mean latency and p99 of a cell's subject; of throughput only, if it is saturated."""
    subject = cell.subject
    if subject is None:
        nothing = AimedFigure(name=FIGURES[0], quantity=Quantity.IOPS, operation=cell.workload.subject, value=None)
        return Precision(cell.cell, (nothing,), inf, Reason.UNMEASURED)
    # The latency of a saturated cell depends on the measurement time, so more time does not help.
    known = figures_of(subject)[: 1 if subject.saturated else None]
    doubt = max(each.doubt(precision_percent) for each in known)
    if doubt <= 1 and cell.repeats_used >= AIM_REPEATS_MIN and not cell.repeats.warming_up:
        return Precision(cell.cell, known, doubt, None, cell.repeats_used)
    reason = _reason(cell, subject, known, precision_percent)
    return Precision(cell.cell, known, doubt, reason, cell.repeats_used)


def figures_of(subject: OperationEstimate) -> tuple[AimedFigure, ...]:
    """The quantities in the order of ``FIGURES``: operations per second, and latencies in nanoseconds."""
    throughput, latency, p99 = FIGURES
    return (
        _aimed(throughput, Quantity.IOPS, subject),
        _aimed(latency, Quantity.LATENCY_NS_MEAN, subject),
        _aimed(p99, Quantity.LATENCY_NS_P99, subject, TAIL_TOLERANCE),
    )


def _aimed(name: str, quantity: Quantity, subject: OperationEstimate, tolerance: float = 1.0) -> AimedFigure:
    found, figure = estimate_of(quantity, subject), figure_of(quantity, subject, "")
    return AimedFigure(
        **vars(figure), name=name, level=found.level, between_share=found.between_share, tolerance=tolerance
    )


def _reason(
    cell: CellEstimate, subject: OperationEstimate, known: tuple[AimedFigure, ...], precision_percent: float
) -> Reason:
    if cell.repeats.warming_up:
        return Reason.WARMING_UP
    if cell.repeats_used < AIM_REPEATS_MIN:
        return Reason.TOO_FEW_REPEATS
    if known[-1].value is None and subject.count < SAMPLES_BEYOND_MIN * 100 / (100 - TAIL_PERCENT):
        return Reason.TAIL_TOO_THIN
    missing = [each for each in known if each.doubt(precision_percent) > 1]
    if any(each.level is Level.REPEATS for each in missing):
        return Reason.REPEATS_DIFFER
    return Reason.TOO_SHORT
