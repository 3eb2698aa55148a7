"""Little's law as an identity: IOPS times mean latency is the number of operations in flight.

J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research 9 (1961). Over a finite measurement
the identity is exact except for its two edges. Each completed operation adds its whole latency. An operation in flight
at the start adds time from before the measurement, and one in flight at the end adds nothing. The residual is at most
the time of the former less the age of the latter.
"""

from dataclasses import dataclass

from iosonde.analysis.totals import COUNTED_IN_ALL
from iosonde.records import CellRecord, Outcome


@dataclass(frozen=True)
class LittlesLaw:
    """The identity for one repeat.

    ``queue_depth_achieved`` is the time-weighted number in flight. ``queue_depth_by_latency`` is IOPS times mean
    service time, over reads, writes, trims and flushes. ``residual_share`` is the second divided by the first, less
    1. The two edges explain ``edge_share_low`` to ``edge_share_high`` of it: operations in flight at the start had
    waited no longer than the slowest completed operation, and the record has the age of those in flight at the end.
    """

    queue_depth_achieved: float
    queue_depth_by_latency: float
    residual_share: float
    edge_share_low: float
    edge_share_high: float


def littles_law(record: CellRecord) -> LittlesLaw | None:
    """The identity for a finished repeat; None if the number in flight was not measured or was always 0.

    Repeats with failed operations are skipped: these were in flight, but are in no count. Think time and the pauses of
    an open loop need no exception, because both sides count only operations in flight.
    """
    in_flight_ns, censored = record.in_flight_ns, record.censored
    if record.outcome is not Outcome.FINISHED or not record.measured_ns or not in_flight_ns or censored is None:
        return None
    totals = [record.operations[each] for each in COUNTED_IN_ALL if each in record.operations]
    if not totals or record.faults:
        return None
    latency_ns = sum(each.latency_ns_sum for each in totals)
    slowest_ns = max(each.latency_ns_max for each in totals)
    return LittlesLaw(
        queue_depth_achieved=in_flight_ns / record.measured_ns,
        queue_depth_by_latency=latency_ns / record.measured_ns,
        residual_share=latency_ns / in_flight_ns - 1,
        edge_share_low=-censored.count * censored.age_ns_max / in_flight_ns,
        edge_share_high=record.workload.operations_in_flight * slowest_ns / in_flight_ns,
    )
