"""Whether the host or the device delayed the slowest operations."""

from typing import Any

import pytest

from iosonde.analysis.tail_causes import Cause, causes_of, host_bounds_ns, tail_causes
from iosonde.records import CellRecord, Experiment, HostPart, Operation, ProcessorPart, SlowIo
from tests.builders import cell_plan, cell_record, cpu_use, drive_state, totals_of, workload

MS = 1_000_000
QUIET = ProcessorPart(window_ns=200 * MS, steal_ns=0, interrupt_ns=0)


def part(**others: Any) -> HostPart:
    fields: dict[str, Any] = {
        "window_ns": 11 * MS,
        "run_delay_ns": 0,
        "switches_involuntary": 0,
        "unpolled_ns": 0,
        "contended_ns": 0,
        "cpu": 0,
        "processor": QUIET,
    }
    return HostPart(**(fields | others))


def record(host: HostPart | None, **others: Any) -> CellRecord:
    """A repeat with a median read of 1 ms, and one of 11 ms whose readings span 12 ms unless said otherwise."""
    slow = SlowIo(
        operation=Operation.READ, latency_ns=11 * MS, reap_ns=MS, offset_bytes=0, length_bytes=4096, host=host
    )
    reads = {Operation.READ: totals_of([MS] * 1000)}
    return cell_record(cell_plan(workload(), Experiment.TAIL), reads, slowest=(slow,), **others)


def cause(host: HostPart | None, **others: Any) -> Cause:
    (found,) = causes_of(record(host, **others))
    return found


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (part(), Cause.DEVICE),
        (part(run_delay_ns=6 * MS), Cause.HOST),
        (part(run_delay_ns=4 * MS), Cause.DEVICE),
        (part(unpolled_ns=5 * MS), Cause.HOST),
        (part(run_delay_ns=3 * MS, unpolled_ns=3 * MS), Cause.UNKNOWN),
        # Half of the wait for a CPU may have been before the submission.
        (part(run_delay_ns=6 * MS, window_ns=14 * MS), Cause.UNKNOWN),
        (part(run_delay_ns=9 * MS, window_ns=14 * MS), Cause.HOST),
        (part(contended_ns=4 * MS), Cause.UNKNOWN),
        (part(processor=None), Cause.UNKNOWN),
        (part(processor=None, run_delay_ns=6 * MS), Cause.HOST),
        # Ten milliseconds of steal in a window of 200 ms may be anywhere in it, 200 ms of steal are everywhere.
        (part(processor=ProcessorPart(window_ns=200 * MS, steal_ns=10 * MS, interrupt_ns=0)), Cause.UNKNOWN),
        (part(processor=ProcessorPart(window_ns=200 * MS, steal_ns=200 * MS, interrupt_ns=0)), Cause.HOST),
        (part(processor=ProcessorPart(window_ns=200 * MS, steal_ns=0, interrupt_ns=10 * MS)), Cause.DEVICE),
        (part(processor=ProcessorPart(window_ns=200 * MS, steal_ns=0, interrupt_ns=150 * MS)), Cause.UNKNOWN),
        (None, Cause.UNKNOWN),
    ],
)
def test_the_cause_follows_from_the_bounds_of_the_hosts_part(host: HostPart | None, expected: Cause) -> None:
    assert cause(host) is expected


def test_the_hosts_part_is_never_more_than_the_latency() -> None:
    assert host_bounds_ns(part(run_delay_ns=40 * MS, unpolled_ns=40 * MS), 11 * MS) == (11 * MS, 11 * MS)


def test_the_device_is_not_named_where_kernel_threads_executed_the_operations() -> None:
    busy = cpu_use(100 * MS)
    assert cause(part(), cpu=busy.model_copy(update={"kernel_workers_ns": MS // 2})) is Cause.DEVICE
    assert cause(part(), cpu=busy.model_copy(update={"kernel_workers_ns": 5 * MS})) is Cause.UNKNOWN


def test_a_simulated_drive_delays_all_of_them() -> None:
    simulated = record(None, drives=(drive_state(),))
    assert causes_of(simulated) == (Cause.DEVICE,)
    found = tail_causes([simulated])
    assert found is not None
    assert found.simulated


def test_the_causes_of_a_cell_are_those_of_all_repeats() -> None:
    found = tail_causes([record(part()), record(part(run_delay_ns=8 * MS, switches_involuntary=2)), record(None)])
    assert found is not None
    assert found.by_cause == {Cause.HOST: 1, Cause.DEVICE: 1, Cause.UNKNOWN: 1}
    assert (found.slowest, found.run_delay_ns_max, found.switches_involuntary_max) == (3, 8 * MS, 2)


def test_without_slow_operations_there_are_no_causes() -> None:
    assert tail_causes([cell_record(cell_plan(workload(), Experiment.TAIL), {})]) is None
