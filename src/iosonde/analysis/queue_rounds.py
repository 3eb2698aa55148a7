"""How often a closed loop refilled its queue during a repeat."""

from math import inf
from typing import Final

from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord

ROUNDS_MIN: Final = 5
"""Below this number, the operations in flight at the start and at the end are a fifth or more of all."""


def rounds_of_queue(record: CellRecord) -> float:
    """The completed operations of a repeat per unit of requested queue depth.

    Infinite for an open loop, whose depth is a maximum, and for a repeat without completions, which is no result.
    """
    totals = total_of(record.operations, record.workload.subject)
    if totals is None or record.workload.is_open_loop:
        return inf
    return totals.count / record.workload.operations_in_flight
