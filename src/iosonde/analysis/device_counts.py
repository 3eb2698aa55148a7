"""What the kernel counted at the devices below a cell's targets, beside what the engine counted.

The two share no stamp: the kernel counts requests as they begin and end at the device, and the engine looks at a ring.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from iosonde.records import CellRecord, DeviceCounts, Operation, RequestCounts
from iosonde.units import SECOND_NS

WITNESSED: Final = (Operation.READ, Operation.WRITE, Operation.TRIM)
"""The operations that the kernel counts by themselves. What it counts as a flush is not one of ours."""

_OF_DEVICE: Final[dict[Operation, Callable[[DeviceCounts], RequestCounts]]] = {
    Operation.READ: lambda device: device.read,
    Operation.WRITE: lambda device: device.write,
    Operation.TRIM: lambda device: device.trim,
}


@dataclass(frozen=True)
class Witnessed:
    """One class of operations as the engine counted it, and as the kernel did at the devices.

    ``per_s`` and ``bytes_per_s`` are rates, since the two looked at the clock at slightly other moments.
    ``device_per_s`` counts requests that were merged into others as well; None for writes of a device that flushed
    meanwhile: the kernel counts a flush among the writes too, as one of no bytes. ``device_ns_mean`` is the time of a
    request from its beginning to its completion; None there as well, where the devices count in ticks of the kernel's
    timer, where nothing was counted, and where requests were merged or split, so that a request is another thing than
    an operation.
    """

    operation: Operation
    count: int
    per_s: float
    bytes_per_s: float
    latency_ns_mean: float
    device_per_s: float | None
    device_bytes_per_s: float
    device_ns_mean: float | None


# Within this much, requests and operations are the same things: some lie on an edge of the measured time.
_SAME: Final = 0.02

# The kernel's counts are read by another thread. Where it was so much later than the window ended, they are of another
# stretch of time.
_LATE_SHARE: Final = 0.02
_LATE_NS: Final = 20_000_000


def witnessed(record: CellRecord, operation: Operation) -> Witnessed | None:
    """Both counts of a class; None unless it completed and the devices below all targets are known."""
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
    """By how much the interval of the kernel's counts differs from the measurement window, at most."""
    return max((abs(device.elapsed_ns - record.measured_ns) for device in record.devices), default=0)
