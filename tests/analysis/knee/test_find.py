"""The knee by three rules: examples from field reports, and each reason for reporting no knee."""

from collections.abc import Sequence

import numpy as np
import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.knee import DepthPoint, Knee, KneeReason, KneeRule, KneeState, find_knee
from iosonde.records import Experiment, Operation
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload

DEPTHS = tuple(2**step for step in range(9))


def sweep(*points: tuple[int, float, float]) -> Knee:
    return find_knee(DepthPoint(depth, throughput, latency) for depth, throughput, latency in points)


def queue(servers: int, depths: Sequence[int] = DEPTHS, spread: float = 0.0, repeats: int = 1) -> list[DepthPoint]:
    """A closed loop with min(depth, servers) operations per unit of time. Repeats vary by the share ``spread``."""
    random = np.random.default_rng(servers)
    points = []
    for depth in depths:
        rates = (min(depth, servers) * random.normal(1, spread, size=repeats)).tolist()
        each = tuple((rate, depth / rate) for rate in rates)
        rate = sum(rates) / repeats
        points.append(DepthPoint(depth, rate, depth / rate, repeats=each))
    return points


def answers(knee: Knee) -> dict[KneeRule, int | None]:
    return {answer.rule: answer.queue_depth for answer in knee.answers}


def test_reads_of_document_000_have_their_knee_between_the_answers_of_the_rules() -> None:
    knee = sweep((1, 27_173, 37), (2, 57_490, 30), (4, 66_818, 35), (8, 66_313, 35), (16, 66_327, 35))
    assert answers(knee) == {KneeRule.THROUGHPUT_SHARE: 4, KneeRule.POWER: 2, KneeRule.KNEEDLE: 2}
    assert knee.state is KneeState.IDENTIFIED
    assert knee.point is not None
    assert knee.point.queue_depth == 2
    assert knee.throughput_share == pytest.approx(57_490 / 66_818)
    assert knee.latency_ratio == pytest.approx(30 / 37)


def test_the_four_depths_of_document_001_are_too_few() -> None:
    knee = sweep((16, 312, 128), (64, 337, 260), (256, 353, 829), (1024, 361, 2981))
    assert (knee.state, knee.reason) == (KneeState.NOT_IDENTIFIABLE, KneeReason.TOO_FEW_DEPTHS)
    assert knee.point is None
    assert (knee.depths, knee.answers) == ((16, 64, 256, 1024), ())


@pytest.mark.parametrize("servers", [2, 4, 8, 16, 32, 64, 128])
def test_all_rules_that_answer_find_the_servers_of_a_queue(servers: int) -> None:
    knee = find_knee(queue(servers))
    assert set(answers(knee).values()) <= {servers, None}
    assert knee.point is not None
    assert knee.point.queue_depth == servers
    assert knee.latency_ratio == pytest.approx(1.0)


def test_a_straight_line_has_no_knee_that_can_be_told() -> None:
    knee = find_knee(queue(1024))
    assert (knee.reason, knee.point) == (KneeReason.GROWING, None)
    assert knee.growth_share == pytest.approx(1.0)


def test_a_flat_line_has_no_knee_that_can_be_told() -> None:
    knee = find_knee(queue(1, spread=0.05))
    assert (knee.reason, knee.point) == (KneeReason.FLAT, None)


def test_a_sweep_that_starts_below_four_fifths_of_the_best_is_not_flat() -> None:
    knee = sweep((1, 79, 10), (2, 98, 20), (4, 100, 40), (8, 100, 80), (16, 100, 160))
    assert knee.state is KneeState.IDENTIFIED


def test_growth_at_more_than_half_the_pace_of_depth_is_no_end_of_growing() -> None:
    bent = [(1, 10.0, 1.0), (2, 20.0, 1.0), (4, 40.0, 1.0), (8, 41.0, 2.0)]
    assert sweep(*bent, (16, 41 * 2**0.51, 9.0)).reason is KneeReason.GROWING


@pytest.mark.parametrize(("growth", "reason"), [(1.37, KneeReason.GROWING), (1.06, KneeReason.GROWING), (1.04, None)])
def test_the_largest_depth_is_no_knee_if_throughput_grows_there(growth: float, reason: KneeReason | None) -> None:
    points = [(1, 10.0, 1.0), (2, 20.0, 1.0), (4, 40.0, 1.0), (8, 80.0, 1.0)]
    assert sweep(*points, (16, 80 * growth, 2.0 / growth)).reason is reason


