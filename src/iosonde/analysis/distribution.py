"""Latency figures from any form of distribution: counts, percentiles or moments.

Counts are added up. Percentiles are never combined, and means are combined only with their counts. A figure that the
known data does not determine has no value but a reason.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from iosonde.analysis.histogram import percentiles, resolution_ns
from iosonde.analysis.missing_reasons import FEW_BEYOND, NOT_MEASURED, ONE_REPEAT
from iosonde.analysis.totals import merge_times
from iosonde.figures import Figure
from iosonde.records import Distribution, Moments, Operation, Percentiles, Provenance, Times
from iosonde.vocabulary import Quantity

ADDED_UP: Final = "the repeats are merged, so the variation between them is unknown"
NOT_PRINTED: Final = "the printed results do not include it"
UNCOUNTED: Final = "the printed means have no operation counts, so they cannot be averaged over repeats"
NOT_ADDED: Final = "percentiles of several repeats cannot be merged without their histograms"
MIXED: Final = "some repeats have histograms, and others only summary values"
NO_INTERVAL_DERIVED: Final = "it was computed from printed means without confidence intervals"


def latency_figure(
    quantity: Quantity, operation: Operation, repeats: Sequence[Distribution | None], place: str = ""
) -> Figure:
    """A mean or percentile of latency over all repeats of a cell, in nanoseconds.

    ``why_none`` is the reason for a missing value or 95 % interval. A single distribution never has an interval.
    Raises ValueError for counts of two engines with different histogram ceilings.
    """
    assert quantity not in {Quantity.IOPS, Quantity.BYTES_PER_S}, (
        "throughput cannot be computed from a latency distribution"
    )
    blank = Figure(quantity=quantity, operation=operation, value=None, place=place)
    known = [each for each in repeats if each is not None]
    if not known or len(known) < len(repeats):
        return replace(blank, provenance=Provenance.UNKNOWN, why_none=NOT_MEASURED)
    counted = [each for each in known if isinstance(each, Times)]
    if len(counted) == len(known):
        return _counted(blank, merge_times(counted), ONE_REPEAT if len(counted) == 1 else ADDED_UP)
    printed = [each for each in known if not isinstance(each, Times)]
    if counted:
        return replace(blank, provenance=Provenance.UNKNOWN, why_none=MIXED)
    if quantity.percent is None:
        return _printed_mean(blank, [each.moments if isinstance(each, Percentiles) else each for each in printed])
    return _printed_percentile(blank, quantity.percent, printed)


def _counted(blank: Figure, times: Times | None, why_no_interval: str) -> Figure:
    count = 0 if times is None else sum(times.histogram.count)
    if times is None or not count:
        return replace(blank, provenance=Provenance.UNKNOWN, why_none=NOT_MEASURED)
    percent = blank.quantity.percent
    if percent is None:
        return replace(blank, value=times.ns_sum / count, why_none=why_no_interval)
    (value,) = percentiles(times.histogram, (percent,), smallest_ns=times.ns_min, largest_ns=times.ns_max)
    if value is None:
        return replace(blank, why_none=FEW_BEYOND)
    resolution = resolution_ns(times.histogram.layout, value)
    return replace(blank, value=value, resolution=resolution, why_none=why_no_interval)


def _printed_mean(blank: Figure, repeats: Sequence[Moments | None]) -> Figure:
    known = [each for each in repeats if each is not None]
    if not known or len(known) < len(repeats):
        return replace(blank, provenance=Provenance.PRINTED, why_none=NOT_PRINTED)
    if len(known) == 1:
        return known[0].mean_ns.figure(blank.quantity, blank.operation, blank.place)
    counts = [each.count for each in known if each.count]
    if len(counts) < len(known):
        return replace(blank, provenance=Provenance.DERIVED, why_none=UNCOUNTED)
    shares = [count / sum(counts) for count in counts]
    return replace(
        blank,
        value=sum(share * each.mean_ns.value for share, each in zip(shares, known, strict=True)),
        resolution=sum(share * each.mean_ns.resolution for share, each in zip(shares, known, strict=True)),
        provenance=Provenance.DERIVED,
        why_none=NO_INTERVAL_DERIVED,
    )


def _printed_percentile(blank: Figure, percent: float, repeats: Sequence[Percentiles | Moments]) -> Figure:
    if len(repeats) > 1:
        return replace(blank, provenance=Provenance.PRINTED, why_none=NOT_ADDED)
    (only,) = repeats
    points = dict(zip(only.percent, only.ns, strict=True)) if isinstance(only, Percentiles) else {}
    if percent not in points:
        return replace(blank, provenance=Provenance.PRINTED, why_none=NOT_PRINTED)
    return points[percent].figure(blank.quantity, blank.operation, blank.place)
