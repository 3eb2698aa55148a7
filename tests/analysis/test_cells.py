"""The estimates of a cell: which repeats are used, and percentiles of all repeats together, never averaged."""

from typing import Any

import pytest

from iosonde.analysis.cells import CellEstimate, OperationEstimate, estimate_cell
from iosonde.records import Access, CellRecord, Experiment, Fault, FaultKind, Operation, Outcome, Sync
from iosonde.vocabulary import FailureKind
from tests.builders import SECOND_NS, cell_plan, cell_record, failed, no_operations, silent_repeat, totals_of, workload

READS = cell_plan(workload(queue_depth=8), Experiment.TAIL)
MIXED = cell_plan(workload(read_percent=70), Experiment.MIX)


def reads(count: int, latency_ns: int = 100_000, **others: Any) -> CellRecord:
    return cell_record(READS, {Operation.READ: totals_of([latency_ns] * count)}, measured_ns=SECOND_NS, **others)


def figures(cell: CellEstimate, operation: Operation = Operation.READ) -> OperationEstimate:
    found = cell.of(operation)
    assert found is not None
    return found


def test_rates_are_estimated_over_repeats() -> None:
    found = figures(estimate_cell(READS, [reads(1000), reads(1200, repeat=1), reads(1100, repeat=2)]))
    assert found.iops.mean == 1100
    assert found.iops.standard_deviation == pytest.approx(100)
    assert found.iops.repeats == 3
    assert found.bytes_per_s.mean == 1100 * 4096


def test_minimum_and_maximum_are_the_extremes_over_repeats() -> None:
    first = cell_record(READS, {Operation.READ: totals_of([50_000, 80_000])}, measured_ns=SECOND_NS)
    second = cell_record(READS, {Operation.READ: totals_of([60_000, 900_000])}, measured_ns=SECOND_NS, repeat=1)
    found = figures(estimate_cell(READS, [first, second]))
    assert (found.latency_ns_min, found.latency_ns_max) == (50_000, 900_000)


def test_a_percentile_is_read_from_added_counts_and_never_averaged() -> None:
    # The average of the two medians would be 505 us, a latency that no operation had.
    found = figures(estimate_cell(READS, [reads(300, 10_000), reads(100, 1_000_000, repeat=1)]))
    median = found.percentile(50)
    known = (median.value_ns, median.lowest_ns, median.highest_ns)
    assert known == pytest.approx((10_000, 10_000, 1_000_000), rel=0.004)


def test_a_pooled_percentile_may_stand_where_a_repeat_alone_is_too_small() -> None:
    found = figures(estimate_cell(READS, [reads(600), reads(600, repeat=1)]))
    at_99 = found.percentile(99)
    assert at_99.value_ns == 100_000
    assert (at_99.lowest_ns, at_99.highest_ns) == (None, None)
    assert found.percentile(99.9).value_ns is None


def test_a_repeat_in_which_nothing_completed_is_a_throughput_of_zero_and_has_no_latency() -> None:
    found = estimate_cell(READS, [reads(1000), silent_repeat(READS, 1, measured_ns=SECOND_NS), reads(800, repeat=2)])
    own = figures(found)
    assert (own.iops.mean, own.iops.repeats) == (600, 3)
    assert own.bytes_per_s.mean == 600 * 4096
    assert (own.latency_ns_mean.mean, own.latency_ns_mean.repeats) == (100_000, 2)
    assert (found.repeats_used, found.repeats_finished, found.repeats_failed) == (3, 3, 0)


def test_a_direction_of_a_mix_that_did_not_complete_once_in_a_repeat_is_a_zero_there() -> None:
    both = {Operation.READ: totals_of([100_000] * 90), Operation.WRITE: totals_of([100_000] * 10)}
    lacking = {Operation.READ: totals_of([100_000] * 90)}
    silent = silent_repeat(MIXED, 2, measured_ns=SECOND_NS).model_copy(update={"operations": lacking})
    records = [cell_record(MIXED, both, repeat=1, measured_ns=SECOND_NS), silent]
    found = estimate_cell(MIXED, records)
    assert figures(found, Operation.WRITE).iops.mean == pytest.approx(5, rel=0.1)
    shares = [figures(found, each).iops.mean for each in (Operation.READ, Operation.WRITE)]
    assert sum(shares) == pytest.approx(figures(found, Operation.ALL).iops.mean)


def test_a_failed_repeat_is_left_out_of_figures_and_counted() -> None:
    broken = reads(10, repeat=1, outcome=Outcome.FAILED, failure=failed())
    found = estimate_cell(READS, [reads(1000), broken, reads(1000, repeat=2)])
    assert figures(found).iops.mean == 1000
    assert (found.repeats_finished, found.repeats_failed, found.repeats_cut) == (2, 1, 0)
    assert [failure.kind for failure in found.failures] == [FailureKind.IO]


