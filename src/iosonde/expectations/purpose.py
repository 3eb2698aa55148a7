"""Whether a target meets all requirements of a purpose. The worst requirement decides; there is no average."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log
from typing import Final

from iosonde.analysis.estimate import CONFIDENCE
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN
from iosonde.analysis.missing_reasons import FEW_BEYOND, FEW_BEYOND_BOUND, ONE_REPEAT
from iosonde.analysis.results import CellResults
from iosonde.analysis.student import t_quantile
from iosonde.expectations.judge import Checked, CheckedResults
from iosonde.expectations.verdict import Verdict
from iosonde.figures import Figure
from iosonde.plans import PRECISION_PERCENT_MAX, PRECISION_PERCENT_MIN
from iosonde.plans.limits import REPEATS_MAX
from iosonde.records.plan import TAIL_TOLERANCE
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Quantity

REPEATS_FOR_INTERVAL: Final = 3
"""The number of repeats to suggest after a single one."""

SAMPLES_FOR_BOUND: Final = 2 * SAMPLES_BEYOND_MIN
"""Samples above a percentile that are enough for an interval of it."""

_TOLERANCES: Final = {
    Quantity.IOPS: 1.0,
    Quantity.BYTES_PER_S: 1.0,
    Quantity.LATENCY_NS_MEAN: 1.0,
    Quantity.LATENCY_NS_P99: TAIL_TOLERANCE,
}
"""The metrics that --precision applies to, and by how much wider their intervals may be."""


@dataclass(frozen=True)
class Measured:
    """How long a cell was measured: the number of repeats in its results, their length and their warm-up."""

    repeats: int
    measure_ns: int
    warmup_ns: int


@dataclass(frozen=True)
class Longer:
    """What would decide an undecided requirement if its value stayed the same, or give it an interval if it has none.

    ``repeats`` is the total number of repeats of ``measured``; None if more repeats would not decide it, or if the data
    do not show how many would. ``more_ns`` is the additional time. ``precision_percent`` is the equivalent value of
    --precision; None if that flag does not apply to the metric. ``is_invalid``: the cell has no valid
    results, or it is a sustained transfer, which has no repeats.
    """

    check: Checked
    measured: Measured | None
    is_invalid: bool = False
    repeats: int | None = None
    precision_percent: float | None = None

    @property
    def more_ns(self) -> int:
        """The additional time for all repeats, with their warm-ups."""
        if self.measured is None or self.repeats is None:
            return 0
        turn_ns = self.measured.measure_ns + self.measured.warmup_ns
        return (self.repeats - self.measured.repeats) * turn_ns


@dataclass(frozen=True)
class PurposeOutcome:
    """The verdict for a purpose, the requirement that determines it, and what would decide the undecided ones.

    The verdict is ``fail`` if any requirement is missed, else ``undecided`` if any is, else ``pass``. Among the
    requirements with this verdict, ``binding`` is the one whose value is worst in proportion to its limit.
    """

    verdict: Verdict
    binding: Checked
    longer: tuple[Longer, ...]


def outcome_of(checked: CheckedResults, measured: Mapping[str, Measured]) -> PurposeOutcome:
    """The verdict for all requirements together. ``measured`` has the cells of the run by name."""
    verdict = checked.verdict
    binding = min((each for each in checked.checks if each.verdict is verdict), key=headroom)
    cells = {cell.name: cell for cell in checked.results.cells}
    undecided = [each for each in checked.checks if each.verdict is Verdict.UNDECIDED]
    return PurposeOutcome(
        verdict, binding, tuple(_longer(each, cells.get(each.cell or ""), measured) for each in undecided)
    )


def headroom(check: Checked) -> float:
    """The logarithm of limit / value, or of value / limit for a lower limit, so that both kinds are comparable.

    Negative if the value misses the limit; infinite without a value.
    """
    if check.value is None:
        return inf
    if check.value == 0:
        return inf if check.is_at_most else -inf
    distance = log(check.bound / check.value)
    return distance if check.is_at_most else -distance


def _longer(check: Checked, cell: CellResults | None, measured: Mapping[str, Measured]) -> Longer:
    known = measured.get(check.cell or "")
    if cell is None or known is None or cell.invalid_by or cell.is_sustained:
        return Longer(check, known, is_invalid=True)
    operation = check.operation or cell.subject
    figure = cell.figure(check.metric, operation)
    if figure is None or known.repeats == 0:
        return Longer(check, known)
    if figure.ends is not None:
        share = None if check.operation is not cell.subject else _precision_percent(check)
        return Longer(check, known, repeats=_repeats_to_decide(check, figure, known.repeats), precision_percent=share)
    if figure.why_none == ONE_REPEAT:
        return Longer(check, known, repeats=REPEATS_FOR_INTERVAL)
    if figure.why_none in {FEW_BEYOND, FEW_BEYOND_BOUND}:
        needed = _repeats_for_tail(check, cell.figure(Quantity.IOPS, operation), known)
        return Longer(check, known, repeats=needed)
    return Longer(check, known)


def _repeats_to_decide(check: Checked, figure: Figure, repeats: int) -> int | None:
    """The number of repeats whose interval no longer contains the limit. None if it is more than a plan may have.

    The standard error of a mean falls with the root of the number of repeats, and Student's t with the degrees of
    freedom, which grow with the number.
    """
    distance = abs(headroom(check))
    if figure.ends is None or figure.value is None or not 0 < distance < inf:
        return None
    end = figure.ends[0] if check.bound < figure.value else figure.ends[1]
    if end <= 0:
        return None
    width, degrees, tail = abs(log(end / figure.value)), figure.degrees_of_freedom, (1 - CONFIDENCE) / 2
    for number in range(repeats + 1, REPEATS_MAX + 1):
        narrower = (repeats / number) ** 0.5
        if degrees:
            narrower *= t_quantile(degrees * number / repeats, tail) / t_quantile(degrees, tail)
        if width * narrower < distance:
            return number
    return None


def _repeats_for_tail(check: Checked, rate: Figure | None, known: Measured) -> int | None:
    """The number of repeats with enough samples above a percentile. None if it is more than a plan may have."""
    percent = check.metric.percent
    if percent is None or rate is None or not rate.value:
        return None
    beyond = rate.value * known.measure_ns / SECOND_NS * (1 - percent / 100)
    # The share above a percentile is not exact in binary.
    number = max(ceil(round(SAMPLES_FOR_BOUND / beyond, 6)), known.repeats + 1)
    return number if number <= REPEATS_MAX else None


def _precision_percent(check: Checked) -> float | None:
    """The half-width of the interval, in the terms of --precision, at which it no longer contains the limit."""
    tolerance = _TOLERANCES.get(check.metric)
    if tolerance is None or not check.value:
        return None
    percent = 100 * abs(1 - check.bound / check.value) / tolerance
    rounded = min(int(percent * 10) / 10, PRECISION_PERCENT_MAX)
    return rounded if rounded >= PRECISION_PERCENT_MIN else None
