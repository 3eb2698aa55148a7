"""The rounds of a standard procedure: the value of each trial, and the gaps between them."""

from iosonde.analysis.cells import estimate_cell, plan_of
from iosonde.analysis.figures import figure_of
from iosonde.records import CellRecord, Outcome
from iosonde.vocabulary import Quantity


def tracked_value(record: CellRecord, quantity: Quantity) -> float | None:
    """The value of a quantity in one trial; None if it did not finish."""
    if record.outcome is not Outcome.FINISHED:
        return None
    estimates = estimate_cell(plan_of(record), [record]).of(record.workload.subject)
    return None if estimates is None else figure_of(quantity, estimates, record.cell).value


def gap_ns(before: CellRecord | None, after: CellRecord) -> int | None:
    """The time between the end of one trial and the warm-up of the next; None if it is unknown.

    The engine's clock is that of the host since it started, so the time is unknown across a restart.
    """
    if before is None or before.clock_end is None or after.clock_start is None:
        return None
    gap = after.clock_start.engine_ns - after.timing.warmup_ns - before.clock_end.engine_ns
    return gap if gap >= 0 else None
