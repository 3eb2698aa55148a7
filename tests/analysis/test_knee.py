"""The knee by the 95 % rule: worked examples of the reports in the field, and every state."""

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.knee import DepthPoint, Knee, KneeState, find_knee
from iosonde.records import Experiment, Operation
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload


def sweep(*points: tuple[int, float, float]) -> Knee:
    return find_knee(DepthPoint(depth, throughput, latency) for depth, throughput, latency in points)


def test_reads_of_document_001_have_their_knee_at_depth_256() -> None:
    knee = sweep((16, 312, 128), (64, 337, 260), (256, 353, 829), (1024, 361, 2981))
    assert knee.state is KneeState.FOUND
    assert knee.point is not None
    assert knee.point.queue_depth == 256
    assert knee.throughput_share == pytest.approx(353 / 361)
    assert knee.latency_share == pytest.approx(829 / 2981)


def test_writes_of_document_001_have_their_knee_at_depth_256() -> None:
    knee = sweep((16, 310, 52), (64, 335, 187), (256, 351, 731), (1024, 359, 2880))
    assert knee.point is not None
    assert (knee.state, knee.point.queue_depth) == (KneeState.FOUND, 256)


def test_reads_of_document_000_have_their_knee_at_depth_4() -> None:
    knee = sweep((1, 27_173, 37), (2, 57_490, 30), (4, 66_818, 35), (8, 66_313, 35), (16, 66_327, 35))
    assert knee.point is not None
    assert (knee.state, knee.point.queue_depth) == (KneeState.FOUND, 4)
    assert knee.throughput_share == 1.0
    assert knee.latency_share == pytest.approx(35 / 37)


def test_a_sweep_that_still_climbs_at_its_end_has_its_knee_above() -> None:
    knee = sweep((1, 100, 10), (2, 200, 10), (4, 400, 10))
    assert knee.state is KneeState.OUTSIDE_ABOVE


def test_a_sweep_that_starts_saturated_has_its_knee_below() -> None:
    knee = sweep((16, 98, 10), (32, 100, 20), (64, 99, 40))
    assert knee.state is KneeState.OUTSIDE_BELOW


def test_a_drive_saturated_at_depth_1_has_its_knee_there() -> None:
    knee = sweep((1, 98, 10), (2, 100, 20), (4, 99, 40))
    assert knee.point is not None
    assert (knee.state, knee.point.queue_depth) == (KneeState.FOUND, 1)


@pytest.mark.parametrize("depths", [(), (1,), (1, 2)])
def test_fewer_than_three_depths_show_no_knee(depths: tuple[int, ...]) -> None:
    knee = find_knee(DepthPoint(depth, 100.0 * depth, 10.0) for depth in depths)
    assert knee == Knee(KneeState.UNKNOWN, None, None, None, None, depths)


def test_depths_may_come_in_any_order() -> None:
    points = [(4, 400.0, 12.0), (1, 100.0, 10.0), (8, 410.0, 20.0), (2, 200.0, 10.0)]
    assert sweep(*points) == sweep(*sorted(points))


def test_the_peak_latency_is_the_highest_and_not_that_of_the_best_throughput() -> None:
    knee = sweep((1, 100, 10), (2, 200, 10), (4, 195, 50), (8, 190, 100))
    assert knee.point is not None
    assert knee.point.queue_depth == 2
    assert knee.latency_share == pytest.approx(0.1)


def test_a_shallower_depth_whose_interval_reaches_the_best_one_s_can_t_be_told_from_the_knee() -> None:
    def point(depth: int, mean: float, half: float) -> DepthPoint:
        return DepthPoint(depth, mean, 1000.0, mean - half, mean + half)

    doubtful = find_knee([point(1, 10, 1), point(2, 60, 40), point(4, 80, 5), point(8, 100, 10), point(16, 100, 10)])
    assert doubtful.point is not None
    assert (doubtful.point.queue_depth, doubtful.depth_low) == (8, 2)
    sure = find_knee([point(1, 10, 1), point(2, 60, 4), point(4, 80, 1), point(8, 100, 1), point(16, 100, 1)])
    assert sure.depth_low == 8


def test_a_knee_above_what_was_measured_is_unknown_while_deeper_cells_have_no_figures() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4, 8)]
    records = [
        cell_record(plan, {Operation.READ: totals_of([100_000] * (plan.workload.queue_depth * 100))})
        for plan in plans[:3]
    ]
    knee = estimate_run(run_record(plans, records)).knee(Operation.READ)
    assert (knee.state, knee.depths, knee.unmeasured) == (KneeState.UNKNOWN, (1, 2, 4), (8,))
    whole = estimate_run(run_record(plans[:3], records)).knee(Operation.READ)
    assert (whole.state, whole.unmeasured) == (KneeState.OUTSIDE_ABOVE, ())
