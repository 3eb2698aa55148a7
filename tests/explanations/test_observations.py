"""Observations that need a cause, with the mechanisms that could be it: told, not told, too few data."""

from collections.abc import Mapping, Sequence

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import Mechanism, Observation, examine, explain, observations
from iosonde.findings import Case
from iosonde.records import Access, Experiment, Operation, RunRecord, Workload
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.explanations.marks import on_device, thrice
from tests.sweep_builder import run_of_cells

READ = workload(queue_depth=1)
SEQUENTIAL = workload(pattern=Access.SEQUENTIAL, queue_depth=1)
MIX = workload(read_percent=50, queue_depth=1)
WRITE = workload(read_percent=0, queue_depth=1)


def observed(run: RunRecord) -> tuple[Observation, ...]:
    case = Case.of(RunAnalysis(run))
    return observations(case, (), examine(case, (), explain(case, ())))


def measured(latencies: Mapping[Workload, Mapping[Operation, Sequence[int]]], repeats: int = 3) -> RunRecord:
    """A run in which every repeat of a cell has operations of these latencies, in nanoseconds."""
    plans = [cell_plan(asked, Experiment.MIX) for asked in latencies]
    records = [
        cell_record(plan, {operation: totals_of(each) for operation, each in latencies[plan.workload].items()},
                    repeat=repeat)
        for plan in plans
        for repeat in range(1, repeats + 1)
    ]  # fmt: skip
    return run_record(plans, records)


def mixed(tail_ns: int, repeats: int = 3) -> RunRecord:
    usual = [50_000] * 1_900
    alone = [*usual, *[60_000] * 100]
    tailed_reads = {Operation.READ: [*usual, *[tail_ns] * 100], Operation.WRITE: usual}
    return measured({READ: {Operation.READ: alone}, WRITE: {Operation.WRITE: alone}, MIX: tailed_reads}, repeats)


def test_reads_that_a_mix_slows_down_ask_for_a_cause() -> None:
    (found,) = observed(mixed(240_000))
    assert found.text.startswith("In 4 KiB random 50/50 mix at depth 1, p99 of reads is 4")
    assert found.text.endswith("that of pure reads.")
    assert {Mechanism.COLLECTION, Mechanism.WRITE_BUFFER} < {each.mechanism for each in found.causes}


def test_reads_that_a_mix_does_not_slow_down_do_not() -> None:
    assert observed(mixed(60_000)) == ()


def test_a_mix_with_a_single_repeat_says_too_little() -> None:
    assert observed(mixed(240_000, repeats=1)) == ()


def tailed(asked: Workload, tail_ns: int, operations: int = 2_000) -> RunRecord:
    slow = operations // 50
    latencies = [*[50_000] * (operations - slow), *[tail_ns] * slow]
    return measured({asked: {Operation.READ if asked.read_percent else Operation.WRITE: latencies}})


def test_a_long_tail_with_one_operation_in_flight_asks_for_a_cause() -> None:
    (found,) = observed(tailed(WRITE, 500_000))
    assert "is 10 times the median" in found.text
    assert Mechanism.SLC_CACHE in {each.mechanism for each in found.causes}


def test_a_short_tail_does_not() -> None:
    assert observed(tailed(WRITE, 150_000)) == ()


def test_a_tail_of_a_deep_queue_does_not() -> None:
    assert observed(tailed(workload(queue_depth=16), 500_000)) == ()


def test_a_tail_of_too_few_operations_does_not() -> None:
    assert observed(tailed(WRITE, 500_000, operations=100)) == ()


def test_a_disk_is_not_said_to_collect_garbage() -> None:
    (found,) = observed(on_device(tailed(WRITE, 500_000), rotational=True))
    assert Mechanism.COLLECTION not in {each.mechanism for each in found.causes}


def test_reads_that_depend_on_the_order_ask_for_a_cause() -> None:
    (found,) = observed(run_of_cells({READ: thrice(100), SEQUENTIAL: thrice(20)}))
    assert found.text.startswith("4 KiB random reads at depth 1 take 5.00 times")
    assert Mechanism.READ_AHEAD in {each.mechanism for each in found.causes}


def test_reads_of_equal_speed_or_unknown_precision_do_not() -> None:
    assert observed(run_of_cells({READ: thrice(100), SEQUENTIAL: thrice(99)})) == ()
    unknown = observed(run_of_cells({READ: [100_000.0], SEQUENTIAL: [20_000.0]}))
    assert unknown == ()
