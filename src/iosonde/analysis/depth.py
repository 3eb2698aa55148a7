"""How much of the depth asked was in flight."""

from typing import Final

from iosonde.records import Sync, Workload

DEPTH_SHARE_INVALID: Final = 0.70
"""Below it, figures belong to another depth than the one that was asked."""


def depth_share(asked: Workload, achieved: float | None) -> float | None:
    """The achieved depth as a share of the asked one; None where nobody measured it, or none was asked to be kept.

    Between a write and its flush the engine has nothing in flight for a moment, and between bursts nothing at all; that
    is the workload, not a lack. The depth of an open loop is the most that may be in flight, and nothing that is
    wanted.
    """
    if achieved is None or asked.is_open_loop or asked.burst_operations is not None:
        return None
    if asked.sync is Sync.FDATASYNC and asked.operations_in_flight == 1:
        return None
    return achieved / asked.operations_in_flight
