"""Little's law in a measurement: exact, except for operations that began before it or ended after it."""

import pytest

from iosonde.analysis.littles_law import littles_law
from iosonde.records import Censored, Fault, FaultKind, Operation, Outcome, Sync
from tests.builders import cell_plan, cell_record, totals_of, workload

MS = 1_000_000
PLAN = cell_plan(workload(queue_depth=8))
READS = {Operation.READ: totals_of([MS] * 40_000)}


def test_rate_times_latency_is_what_was_in_flight() -> None:
    law = littles_law(cell_record(PLAN, READS, queue_depth_achieved=7.9))
    assert law is not None
    assert law.queue_depth_by_latency == pytest.approx(8.0)
    assert law.residual_share == pytest.approx(8 / 7.9 - 1)


def test_the_edges_explain_the_time_of_what_came_before_and_the_age_of_what_was_left() -> None:
    left = Censored(count=8, age_ns_min=MS, age_ns_max=50 * MS, latency_ns_max=60 * MS)
    law = littles_law(cell_record(PLAN, READS, censored=left))
    assert law is not None
    assert law.edge_share_low == pytest.approx(-8 * 50 / 40_000)
    assert law.edge_share_high == pytest.approx(8 * 1 / 40_000)


def test_a_write_and_its_flush_are_two_operations_and_their_commit_is_none() -> None:
    plan = cell_plan(workload(read_percent=0, queue_depth=1, sync=Sync.FDATASYNC))
    each = totals_of([MS] * 2_500)
    operations = {Operation.WRITE: each, Operation.FLUSH: each, Operation.COMMIT: totals_of([2 * MS] * 2_500)}
    law = littles_law(cell_record(plan, operations))
    assert law is not None
    assert law.residual_share == pytest.approx(0.0)


def test_nothing_is_said_of_what_failed_or_was_not_measured() -> None:
    fault = Fault(kind=FaultKind.ERROR, operation=Operation.READ, errno=5, errno_name="EIO", count=1)
    assert littles_law(cell_record(PLAN, READS, faults=(fault,))) is None
    assert littles_law(cell_record(PLAN, READS, outcome=Outcome.CUT)) is None
    assert littles_law(cell_record(PLAN, READS, in_flight_ns=None, censored=None)) is None
    assert littles_law(cell_record(PLAN, {})) is None
