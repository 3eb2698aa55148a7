"""Little's law in a measurement, as an identity: rate times mean latency is the number in flight.

J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research 9 (1961); over a window the identity
is exact but for its two edges. Each operation that is counted brings its whole latency, and what was in flight when the
window began brings time from before it, while what was in flight at its end brings none: what remains is at most the
time of the former less the age of the latter.
"""

from dataclasses import dataclass

from iosonde.analysis.totals import COUNTED_IN_ALL
from iosonde.records import CellRecord, Outcome


@dataclass(frozen=True)
class LittlesLaw:
    """The identity in one measurement.

    ``queue_depth_achieved`` is the number in flight, integrated over time; ``queue_depth_by_latency`` is the rate times
    the mean service latency, over reads, writes, trims and flushes. ``residual_share`` is the second over the first
    less 1. By ``edge_share_low`` at least, and ``edge_share_high`` at most, the two edges of the window explain it:
    whatever was in flight at its beginning had waited no longer than the slowest operation that is counted, and what
    was at its end was as old as the record says.
    """

    queue_depth_achieved: float
    queue_depth_by_latency: float
    residual_share: float
    edge_share_low: float
    edge_share_high: float


def littles_law(record: CellRecord) -> LittlesLaw | None:
    """The identity of a finished measurement; None where nobody measured what was in flight, or nothing ever was.

    Where operations failed it is not asked: they were in flight, and are counted nowhere. Think time and the pauses of
    an open loop are no exception: both sides count what is in flight, and nothing else.
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
