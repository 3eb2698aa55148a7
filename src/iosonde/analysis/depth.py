"""The achieved queue depth as a share of the requested one."""

from typing import Final

from iosonde.records import Sync, Workload

DEPTH_SHARE_INVALID: Final = 0.70
"""Below this share, results do not apply to the requested queue depth."""


def depth_share(asked: Workload, achieved: float | None) -> float | None:
    """The achieved queue depth as a share of the requested one.

    None if the achieved depth is unknown, or if the workload does not keep its queue full. For a short time between a
    write and its flush, between bursts, and in off-times, nothing is in flight by design. The depth of an open loop is
    a maximum, not a target.
    """
    if achieved is None or asked.is_open_loop or asked.has_pauses:
        return None
    if asked.sync is Sync.FDATASYNC and asked.operations_in_flight == 1:
        return None
    return achieved / asked.operations_in_flight
