"""The chart of latency over the data transferred."""

import pytest
from altair.utils.schemapi import debug_mode

from iosonde.analysis.stretches import Stretch, stretch_of
from iosonde.charts.figure import Figure
from iosonde.charts.transfer_axis import POINTS_MAX
from iosonde.charts.transfer_latency import transfer_latency_chart
from iosonde.records import Operation, OperationTotals
from tests.builders import histogram_of, interval_record
from tests.transfer_builder import MB, fill_plan, transfer_record

SECOND = 10**9


def stretch(latencies_ns: list[list[int]], idle_s: int = 0) -> Stretch:
    """A transfer with operations of these latencies in each interval of a second."""
    plan = fill_plan()
    plan = plan.model_copy(update={"timing": plan.timing.model_copy(update={"idle_ns": idle_s * SECOND})})
    intervals = [
        interval_record(
            index,
            {
                Operation.WRITE: OperationTotals(
                    count=len(each),
                    bytes=len(each) * MB,
                    latency_ns_sum=sum(each),
                    latency_ns_min=min(each),
                    latency_ns_max=max(each),
                    latency=histogram_of(each),
                )
            },
            start_ns=index * SECOND,
            end_ns=(index + 1) * SECOND,
        )
        for index, each in enumerate(latencies_ns)
    ]
    return stretch_of(transfer_record(plan, []).model_copy(update={"intervals": tuple(intervals)}))


def drawn(*stretches: Stretch) -> Figure:
    with debug_mode(True):
        figure = transfer_latency_chart("latency", "Latency", stretches)
        if figure.chart is not None:
            figure.chart.to_dict(validate=True)
    return figure


def values(figure: Figure, series: str, field: str = "latency_us") -> list[float]:
    return [row[field] for row in figure.rows if row["series"] == series]


def test_mean_and_p99_are_drawn_over_the_data_transferred() -> None:
    fast, slow = [100_000] * 1980 + [900_000] * 20, [300_000] * 2000
    figure = drawn(stretch([fast, fast, slow]))
    assert values(figure, "mean") == pytest.approx([108, 108, 300])
    assert values(figure, "p99") == pytest.approx([100, 100, 300], rel=0.005)
    assert values(figure, "mean", "transferred_gb") == [1.0, 3.0, 5.0]


def test_a_p99_with_fewer_than_10_samples_above_it_is_omitted() -> None:
    figure = drawn(stretch([[100_000] * 500] * 3))
    assert len(values(figure, "mean")) == 3
    assert values(figure, "p99") == []
    assert "fewer than 10 samples above it is omitted" in figure.caption


def test_a_p99_of_a_few_points_is_no_line() -> None:
    figure = drawn(stretch([[100_000] * 2000, *[[100_000] * 500] * 5]))
    assert len(values(figure, "mean")) == 6
    assert values(figure, "p99") == []


def test_the_percentile_of_joined_points_is_that_of_all_their_operations() -> None:
    # 1,000 operations in each pair of points, of which 2 % are slow: a mean of percentiles of single points has none.
    even = [100_000] * 490 + [5_000_000] * 10
    figure = drawn(stretch([even] * (2 * POINTS_MAX)))
    assert len(values(figure, "mean")) == POINTS_MAX
    assert values(figure, "p99") == pytest.approx([5000] * POINTS_MAX, rel=0.005)


def test_latencies_of_milliseconds_are_drawn_in_milliseconds() -> None:
    figure = drawn(stretch([[80_000_000] * 30] * 3))
    assert values(figure, "mean", "latency_ms") == pytest.approx([80, 80, 80])


def test_idle_times_are_marked() -> None:
    figure = drawn(stretch([[100_000] * 500] * 3), stretch([[100_000] * 500] * 3, idle_s=60))
    assert {row["stretch"] for row in figure.rows} == {1, 2}
    assert "Dashed lines mark idle times" in figure.caption
    assert "60.0 s idle" in figure.specification_json


def test_a_transfer_without_enough_operations_has_no_chart() -> None:
    figure = drawn(stretch([[100_000]] * 5))
    assert figure.chart is None
    assert figure.nothing.startswith("No data")