def test_rules_that_differ_by_more_than_half_of_the_sweep_name_no_knee() -> None:
    rates = [100 * 1.14**step for step in range(9)]
    knee = find_knee(DepthPoint(depth, rate, depth / rate) for depth, rate in zip(DEPTHS, rates, strict=True))
    assert answers(knee)[KneeRule.POWER] == 1
    assert answers(knee)[KneeRule.THROUGHPUT_SHARE] == 256
    assert (knee.reason, knee.point) == (KneeReason.SCATTERED, None)


def test_repeats_that_scatter_over_more_than_half_of_the_sweep_name_no_knee() -> None:
    def repeated(spread: float) -> list[DepthPoint]:
        rates = zip((1, 2, 4, 8, 16, 32, 64), (20, 90, 96, 97, 98, 99, 100), strict=True)
        return [
            DepthPoint(
                depth,
                rate,
                depth / rate,
                repeats=tuple((rate * part, depth / rate / part) for part in (1 - spread, 1.0, 1 + spread)),
            )
            for depth, rate in rates
        ]

    wild = find_knee(repeated(0.8))
    assert (wild.reason, wild.point) == (KneeReason.SCATTERED, None)
    calm = find_knee(repeated(0.001))
    assert calm.point is not None
    assert (calm.point.queue_depth, calm.queue_depth_low, calm.queue_depth_high) == (2, 2, 2)


def test_the_interval_holds_every_depth_that_repeats_can_t_tell_apart() -> None:
    near = [(1, 10), (2, 20), (4, 40), (8, 78), (16, 82), (32, 83), (64, 83)]
    points = [
        DepthPoint(depth, rate, depth / rate, repeats=tuple((rate * part, depth / rate) for part in (0.97, 1.0, 1.03)))
        for depth, rate in near
    ]
    share = find_knee(points).answers[0]
    assert (share.rule, share.queue_depth_low, share.queue_depth_high) == (KneeRule.THROUGHPUT_SHARE, 8, 32)


def test_the_same_sweep_gives_the_same_interval_each_time() -> None:
    points = queue(16, spread=0.1, repeats=4)
    assert find_knee(points) == find_knee(points)


def test_one_repeat_gives_no_interval() -> None:
    knee = find_knee(queue(16))
    assert (knee.queue_depth_low, knee.queue_depth_high) == (None, None)
    assert all(answer.queue_depth_low is None for answer in knee.answers)


@pytest.mark.parametrize("depths", [(), (1,), (1, 2)])
def test_a_sweep_of_next_to_nothing_has_no_knee_and_is_no_error(depths: tuple[int, ...]) -> None:
    knee = find_knee(queue(1024, depths))
    assert (knee.reason, knee.depths) == (KneeReason.TOO_FEW_DEPTHS, depths)


def test_depths_may_come_in_any_order() -> None:
    points = queue(8)
    assert find_knee(points) == find_knee(reversed(points))


def test_the_tail_of_the_knee_is_set_against_that_of_the_lowest_depth() -> None:
    points = [DepthPoint(point.queue_depth, point.throughput, 1.0, 100 * point.queue_depth) for point in queue(8)]
    assert find_knee(points).latency_p99_ratio == pytest.approx(8.0)


def test_a_sweep_names_the_deeper_cells_that_have_no_figures() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4, 8, 16, 32)]
    records = [
        cell_record(plan, {Operation.READ: totals_of([100_000] * (plan.workload.queue_depth * 100))})
        for plan in plans[:5]
    ]
    knee = estimate_run(run_record(plans, records)).knee(Operation.READ)
    assert (knee.reason, knee.depths, knee.unmeasured) == (KneeReason.GROWING, (1, 2, 4, 8, 16), (32,))


def test_the_repeats_of_a_run_reach_the_interval() -> None:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4, 8, 16)]
    records = [
        cell_record(
            plan,
            {Operation.READ: totals_of([100_000] * (min(plan.workload.queue_depth, 4) * 100 + repeat))},
            repeat=repeat,
        )
        for plan in plans
        for repeat in (1, 2, 3)
    ]
    knee = estimate_run(run_record(plans, records)).knee(Operation.READ)
    assert knee.point is not None
    assert (knee.point.queue_depth, knee.queue_depth_low, knee.queue_depth_high) == (4, 4, 4)
    assert len(knee.point.repeats) == 3
