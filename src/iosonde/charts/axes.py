"""The axes that charts share: their ends and their ticks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from math import ceil, floor, log10
from typing import Any, Final

import altair as alt

from iosonde.charts.figure import Row
from iosonde.charts.quantities import BANDWIDTH_UNIT, IOPS_BASE, LatencyUnit

LOG_AIR: Final = 0.08
LOG_AIR_MIN: Final = 1.1
"""The margin at each end of a log axis: this share of its length, and at least this factor."""

LABEL_GAP_PX: Final = 8
"""The least distance of tick labels. Closer labels would read as one, so some are omitted."""

COUNTED_TICKS_MAX: Final = 12
"""The most steps of an axis of rounds."""

LOG_TICKS_MIN: Final = 5
_LOG_STEPS: Final = (
    (1,),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
)
"""Steps within a decade, coarse to fine. The first one with enough ticks is used."""


ABOVE: Final = 1.06
"""The end of a linear axis, as a multiple of the highest error bar."""


def iops_from_zero(rows: Sequence[Row]) -> alt.Y:
    """A linear axis of IOPS from 0."""
    return alt.Y("iops:Q", title=f"IOPS ({IOPS_BASE})", scale=_from_zero(rows, "iops"), axis=iops_axis(tickCount=6))


def _from_zero(rows: Sequence[Row], field: str) -> alt.Scale:
    ends = (row[end] for row in rows for end in (field, "high", "deviation_high"))
    return alt.Scale(domain=[0, (max(ends, default=1.0) or 1.0) * ABOVE], nice=False)


def bandwidth_from_zero(rows: Sequence[Row]) -> alt.Y:
    """A linear axis of bandwidth from 0."""
    return alt.Y(
        "bandwidth_mb_per_s:Q",
        title=f"Bandwidth ({BANDWIDTH_UNIT})",
        scale=_from_zero(rows, "bandwidth_mb_per_s"),
        axis=number_axis(tickCount=6),
    )


def log_mean_latency(rows: Sequence[Row], unit: LatencyUnit) -> alt.Y:
    """A logarithmic axis of mean latency that includes the rows and their error bars."""
    return alt.Y(**log_latency(rows, unit, ends=("drawn_low", "high"), of="Mean latency"))


def log_latency(
    rows: Sequence[Row], unit: LatencyUnit, *, ends: Sequence[str] = (), of: str = "Latency", **axis: Any
) -> dict[str, Any]:
    """The arguments of ``alt.X`` or ``alt.Y`` for a logarithmic axis of latency that includes the fields ``ends``."""
    field = unit.field
    values = [row[end] for row in rows for end in (field, *ends)]
    domain = log_domain(values)
    drawn = log_scaled(field, f"{of} ({unit.name})", domain, number_axis(values=log_ticks(domain), **axis))
    if any(value <= 0 for value in values):
        # A latency below 1 ns is 0, which a log axis cannot show: it is drawn at the beginning of the axis.
        drawn["scale"].clamp = True
    return drawn


def log_scaled(field: str, title: str, domain: tuple[float, float], axis: alt.Axis) -> dict[str, Any]:
    """The arguments of ``alt.X`` or ``alt.Y`` for a logarithmic axis of a field. The title names the log scale."""
    return {
        "shorthand": f"{field}:Q",
        "title": f"{title}, log scale",
        "scale": alt.Scale(type="log", domain=list(domain), nice=False),
        "axis": axis,
    }


def iops_axis(**others: Any) -> alt.Axis:
    """Ticks such as 0, 50k, 1.2M. Uses a label expression, because a format alone would print 0 as 0k."""
    return alt.Axis(labelExpr="format(datum.value, '~s')", **others)


def number_axis(**others: Any) -> alt.Axis:
    """Ticks as full numbers with thousands separators, without trailing zeros."""
    return alt.Axis(format=",.9~g", **others)


def counted_axis(last: int) -> alt.Axis:
    """Ticks at whole numbers from 1 to ``last``, such as rounds. Vega's own ticks can be halves with equal labels."""
    step = next(each for each in _count_steps() if last <= each * COUNTED_TICKS_MAX)
    first = [1] if step > 2 else []  # noqa: PLR2004 - 1 next to 2 would be crowded
    return alt.Axis(format="d", grid=False, values=[*first, *range(step, last + 1, step)])


def _count_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    return (step * 10**decade for decade in count() for step in (1, 2, 5))


def log_domain(values: Iterable[float]) -> tuple[float, float]:
    """The ends of a log axis that has a margin around the positive values."""
    positive = [value for value in values if value > 0]
    if not positive:
        return 1.0, 10.0
    low, high = min(positive), max(positive)
    air = max((high / low) ** LOG_AIR, LOG_AIR_MIN)
    return low / air, high * air


def log_ticks(domain: tuple[float, float]) -> list[float]:
    """Ticks of a log axis: whole decades if there are at least ``LOG_TICKS_MIN``, else finer steps."""
    low, high = domain
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in _LOG_STEPS:
        ticks = _inside((step * 10.0**power for power in powers for step in steps), domain)
        if len(ticks) >= LOG_TICKS_MIN:
            return ticks
    # On less than a third of a decade, linear steps look even on a log axis too.
    step = 10.0 ** floor(log10(high - low))
    fine = next(part for part in (step, step / 2, step / 5, step / 10) if (high - low) / part >= LOG_TICKS_MIN)
    return _inside((fine * count for count in range(floor(low / fine), ceil(high / fine) + 1)), domain)


def _inside(ticks: Iterable[float], domain: tuple[float, float]) -> list[float]:
    # Rounded, because 10.0**-2 * 5 is not exactly 0.05, and the axis would print all its digits.
    rounded = (float(f"{tick:.6g}") for tick in ticks)
    return [tick for tick in rounded if domain[0] <= tick <= domain[1]]
