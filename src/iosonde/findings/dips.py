"""A rule about dips in sweeps, and the known reasons that it checks."""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.dips import Dip, dips_of
from iosonde.analysis.families import Along
from iosonde.analysis.ratios import Ratio
from iosonde.analysis.regimes import regimes_of
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import ExtentFacts
from iosonde.units import format_percent, format_size

APART_SHARE_MIN: Final = 0.25
"""Repeats of a cell that span less of the run than this were measured at nearly the same time."""


def dip(case: Case) -> Iterator[Finding]:
    """Throughput falls and rises again along a sweep."""
    dips = _distinct_dips(case)
    if not dips:
        return
    worst, *others = sorted(dips, key=lambda each: -each.depth_share)
    checks = (_regime, _order, _split, _fragments)
    reasons = [reason for check in checks if (reason := check(case, worst))]
    checked = f"Possible reason: {'; '.join(reasons)}." if reasons else "None of the checked reasons explains it."
    number = count_of(len(others), "other sweep")
    more = f" {number} {'has a dip' if len(others) == 1 else 'have dips'}." if others else ""
    yield Finding(
        id="dip",
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=(
            f"{_quantity(worst)} of {worst.cell.cell} is at least {format_percent(worst.depth_share)} below that of "
            f"{_place(worst, worst.before)} and of {_place(worst, worst.after)}, on either side of it. "
            f"{checked}{more}"
        ),
        evidence=tuple(pair for each in (worst, *others) for pair in _evidence(case, each)),
        advice="Do not interpolate across the dip, and exclude these reasons before you attribute it to the drive.",
        deciding_test=(
            f"Run the cells from {worst.before.cell} to {worst.after.cell} again in random order with more repeats and "
            "with additional values between them. A dip that remains at the same value is a property of the target."
        ),
        cells=distinct(each.cell.cell for each in dips),
    )


def _distinct_dips(case: Case) -> list[Dip]:
    """The dips of all experiments. Two experiments may have the same sweep."""
    found = (each for experiment in case.estimates.experiments for each in dips_of(experiment.cells))
    return list({(each.along, each.cell.cell): each for each in found}.values())


def _quantity(found: Dip) -> str:
    return "Bandwidth" if found.along is Along.BLOCK_SIZE else "Throughput"


def _place(found: Dip, cell: CellEstimate) -> str:
    return cell.workload.size_text if found.along is Along.BLOCK_SIZE else f"depth {cell.queue_depth_asked}"


def _regime(case: Case, found: Dip) -> str:
    """Whether the throughput regime changed within the repeats of the dip."""
    used = case.repeats_of(found.cell.cell).used
    changed = sum(len(regimes_of(record)) > 1 for record in used)
    repeats = count_of(len(used), "repeat")
    return f"throughput changed from one regime to another in {changed} of its {repeats}" if changed else ""


def _order(case: Case, found: Dip) -> str:
    """Whether all repeats of the dip were measured close together in time."""
    orders = [record.order for record in case.repeats_of(found.cell.cell).used]
    whole = len(case.run.cells)
    together = len(orders) > 1 and (max(orders) - min(orders)) < APART_SHARE_MIN * whole
    return "its repeats were measured one after another, so it may be an effect of time" if together else ""


def _split(case: Case, found: Dip) -> str:
    """Whether the blocks at the dip are the first that are larger than the largest request of the device."""
    if found.along is not Along.BLOCK_SIZE:
        return ""
    sizes = [target.device.request_size_bytes_max for target in case.run.header.targets if target.device is not None]
    limits = [size for size in sizes if size is not None]
    before, here = found.before.workload.bytes_per_operation, found.cell.workload.bytes_per_operation
    crossed = next((limit for limit in limits if before <= limit < here), None)
    return f"the kernel splits blocks larger than {format_size(crossed)}" if crossed is not None else ""


def _fragments(case: Case, found: Dip) -> str:
    """Whether the blocks at the dip are the first that are larger than the mean extent of the file."""
    if found.along is not Along.BLOCK_SIZE:
        return ""
    before, here = found.before.workload.bytes_per_operation, found.cell.workload.bytes_per_operation
    means = [each.bytes // each.count for each in _extents(case) if each.count > 1]
    crossed = next((mean for mean in means if before <= mean < here), None)
    return f"blocks are larger than the mean extent of the file ({format_size(crossed)})" if crossed else ""


def _extents(case: Case) -> list[ExtentFacts]:
    end = case.run.end
    return [] if end is None else [each for each in end.extents if each is not None]


def _extents_text(case: Case) -> str:
    told = [f"{each.count:,}, the largest {format_size(each.bytes_max)}" for each in _extents(case)]
    return "; ".join(told) or "unknown"


def _evidence(case: Case, found: Dip) -> Iterator[tuple[str, str]]:
    yield found.cell.cell, f"{_times(found.left, found.before)}, {_times(found.right, found.after)}"
    yield f"{found.cell.cell}: regime change", _regime(case, found) or "no"
    yield f"{found.cell.cell}: order of measurement", _order(case, found) or "repeats are spread over the run"
    if found.along is Along.BLOCK_SIZE:
        yield f"{found.cell.cell}: request splitting", _split(case, found) or "no"
    if any(target.kind == "file" for target in case.run.header.targets):
        yield f"{found.cell.cell}: extents of the file", _extents_text(case)


def _times(ratio: Ratio, side: CellEstimate) -> str:
    return f"{ratio.value:.2f} times {side.cell} (95 % CI {ratio.low:.2f} to {ratio.high:.2f})"
