from collections.abc import Sequence
from typing import Any

import pytest

from iosonde.analysis.procedures.long_runs import LongPhase, busy_until, long_phases, time_samples
from iosonde.records import CellRecord, Experiment, Operation, PhasePlan
from iosonde.vocabulary import PhaseRole
from tests.builders import SECOND_NS, cell_plan, cell_record, interval_record, totals_of, workload
from tests.procedure_builder import TIMING, WRITE, procedure_run, steady_procedure

MINUTE_NS = 60 * SECOND_NS


def minutes(*counts: int, latency_ns: int = 1000, **changed: Any) -> CellRecord:
    """A trial of WRITE with so many writes in each minute."""
    plan = cell_plan(workload(read_percent=0, **changed), Experiment.PROCEDURE, timing=TIMING)
    intervals = tuple(
        interval_record(
            index,
            {Operation.WRITE: totals_of([latency_ns] * count)} if count else {},
            start_ns=index * MINUTE_NS,
            end_ns=(index + 1) * MINUTE_NS,
        )
        for index, count in enumerate(counts)
    )
    totals = {Operation.WRITE: totals_of([latency_ns] * sum(counts))}
    return cell_record(plan, totals, intervals=intervals, measured_ns=len(counts) * MINUTE_NS)


def phase(counts: Sequence[int], level_ns: int = 2 * MINUTE_NS) -> LongPhase:
    record = minutes(*counts)
    samples = tuple(time_samples(record, MINUTE_NS))
    return LongPhase("one", PhaseRole.STIMULUS, record.workload, True, 0, level_ns, samples)


def test_a_sample_has_the_operations_of_its_minute() -> None:
    first, second = time_samples(minutes(60, 120), MINUTE_NS)

    assert (first.iops, second.iops) == (1, 2)
    assert second.bytes_per_s == 2 * 4096
    assert (second.start_ns, second.end_ns) == (MINUTE_NS, 2 * MINUTE_NS)
    assert second.latency_ns_mean == 1000


def test_a_minute_without_operations_is_a_sample_of_none() -> None:
    _, second, _ = time_samples(minutes(60, 0, 60), MINUTE_NS)

    assert second.iops == 0
    assert second.latency_ns_mean is None


def test_idle_periods_of_a_duty_cycle_are_no_part_of_its_throughput() -> None:
    # 5 s of each 30 s are busy, so a minute has two busy periods: 10 s.
    (only,) = time_samples(minutes(50, on_ns=5 * SECOND_NS, off_ns=25 * SECOND_NS), MINUTE_NS)

    assert only.busy_ns == 10 * SECOND_NS
    assert only.iops == 5


def test_a_sample_has_whole_duty_cycles() -> None:
    # A cycle of 40 s does not divide a minute, so a sample has two of them: 80 s. The middles of the four
    # minutes are at 30, 90, 150 and 210 s.
    found = list(time_samples(minutes(50, 50, 50, 50, on_ns=10 * SECOND_NS, off_ns=30 * SECOND_NS), MINUTE_NS))

    assert [each.end_ns for each in found] == [MINUTE_NS, 3 * MINUTE_NS, 4 * MINUTE_NS]


@pytest.mark.parametrize(("time_s", "busy_s"), [(0, 0), (3, 3), (5, 5), (30, 5), (32, 7), (60, 10)])
def test_a_duty_cycle_begins_with_its_busy_period(time_s: int, busy_s: int) -> None:
    duty = workload(on_ns=5 * SECOND_NS, off_ns=25 * SECOND_NS)

    assert busy_until(time_s * SECOND_NS, duty) == busy_s * SECOND_NS


def test_the_level_of_a_phase_is_the_mean_of_its_end() -> None:
    assert phase([600, 60, 120]).level.iops == 1.5


def test_throughput_has_recovered_once_it_stays_near_the_level() -> None:
    # The second minute is near the level of 10/s, but the third is not.
    assert phase([300, 600, 300, 540, 660, 600]).settled_ns(10) == 3 * MINUTE_NS


def test_throughput_near_the_level_from_the_beginning_needs_no_recovery() -> None:
    assert phase([600, 600]).settled_ns(10) == 0


def test_throughput_that_is_not_near_the_level_at_the_end_has_not_recovered() -> None:
    assert phase([600, 600, 300]).settled_ns(10) is None


def test_phases_of_a_procedure_follow_one_another() -> None:
    other = cell_plan(workload(read_percent=0), Experiment.PROCEDURE, timing=TIMING)
    procedure = steady_procedure(
        phases=(PhasePlan(name="rounds", role=PhaseRole.STIMULUS, cells=(WRITE.cell,)),),
    )
    run = procedure_run(procedure, [{WRITE.cell: minutes(60, 120)}], (other,))

    (found,) = long_phases(run, procedure)

    assert (found.name, found.start_ns, found.is_finished) == ("rounds", 0, True)
    assert found.whole.operations == 180


def test_in_scaled_times_samples_are_shorter_by_the_scale() -> None:
    procedure = steady_procedure(
        phases=(PhasePlan(name="rounds", role=PhaseRole.STIMULUS, cells=(WRITE.cell,)),),
    )
    short = minutes(60, 120).model_copy(
        update={
            "intervals": tuple(
                interval_record(
                    index,
                    {Operation.WRITE: totals_of([1000] * 60)},
                    start_ns=index * SECOND_NS // 5,
                    end_ns=(index + 1) * SECOND_NS // 5,
                )
                for index in range(3)
            )
        }
    )
    (found,) = long_phases(procedure_run(procedure, [{WRITE.cell: short}], time_scale=300), procedure)

    assert [each.iops for each in found.samples] == [300, 300, 300]
