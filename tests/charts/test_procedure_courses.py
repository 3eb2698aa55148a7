"""The charts of long trials and of demand variation."""

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import pytest

from iosonde.analysis.procedures.courses import Sample
from iosonde.analysis.procedures.demand import DemandCell
from iosonde.charts.figure import Figure
from iosonde.charts.procedures.courses import (
    POINTS_MAX,
    Course,
    against_bytes,
    against_fills,
    against_time,
    latency_course,
    thinned,
    throughput_course,
)
from iosonde.charts.procedures.demand import (
    demand_intensity,
    demand_variation,
    iops_by_outstanding,
    latency_by_outstanding,
)
from iosonde.vocabulary import Quantity
from tests.builders import SECOND_NS, workload

DEMANDS = {(1, 1): (100, 100_000), (1, 4): (250, 200_000), (4, 1): (260, 300_000), (4, 4): (400, 8_000_000)}


def sample(second: int, count: int = 10, longest_ns: int = 2000) -> Sample:
    return Sample(
        start_ns=second * SECOND_NS,
        end_ns=(second + 1) * SECOND_NS,
        time_ns=SECOND_NS,
        count=count,
        bytes=count * 4096,
        completed=count,
        latency_ns_mean=1000.0,
        latency_ns_max=longest_ns,
        written_bytes=(second + 1) * 500_000_000,
    )


def course(name: str, seconds: range) -> Course:
    return Course(name, "cell", tuple(map(sample, seconds)))


def cells() -> list[DemandCell]:
    return [
        DemandCell(f"{jobs} x {depth}", workload(jobs=jobs, queue_depth=depth), iops, latency_ns, None)
        for (jobs, depth), (iops, latency_ns) in DEMANDS.items()
    ]


def every_figure() -> list[Figure]:
    courses = [course("one", range(4)), course("two", range(4, 8))]
    points = [("maximum", "4 x 1"), ("minimum", "1 x 1")]
    return [
        throughput_course("a", "A", courses, Quantity.IOPS, against_time(courses)),
        throughput_course("b", "B", courses, Quantity.BYTES_PER_S, against_fills(10**9)),
        latency_course("c", "C", courses, against_time(courses)),
        demand_variation("d", "D", cells()),
        demand_intensity("e", "E", cells(), points),
        iops_by_outstanding("f", "F", cells()),
        latency_by_outstanding("g", "G", cells()),
    ]


@pytest.mark.parametrize("number", range(7))
def test_every_chart_is_a_valid_specification(number: int) -> None:
    figure = every_figure()[number]

    assert figure.chart is not None
    alt.LayerChart.from_dict(figure.specification, validate=True)


@pytest.mark.parametrize(
    ("draw", "given"),
    [
        (throughput_course, ([], Quantity.IOPS, against_bytes())),
        (latency_course, ([], against_bytes())),
        (demand_variation, ([],)),
        (demand_intensity, ([],)),
        (iops_by_outstanding, ([],)),
        (latency_by_outstanding, ([],)),
    ],
)
def test_a_chart_without_values_says_so(draw: Callable[..., Figure], given: Sequence[Any]) -> None:
    figure = draw("a", "A", *given)

    assert figure.chart is None
    assert figure.nothing.startswith("No data")


def test_a_sample_is_drawn_at_its_middle_in_time_and_at_its_end_in_bytes() -> None:
    courses = [course("one", range(2))]
    times = throughput_course("a", "A", courses, Quantity.IOPS, against_time(courses)).rows
    fills = throughput_course("a", "A", courses, Quantity.IOPS, against_fills(10**9)).rows

    assert [(row["time_s"], row["iops"]) for row in times] == [(0.5, 10), (1.5, 10)]
    assert [row["drive_fills"] for row in fills] == [0.5, 1.0]


def test_mean_and_maximum_latency_are_two_lines() -> None:
    rows = latency_course("a", "A", [course("one", range(1))], against_bytes()).rows

    assert [(row["series"], row["latency_us"]) for row in rows] == [("mean", 1), ("maximum", 2)]


def test_a_long_course_merges_neighbours_and_keeps_the_longest_operation() -> None:
    long = Course("one", "cell", tuple(sample(second, 10 + second % 2, second) for second in range(2 * POINTS_MAX)))
    rows = throughput_course("a", "A", [long], Quantity.IOPS, against_time([long])).rows

    assert len(rows) == POINTS_MAX
    # The mean of 10 and 11.
    assert {row["iops"] for row in rows} == {10.5}
    assert next(thinned(long.samples, 2)).latency_ns_max == 1


def test_a_course_can_begin_at_its_own_start() -> None:
    assert [each.start_ns for each in course("one", range(3, 5)).from_zero.samples] == [0, SECOND_NS]


def test_demands_with_the_same_outstanding_io_are_all_drawn() -> None:
    rows = iops_by_outstanding("a", "A", cells()).rows

    assert sorted((row["outstanding"], row["iops"]) for row in rows) == [(1, 100), (4, 250), (4, 260), (16, 400)]


def test_lines_have_the_threads_as_their_name() -> None:
    rows = demand_variation("a", "A", cells()).rows

    assert [(row["series"], row["queue_depth"], row["iops"]) for row in rows] == [
        ("TC 4", 1, 260),
        ("TC 4", 4, 400),
        ("TC 1", 1, 100),
        ("TC 1", 4, 250),
    ]
