"""The rounds of a standard procedure: the value of each trial, and the gaps between them."""

from iosonde.analysis.samples import value_of
from iosonde.analysis.totals import parts_of
from iosonde.records import CellRecord, Outcome
from iosonde.vocabulary import Quantity


def tracked_value(record: CellRecord, quantity: Quantity) -> float | None:
    """The value of a quantity in one trial; None if it did not finish."""
    if record.outcome is not Outcome.FINISHED:
        return None
    return value_of(parts_of(record.operations, record.workload.subject), record.measured_ns, quantity)


def gap_ns(before: CellRecord | None, after: CellRecord) -> int | None:
    """The time from the last completion of one trial to the warm-up of the next; None if it is unknown.

    A drive that completes the operations in flight at the end of a trial does not rest. The engine's clock is that of
    the host since it started, so the time is unknown across a restart.
    """
    if before is None or before.clock_end is None or after.clock_start is None:
        return None
    gap = after.clock_start.engine_ns - after.timing.warmup_ns - before.clock_end.engine_ns
    return max(gap - (drain_ns(before) or 0), 0) if gap >= 0 else None


def drain_ns(record: CellRecord) -> int | None:
    """How long operations took to complete after the end of a trial; None if it is unknown."""
    return None if record.censored is None else record.censored.drain_ns
