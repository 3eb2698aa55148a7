"""The kernel's counts at the devices of a cell's targets, next to the engine's counts.

The two share no timestamp: the kernel counts requests as they start and end at the device, and the engine polls a ring.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from iosonde.records import CellRecord, DeviceCounts, Operation, RequestCounts
from iosonde.units import SECOND_NS

WITNESSED: Final = (Operation.READ, Operation.WRITE, Operation.TRIM)
"""The operations that the kernel counts separately. Its flushes are not those of the engine."""

_OF_DEVICE: Final[dict[Operation, Callable[[DeviceCounts], RequestCounts]]] = {
    Operation.READ: lambda device: device.read,
    Operation.WRITE: lambda device: device.write,
    Operation.TRIM: lambda device: device.trim,
}


@dataclass(frozen=True)
class Witnessed:
    """One operation as counted by the engine, and by the kernel at the devices.

    ``per_s`` and ``bytes_per_s`` are rates, because the two read the clock at slightly different times.
    ``device_per_s`` includes merged requests. It is None for writes if the device flushed in the same time, because the
    kernel counts a flush as a write of no bytes. ``device_ns_mean`` is the mean time of a request from start to
    completion. It is None in the same case, if the devices count in ticks of the kernel timer, if nothing was counted,
    and if requests were merged or split, so that a request is not an operation.
    """

    operation: Operation
    count: int
    per_s: float
    bytes_per_s: float
    latency_ns_mean: float
    device_per_s: float | None
    device_bytes_per_s: float
    device_ns_mean: float | None


# Up to this difference, requests and operations are the same: some are at an edge of the measurement.
_SAME: Final = 0.02

# Another thread reads the kernel's counts. If it was later than this, the counts cover a different period.
_LATE_SHARE: Final = 0.02
_LATE_NS: Final = 20_000_000


def witnessed(record: CellRecord, operation: Operation) -> Witnessed | None:
    """Both counts of an operation; None unless some completed and the devices of all targets are known."""
    totals = record.operations.get(operation)
    known = {target for device in record.devices for target in device.targets}
    if operation not in WITNESSED or totals is None or not totals.count or not record.measured_ns:
        return None
    if known != set(range(record.workload.targets)):
        return None
    if apart_ns(record) > _LATE_SHARE * record.measured_ns + _LATE_NS:
        return None
    counts = [_OF_DEVICE[operation](device) for device in record.devices]
    seconds = [device.elapsed_ns / SECOND_NS for device in record.devices]
    rates = zip(counts, seconds, strict=True)
    device_per_s = sum((each.count + each.merged) / elapsed_s for each, elapsed_s in rates)
    requests = sum(each.count for each in counts)
    per_s = totals.count * SECOND_NS / record.measured_ns
    counts_flushes = operation is Operation.WRITE and any(device.flush.count for device in record.devices)
    are_same = sum(each.merged for each in counts) <= _SAME * requests and abs(device_per_s / per_s - 1) <= _SAME
    is_timed = requests > 0 and are_same and not counts_flushes and all(device.by_request for device in record.devices)
    return Witnessed(
        operation=operation,
        count=totals.count,
        per_s=per_s,
        bytes_per_s=totals.bytes * SECOND_NS / record.measured_ns,
        latency_ns_mean=totals.latency_ns_sum / totals.count,
        device_per_s=None if counts_flushes else device_per_s,
        device_bytes_per_s=sum(each.bytes / elapsed_s for each, elapsed_s in zip(counts, seconds, strict=True)),
        device_ns_mean=sum(each.request_ns for each in counts) / requests if is_timed else None,
    )


def apart_ns(record: CellRecord) -> int:
    """The largest difference between the period of the kernel's counts and the measurement time."""
    return max((abs(device.elapsed_ns - record.measured_ns) for device in record.devices), default=0)
