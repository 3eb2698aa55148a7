"""Knees and scaling in words: what is said, and what is not said where it can't be told."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.knee import DepthPoint, find_knee
from iosonde.analysis.scaling import scaling_of
from iosonde.records import Experiment, Operation
from iosonde.report.headline import headline_of
from iosonde.report.knee_words import (
    knee_sentence,
    knee_table,
    knees_named,
    scaling_sentences,
    scaling_table,
    swept_sentences,
)
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.charts.test_mixes import operations_of
from tests.lab_builder import lab_run
from tests.sweep_builder import run_of_cells

DEPTHS = (1, 2, 4, 8, 16, 32)


def points(rates: Sequence[float], repeats: int = 1) -> list[DepthPoint]:
    return [
        DepthPoint(
            depth, rate, depth / rate * 1e9, round(2e9 * depth / rate), repeats=((rate, depth / rate),) * repeats
        )
        for depth, rate in zip(DEPTHS, rates, strict=False)
    ]


def said(rates: Sequence[float], repeats: int = 1) -> str:
    return knee_sentence("4 KiB random reads", find_knee(points(rates, repeats)))


def test_a_knee_says_its_depth_who_named_it_what_it_gives_and_what_it_costs() -> None:
    assert said((1000, 2000, 3900, 4000, 4000, 4000), repeats=2) == (
        "4 KiB random reads: the knee is at depth 4 (by all three rules; 95 % CI 4 to 4). At this depth, throughput is "
        "98 % of the best (4,000 IOPS at depth 8). Mean latency is 51 % of the value at depth 8 and 1.0 times the "
        "value at depth 1 (p99: 1.0 times)."
    )


def test_a_knee_at_the_peak_is_not_compared_with_itself() -> None:
    text = said((1000, 2000, 4000, 3990, 3980, 3970), repeats=2)
    assert "At this depth, throughput is the best of the sweep (4,000 IOPS). Mean latency is 1.0 times the" in text
    assert "%" not in text.split("At this depth")[1]


def test_rules_that_differ_are_named_side_by_side() -> None:
    assert "(95 % of the best: 8, power: 4, Kneedle: 4; no CI: not every depth has two repeats)" in said(
        (1000, 2000, 3600, 3900, 4000, 4000)
    )


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ((1000, 2000, 3000, 3000), "at least 5 depths with results are required, but the sweep has 4."),
        (
            (90, 95, 100, 99, 98, 97),
            "throughput is at least 90 % of the best (100 IOPS at depth 4) at all depths from 1 upwards",
        ),
        (
            (10, 20, 40, 80, 160, 320),
            "throughput still grows by 100 % from depth 16 to 32, the largest depth of this sweep.",
        ),
        (
            (100, 120, 144, 173, 207, 249),
            "the rules or the repeats disagree by more than half the depth range (95 % of the best: 32,",
        ),
    ],
)
def test_a_knee_that_can_t_be_told_says_why(rates: Sequence[float], words: str) -> None:
    sentence = said(rates)
    assert sentence.startswith("4 KiB random reads: the knee is not identifiable: ")
    assert words in sentence


def test_bounds_and_the_law_say_their_numbers() -> None:
    rates = [1000 * depth / (1 + 0.05 * (depth - 1) + 0.002 * depth * (depth - 1)) for depth in DEPTHS]
    bounds, law = scaling_sentences("4 KiB random reads", scaling_of(points(rates)))
    assert bounds.startswith("By Little's law, ")
    assert " IOPS of 4 KiB random reads require at least 7." in bounds
    assert "(the rate times the lowest mean latency, 1,000 µs at depth 1)." in bounds
    assert law == (
        "The Universal Scalability Law fits 4 KiB random reads to within 0 %, with contention 5.0 % and coherency "
        "0.2 %; throughput peaks near depth 22."
    )


def test_a_law_that_does_not_fit_says_how_far_it_is_off_and_nothing_else() -> None:
    _, law = scaling_sentences("4 KiB random writes", scaling_of(points([1000 * min(depth, 8) for depth in DEPTHS])))
    assert law.startswith("The Universal Scalability Law does not fit 4 KiB random writes: the largest error is ")
    assert "contention" not in law


def test_too_few_points_say_nothing_of_the_law() -> None:
    assert len(scaling_sentences("4 KiB random reads", scaling_of(points((1000, 2000, 3000))))) == 1


def test_the_table_has_each_rule_and_the_depth_to_use() -> None:
    knees = headline_of(estimate_run(lab_run())).knees
    table = knee_table(knees[:1])
    assert table is not None
    assert [line.texts[1] for line in table.lines] == ["95 % of the best", "power", "Kneedle", "recommended depth"]
    assert all(len(line.texts) == len(table.heads) for line in table.lines)
    assert knee_table([]) is None


def test_the_table_has_the_share_of_peak_throughput_and_of_peak_latency_of_each_rule() -> None:
    asked = [workload(queue_depth=depth) for depth in DEPTHS]
    plans = [cell_plan(each, Experiment.QUEUE_DEPTH) for each in asked]
    done = dict(zip(DEPTHS, (1000, 2000, 3900, 4000, 4000, 4000), strict=True))
    records = [
        cell_record(
            plan,
            {Operation.READ: totals_of([10**9 * depth // done[depth]] * done[depth])},
            repeat=repeat,
            measured_ns=10**9,
        )
        for plan in plans
        for depth in [plan.workload.queue_depth]
        for repeat in (0, 1)
    ]
    table = knee_table(headline_of(estimate_run(run_record(plans, records))).knees)
    assert table is not None
    assert table.lines[-1].texts[1:3] == ("recommended depth", "4")
    assert table.lines[-1].texts[-3:] == ("98", "51", "1.0")


def test_many_sweeps_are_told_in_brief_and_in_a_table() -> None:
    asked = [workload(read_percent=read, queue_depth=depth) for read in (100, 70, 0) for depth in (1, 2, 4, 8, 16)]
    plans = [cell_plan(each, Experiment.QUEUE_DEPTH) for each in asked]
    records = [
        cell_record(plan, operations_of(plan.workload, 1000 * min(plan.workload.queue_depth, 4)), repeat=repeat)
        for plan in plans
        for repeat in (0, 1)
    ]
    knees = headline_of(estimate_run(run_record(plans, records))).knees
    (brief,) = swept_sentences(knees)
    assert brief == (
        "Knees: 4 KiB random reads at depth 4 (95 % CI 4 to 4); 4 KiB random 70/30 mix at depth 4 (95 % CI 4 to 4); "
        "4 KiB random writes at depth 4 (95 % CI 4 to 4)."
    )
    table = scaling_table(knees)
    assert table is not None
    assert [line.texts[0] for line in table.lines] == ["read", "70/30 mix", "write"]
    assert scaling_table(knees[:2]) is None


def test_sweeps_without_a_knee_are_named_by_their_reason() -> None:
    plans = [cell_plan(workload(read_percent=read), Experiment.QUEUE_DEPTH) for read in (100, 70, 0)]
    (sentence,) = swept_sentences(headline_of(estimate_run(run_record(plans, []))).knees)
    assert sentence == (
        "No identifiable knee for 4 KiB random reads; 4 KiB random 70/30 mix; 4 KiB random writes: at least 5 "
        "depths with results are required, but the sweep has 0."
    )


def test_knees_are_named_alone_where_there_is_no_room_for_more() -> None:
    latencies_us = (100, 100, 100, 200, 400, 800)
    kneeling = {workload(queue_depth=depth): [1000.0 * us] for depth, us in zip(DEPTHS, latencies_us, strict=True)}
    growing = {workload(read_percent=0, queue_depth=depth): [100_000.0] for depth in DEPTHS}
    estimates = estimate_run(run_of_cells({**kneeling, **growing}, Experiment.QUEUE_DEPTH))
    assert knees_named(headline_of(estimates).knees) == (
        "Knees: 4 KiB random reads at depth 4. No identifiable knee for 4 KiB random writes: see the report."
    )