def test_a_cut_repeat_is_left_out_of_figures_and_counted() -> None:
    found = estimate_cell(READS, [reads(1000), reads(10, repeat=1, outcome=Outcome.CUT)])
    assert figures(found).count == 1000
    assert found.repeats_cut == 1


def test_a_cell_whose_repeats_all_failed_has_no_figures_rather_than_zeros() -> None:
    found = estimate_cell(READS, [reads(10, outcome=Outcome.FAILED, failure=failed())])
    assert found.operations == {}
    assert found.queue_depth_achieved is None
    assert found.cpu_ns_per_io is None


def test_a_cell_that_was_never_measured_has_no_figures() -> None:
    found = estimate_cell(READS, [])
    assert found.of(Operation.READ) is None
    assert found.outcomes == ()


def test_a_direction_that_completed_nothing_has_no_figures() -> None:
    record = cell_record(
        MIXED, {Operation.READ: totals_of([100]), Operation.WRITE: no_operations()}, measured_ns=SECOND_NS
    )
    found = estimate_cell(MIXED, [record])
    assert found.of(Operation.WRITE) is None
    assert figures(found, Operation.ALL).count == 1


def test_directions_are_estimated_apart_and_together() -> None:
    operations = {Operation.READ: totals_of([100] * 70), Operation.WRITE: totals_of([300] * 30)}
    found = estimate_cell(MIXED, [cell_record(MIXED, operations, measured_ns=SECOND_NS)])
    assert figures(found, Operation.READ).iops.mean == 70
    assert figures(found, Operation.WRITE).iops.mean == 30
    assert figures(found, Operation.ALL).iops.mean == 100
    assert figures(found, Operation.ALL).latency_ns_mean.mean == 160


def test_depth_asked_and_achieved_stand_side_by_side() -> None:
    found = estimate_cell(READS, [reads(10, queue_depth_achieved=5.0), reads(10, repeat=1, queue_depth_achieved=6.0)])
    assert found.queue_depth_asked == 8
    assert found.queue_depth_achieved is not None
    assert found.queue_depth_achieved.mean == pytest.approx(5.5)


def test_cpu_time_is_that_of_the_workers_over_all_operations() -> None:
    found = estimate_cell(READS, [reads(1000, cpu_ns=2_000_000)])
    assert found.cpu_ns_per_io is not None
    assert found.cpu_ns_per_io.mean == 2000


def test_cpu_time_of_the_kernels_threads_is_a_cost_of_operations_as_well() -> None:
    whole = reads(1000, cpu_ns=2_000_000)
    assert whole.cpu is not None
    cpu = whole.cpu.model_copy(update={"kernel_workers_ns": 500_000, "sqpoll_threads_ns": 1_500_000})
    found = estimate_cell(READS, [whole.model_copy(update={"cpu": cpu})])
    assert found.cpu_ns_per_io is not None
    assert found.cpu_ns_per_io.mean == 4000


def test_faults_of_every_repeat_are_kept() -> None:
    fault = Fault(
        kind=FaultKind.RETRY, operation=Operation.READ, errno=11, errno_name="EAGAIN", count=2, offset_bytes_first=0
    )
    cut = reads(10, repeat=1, outcome=Outcome.CUT, faults=(fault,))
    found = estimate_cell(READS, [reads(10, faults=(fault,)), cut])
    assert sum(each.count for each in found.faults) == 4


def test_a_flushed_write_is_about_its_commits() -> None:
    plan = cell_plan(workload(Access.RANDOM, 0, 4096, 1, Sync.FDATASYNC), Experiment.BASELINE)
    operations = {
        Operation.WRITE: totals_of([20_000]),
        Operation.FLUSH: totals_of([900_000], block_size_bytes=0),
        Operation.COMMIT: totals_of([920_000]),
    }
    found = estimate_cell(plan, [cell_record(plan, operations)])
    assert found.subject is not None
    assert found.subject.operation is Operation.COMMIT


def test_what_an_aim_asks_for_is_what_all_figures_say() -> None:
    operations = {Operation.READ: totals_of([1000] * 9000), Operation.WRITE: totals_of([2000] * 4000)}
    records = [cell_record(MIXED, operations, repeat=each) for each in (1, 2, 3)]
    whole, brief = estimate_cell(MIXED, records), estimate_cell(MIXED, records, for_aim=True)
    assert list(brief.operations) == [MIXED.workload.subject]
    assert whole.subject is not None
    assert brief.subject is not None
    assert brief.subject.percentile(99) == whole.subject.percentile(99)
    assert (brief.subject.iops, brief.subject.latency_ns_mean) == (whole.subject.iops, whole.subject.latency_ns_mean)
