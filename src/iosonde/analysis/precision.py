"""Whether a cell is known as well as was asked, and what stands in the way."""

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
    """Why a cell is not known as well as was asked."""

    UNMEASURED = "unmeasured"
    TOO_FEW_REPEATS = "too_few_repeats"
    WARMING_UP = "warming_up"
    TAIL_TOO_THIN = "tail_too_thin"
    REPEATS_DIFFER = "repeats_differ"
    TOO_SHORT = "too_short"


FIGURES: Final = ("throughput", "mean latency", "p99")
"""What an aim is about, by name."""


@dataclass(frozen=True, kw_only=True)
class AimedFigure(Figure):
    """One of ``FIGURES`` by ``name``; ``level`` made its interval that wide.

    ``between_share`` is that of ``Estimate``. ``tolerance`` is how much wider it may be than was asked of a mean.
    """

    name: str
    level: Level | None = None
    between_share: float | None = None
    tolerance: float = 1.0

    def doubt(self, precision_percent: float) -> float:
        """Its half interval over the one that was asked for; infinite without an interval."""
        share = self.half_width_share
        return inf if share is None else share * 100 / precision_percent / self.tolerance


@dataclass(frozen=True)
class Precision:
    """How well a cell is known. ``doubt`` is the widest half interval over the one that was asked for.

    A cell is ``met`` when its doubt is at most 1; it is infinite where a figure has no interval. ``reason`` says what
    stands in the way, None where the aim is met.
    """

    cell: str
    known: tuple[AimedFigure, ...]
    doubt: float
    reason: Reason | None
    repeats_used: int = 0

    @property
    def met(self) -> bool:
        """Whether it is known as well as was asked."""
        return self.reason is None

    @property
    def widest(self) -> AimedFigure:
        """The figure that is known worst, by what was asked of it."""
        return max(self.known, key=lambda each: each.doubt(1.0))


def precision_of(cell: CellEstimate, precision_percent: float) -> Precision:
    """How well throughput, mean latency and p99 of what a cell is about are known; of a saturated one, throughput."""
    subject = cell.subject
    if subject is None:
        nothing = AimedFigure(name=FIGURES[0], quantity=Quantity.IOPS, operation=cell.workload.subject, value=None)
        return Precision(cell.cell, (nothing,), inf, Reason.UNMEASURED)
    # How long a saturated cell is measured makes its latency: no time would make that known.
    known = figures_of(subject)[: 1 if subject.saturated else None]
    doubt = max(each.doubt(precision_percent) for each in known)
    if doubt <= 1 and cell.repeats_used >= AIM_REPEATS_MIN and not cell.repeats.warming_up:
        return Precision(cell.cell, known, doubt, None, cell.repeats_used)
    reason = _reason(cell, subject, known, precision_percent)
    return Precision(cell.cell, known, doubt, reason, cell.repeats_used)


def figures_of(subject: OperationEstimate) -> tuple[AimedFigure, ...]:
    """The figures that an aim is about, in the order of ``FIGURES``: operations a second, and latencies in ns."""
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
