"""Limits: the bandwidth of the link or another shared path, the rate of commands, and throttling."""

from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of
from iosonde.analysis.drive_counters import THROTTLED_SHARE_MIN, changes_of
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.families import Family
from iosonde.charts.quantities import operations_label
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import NOTABLE, Observed, is_of_host, named, surely_above, surely_below, times
from iosonde.explanations.reads import is_random_read, softness_of
from iosonde.findings.finding import Confidence
from iosonde.records import Access, Operation
from iosonde.units import exact_size, format_bandwidth, format_duration, format_iops

FLAT: Final = 0.05
"""Two values on a limit differ by less than this."""

LINKS: Final = (
    ("USB 2.0", 30e6, 44e6),
    ("SATA at 3 Gbit/s", 260e6, 288e6),
    ("USB at 5 Gbit/s", 380e6, 470e6),
    ("SATA at 6 Gbit/s", 520e6, 570e6),
    ("USB at 10 Gbit/s", 930e6, 1100e6),
    ("PCI Express 3.0 with 4 lanes", 3.1e9, 3.7e9),
    ("PCI Express 4.0 with 4 lanes", 6.3e9, 7.5e9),
    ("PCI Express 5.0 with 4 lanes", 12.5e9, 14.9e9),
)
"""What drives deliver over common links: net of encoding (8b/10b, 128b/130b) and of the protocol's own overhead."""


def bandwidth_limit(observed: Observed) -> Explanation | None:
    """Bandwidth of reads no longer grows with the block size, and is the same for random and sequential reads."""
    plateaus = (found for sweep in observed.size_sweeps if (found := _plateau(sweep)) is not None)
    best = max(plateaus, key=lambda each: each.bytes_per_s.mean, default=None)
    if best is None:
        return None
    size = exact_size(best.previous.workload.block_size_bytes)
    evidence = [
        (
            f"{named(best.largest)} deliver {format_bandwidth(best.bytes_per_s.mean)}, {times(best.ratio)} the "
            f"bandwidth of {size} reads: larger requests only take longer."
        )
    ]
    against: list[str] = []
    alike = _compare_patterns(observed, best, evidence, against)
    link = _link_near(best.bytes_per_s.mean)
    if link:
        evidence.append(f"{link} delivers about this bandwidth.")
    if any(softness_of(each) is not None for each in observed.depth_sweeps):
        against.append("Throughput approaches its limit gradually as depth grows, which a shared link does not cause.")
    confidence = Confidence.LIKELY if alike and not against else Confidence.POSSIBLE
    return Explanation(Mechanism.LINK_LIMIT, confidence, tuple(evidence), tuple(against), best.latency_factor)


@dataclass(frozen=True)
class _Plateau:
    """The two largest block sizes of a sweep of reads, whose bandwidth is the same."""

    largest: CellEstimate
    previous: CellEstimate
    bytes_per_s: Estimate
    ratio: Multiple
    latency_factor: float


def _plateau(sweep: Family) -> _Plateau | None:
    if sweep.cells[0].direction is not Operation.READ:
        return None
    previous, largest = sweep.cells[-2:]
    before, last = previous.subject, largest.subject
    assert before is not None, "only cells with results are observed"
    assert last is not None, "only cells with results are observed"
    ratio = multiple_of(last.bytes_per_s, before.bytes_per_s)
    if ratio.ratio is None or abs(ratio.value - 1) > FLAT or ratio.ratio.high > 1 + 2 * FLAT:
        return None
    factor = max(last.latency_ns_mean.mean / before.latency_ns_mean.mean, 1.0)
    return _Plateau(largest, previous, last.bytes_per_s, ratio, factor)


def _compare_patterns(observed: Observed, best: _Plateau, evidence: list[str], against: list[str]) -> bool:
    """Whether random and sequential reads have the same bandwidth: a link limits them alike."""
    opposite = Access.SEQUENTIAL if best.largest.workload.pattern is Access.RANDOM else Access.RANDOM
    other = observed.like(best.largest, pattern=opposite)
    if other is None or other.subject is None:
        return False
    same = multiple_of(other.subject.bytes_per_s, best.bytes_per_s)
    if same.is_near:
        evidence.append("Random and sequential reads reach the same bandwidth: the order of access does not matter.")
    else:
        against.append(f"{named(other)} deliver {times(same)} this bandwidth, which a link does not explain.")
    return same.is_near


def _link_near(bytes_per_s: float) -> str:
    return next((name for name, low, high in LINKS if low <= bytes_per_s <= high), "")


def command_limit(observed: Observed) -> Explanation | None:
    """IOPS of random reads no longer grow with the depth, although larger reads reach more bandwidth."""
    best_bytes_per_s = _best_read_bandwidth(observed)
    for sweep in observed.depth_sweeps:
        first, last = sweep.cells[0], sweep.cells[-1]
        one, most = first.of(sweep.whole), last.of(sweep.whole)
        if not is_random_read(first) or one is None or most is None or softness_of(sweep) is not None:
            continue
        depths = last.queue_depth_asked / first.queue_depth_asked
        growth = multiple_of(most.iops, one.iops)
        if best_bytes_per_s is None or not surely_below(growth, depths / NOTABLE) or not is_level(sweep):
            continue
        larger = multiple_of(best_bytes_per_s, most.bytes_per_s)
        if not surely_above(larger):
            continue
        return Explanation(
            Mechanism.COMMAND_LIMIT,
            Confidence.LIKELY,
            (
                (
                    f"{operations_label(first.workload)} reach {format_iops(most.iops.mean)} IOPS, and no more at "
                    f"greater depth: {times(growth)} the IOPS of depth {first.queue_depth_asked}."
                ),
                (
                    f"Larger reads reach {times(larger)} the bandwidth, so the number of requests is the limit and not "
                    "their bytes."
                ),
            ),
            tuple(f"The finding {each.id} applies to this run." for each in observed.findings if is_of_host(each.id)),
            depths / growth.value,
        )
    return None


def _best_read_bandwidth(observed: Observed) -> Estimate | None:
    found = [cell.subject.bytes_per_s for cell in observed.cells if cell.direction is Operation.READ and cell.subject]
    return max(found, key=lambda each: each.mean, default=None)


def is_level(sweep: Family) -> bool:
    """Whether the last two depths have the same throughput."""
    before, last = (cell.of(sweep.whole) for cell in sweep.cells[-2:])
    if before is None or last is None:
        return False
    growth = multiple_of(last.iops, before.iops)
    return growth.ratio is not None and growth.ratio.high < 1 + 2 * FLAT


def throttling(observed: Observed) -> Explanation | None:
    """The drive reports that it slowed itself down while cells were measured."""
    by_name = {cell.cell: cell for cell in observed.case.estimates.cells}
    found = [
        (change.throttled_ns / record.measured_ns, change.throttled_ns, record)
        for record, change in changes_of(observed.case.run)
        if change is not None and change.throttled_ns is not None and record.cell in by_name and record.measured_ns
    ]
    worst = max(found, key=lambda each: each[0], default=None)
    if worst is None or worst[0] < THROTTLED_SHARE_MIN:
        return None
    share, throttled_ns, record = worst
    return Explanation(
        Mechanism.THROTTLING,
        Confidence.LIKELY,
        (
            (
                f"The drive's counters report {format_duration(throttled_ns)} of throttling during repeat "
                f"{record.repeat} of {named(by_name[record.cell])}, which took {format_duration(record.measured_ns)}."
            ),
        ),
        (),
        1 + share,
    )
