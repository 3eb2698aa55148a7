"""Whether the host or the device delayed each of the slowest operations.

Kernel threads that dispatch and complete operations, such as ksoftirqd, have no counters here. Where other threads used
the CPU of the worker, they may have delayed these threads too, and the device is not named as the cause.

The delay of an operation is its latency minus the median latency of its class. The counters of the host span the
operation and a short time before its submission, so they bound the host's part from below and from above. The host is
the cause if its part is at least half of the delay even at the lower bound, the device if it is less than half even at
the upper bound. Otherwise the cause is unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iosonde.analysis.slowest import medians_ns
from iosonde.records import CellRecord, HostPart, Operation, SlowIo

SHARE_MIN: Final = 0.5
"""The host is the cause if it explains at least this share of the delay."""

PUNTED_SHARE_MAX: Final = 0.01
"""Kernel threads that use more than this share of the CPU time of a cell execute operations, and may be delayed too."""


class Cause(StrEnum):
    """What delayed an operation: the host, or the device and everything between it and the host's kernel."""

    HOST = "host"
    DEVICE = "device"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class TailCauses:
    """The causes of the slowest operations of a cell, over its repeats.

    ``slowest`` is their number, and ``by_cause`` the number of each cause. The longest wait of the worker for a CPU
    around one of them, in nanoseconds, and the largest number of its involuntary context switches, are None if no
    operation has counters.
    """

    slowest: int
    by_cause: Mapping[Cause, int]
    run_delay_ns_max: int | None
    switches_involuntary_max: int | None
    simulated: bool

    def share(self, cause: Cause) -> float:
        """The share of a cause."""
        return self.by_cause[cause] / self.slowest


def tail_causes(records: Iterable[CellRecord]) -> TailCauses | None:
    """The causes of the slowest operations of all repeats of a cell; None if no operation was recorded."""
    used = list(records)
    causes = [cause for record in used for cause in causes_of(record)]
    if not causes:
        return None
    parts = [each.host for record in used for each in record.slowest if each.host is not None]
    return TailCauses(
        len(causes),
        {cause: causes.count(cause) for cause in Cause},
        max((part.run_delay_ns for part in parts), default=None),
        max((part.switches_involuntary for part in parts), default=None),
        any(record.is_simulated for record in used),
    )


def causes_of(record: CellRecord) -> tuple[Cause, ...]:
    """The cause of each of the slowest operations of a repeat, in their order."""
    usual_ns = medians_ns(record)
    are_punted = _are_punted(record)
    return tuple(_cause(record, each, usual_ns, are_punted=are_punted) for each in record.slowest)


def _cause(record: CellRecord, slow: SlowIo, usual_ns: Mapping[Operation, int], *, are_punted: bool) -> Cause:
    # Simulated drives run in virtual time, in which the host does nothing.
    if record.is_simulated:
        return Cause.DEVICE
    if slow.host is None or slow.operation not in usual_ns:
        return Cause.UNKNOWN
    half_ns = SHARE_MIN * max(slow.latency_ns - usual_ns[slow.operation], 0)
    least_ns, most_ns = host_bounds_ns(slow.host, slow.latency_ns)
    if least_ns >= max(half_ns, 1):
        return Cause.HOST
    if most_ns is not None and most_ns < half_ns and not (are_punted or slow.host.contended_ns):
        return Cause.DEVICE
    return Cause.UNKNOWN


def host_bounds_ns(host: HostPart, latency_ns: int) -> tuple[float, float | None]:
    """The least and the most that the host can have added to a latency; the most is None if a counter is missing.

    Time in which the thread waited for a CPU counts fully only if it does not fit into the part of the window before
    the submission, and so does stolen time. Interrupts occur all the time, and count in proportion to the latency.
    """
    least = [host.unpolled_ns, _certain(host.run_delay_ns, host.window_ns, latency_ns)]
    processor = host.processor
    if processor is None:
        return min(max(least), latency_ns), None
    least.append(_certain(processor.steal_ns, processor.window_ns, latency_ns))
    interrupts_ns = processor.interrupt_ns * min(latency_ns / max(processor.window_ns, 1), 1)
    most_ns = host.unpolled_ns + host.run_delay_ns + processor.steal_ns + interrupts_ns
    return min(max(least), latency_ns), min(most_ns, latency_ns)


def _certain(part_ns: int, window_ns: int, latency_ns: int) -> int:
    """What cannot have happened outside of the operation."""
    return max(min(part_ns, window_ns) - max(window_ns - latency_ns, 0), 0)


def _are_punted(record: CellRecord) -> bool:
    workers_ns, kernel_ns = record.cpu_workers_ns, None if record.cpu is None else record.cpu.kernel_workers_ns
    if not kernel_ns or workers_ns is None:
        return False
    return kernel_ns > PUNTED_SHARE_MAX * (workers_ns + kernel_ns)
