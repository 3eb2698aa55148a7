"""The chart of bandwidth over the data transferred."""

import pytest
from altair.utils.schemapi import debug_mode

from iosonde.analysis.stretches import Stretch, stretch_of
from iosonde.charts.figure import Figure
from iosonde.charts.theme import WRITE
from iosonde.charts.transfer import transfer_chart
from iosonde.charts.transfer_axis import POINTS_MAX
from tests.transfer_builder import fill_plan, transfer_record


def stretch(rates: list[float], idle_s: int = 0) -> Stretch:
    plan = fill_plan()
    timing = plan.timing.model_copy(update={"idle_ns": idle_s * 10**9})
    return stretch_of(transfer_record(plan.model_copy(update={"timing": timing}), rates))


def drawn(*stretches: Stretch) -> Figure:
    with debug_mode(True):
        figure = transfer_chart("transfer", "Transfer", stretches, WRITE)
        if figure.chart is not None:
            figure.chart.to_dict(validate=True)
    return figure


def test_the_axis_is_data_transferred_and_not_time() -> None:
    figure = drawn(stretch([2000.0] * 20 + [1000.0] * 20))
    ends = [row["transferred_gb"] for row in figure.rows]
    assert ends == sorted(ends)
    assert ends[-1] == pytest.approx(20 * 0.2 + 20 * 0.1, rel=0.02)
    halfway = sum(row["bandwidth_mb_per_s"] > 1500 for row in figure.rows)
    assert halfway == 20


def test_stretches_follow_each_other_and_idle_times_are_named() -> None:
    figure = drawn(stretch([1000.0] * 20), stretch([1000.0] * 20, idle_s=60))
    assert {row["stretch"] for row in figure.rows} == {1, 2}
    assert min(row["transferred_gb"] for row in figure.rows if row["stretch"] == 2) > 2
    assert "Dashed lines mark idle times" in figure.caption
    assert "60.0 s idle" in figure.specification_json


def test_a_long_transfer_is_drawn_with_the_range_of_the_points_that_are_joined() -> None:
    figure = drawn(stretch([1000.0, 2000.0] * 1500))
    assert len(figure.rows) == POINTS_MAX
    row = figure.rows[100]
    assert row["lowest_mb_per_s"] < 1100
    assert row["highest_mb_per_s"] > 1900


def test_a_transfer_without_enough_operations_has_no_chart() -> None:
    figure = drawn(stretch([1.0] * 5))
    assert figure.chart is None
    assert figure.nothing.startswith("No data")
