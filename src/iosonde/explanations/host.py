"""Mechanisms of the host: its I/O scheduler, which merges requests, and its CPUs."""

from typing import Final

from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import Observed, named
from iosonde.findings.finding import Confidence
from iosonde.records import CellRecord, DeviceCounts
from iosonde.units import format_percent

MERGED_SHARE_MIN: Final = 0.05
"""A smaller share of merged requests changes neither throughput nor mean latency by more than the usual precision."""

NO_SCHEDULER: Final = "none"


def scheduler(observed: Observed) -> Explanation | None:
    """The kernel merged requests of the engine before the device received them."""
    found = [
        (share, cell, device)
        for cell in observed.cells
        for record in observed.records(cell)
        for device in record.devices
        if (share := _merged_share(record, device)) >= MERGED_SHARE_MIN
    ]
    if not found:
        return None
    share, cell, device = max(found, key=lambda each: each[0])
    evidence = [f"In {named(cell)}, the kernel merged {format_percent(share)} of the requests to {device.device}."]
    against: list[str] = []
    names = {each.scheduler for each in observed.devices if each.scheduler}
    if names == {NO_SCHEDULER}:
        against.append("The device has no I/O scheduler: requests were merged when they were submitted together.")
    elif names:
        evidence.append(f"The I/O scheduler is {', '.join(sorted(names))}.")
    if any(target.kind == "file" for target in observed.case.run.header.targets):
        against.append("The file system can also merge requests.")
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.SCHEDULER, confidence, tuple(evidence), tuple(against), 1 / (1 - min(share, 0.99)))


def _merged_share(record: CellRecord, device: DeviceCounts) -> float:
    """The share of submitted requests that became part of another one. Other users of the device may add to both."""
    kinds = [device.read] if record.workload.read_percent else []
    kinds += [device.write] if record.workload.writes else []
    merged, submitted = sum(each.merged for each in kinds), sum(each.count + each.merged for each in kinds)
    return merged / submitted if submitted else 0.0


def cpu_bound(observed: Observed) -> Explanation | None:
    """A worker was busy nearly all the time, as the finding ``host-limited`` reports."""
    finding = next((each for each in observed.findings if each.id == "host-limited"), None)
    if finding is None or not finding.evidence:
        return None
    cells = [cell for cell in observed.case.estimates.cells if cell.cell in finding.cells]
    cell, text = finding.evidence[0]
    against = []
    if all(each.queue_depth_asked == 1 for each in cells):
        against.append("With one operation in flight, a busy thread adds latency, but the target can still be faster.")
    return Explanation(
        Mechanism.CPU_BOUND,
        Confidence.LIKELY,
        (f"In {cell}, the busiest thread of the engine: {text}.",),
        tuple(against),
        1.0,
    )
