"""Scales and units that every chart shares."""

import re
from unittest.mock import ANY

import altair as alt
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from iosonde.analysis.estimate import Estimate
from iosonde.charts.axes import LOG_TICKS_MIN, counted_axis, log_domain, log_latency, log_ticks
from iosonde.charts.quantities import MICROSECOND, MILLISECOND, NANOSECOND, latency_unit, significant, with_interval

positive = st.floats(min_value=1e-3, max_value=1e9)


@given(st.lists(positive, min_size=1, max_size=20))
def test_a_log_axis_holds_all_its_values_and_has_ticks_inside(values: list[float]) -> None:
    low, high = log_domain(values)
    assert low < min(values)
    assert max(values) < high
    assert all(low <= tick <= high for tick in log_ticks((low, high)))


@given(positive, st.floats(min_value=1.2, max_value=1e6))
def test_a_log_axis_has_enough_ticks_to_read_a_value(low: float, ratio: float) -> None:
    ticks = log_ticks((low, low * ratio))
    assert len(ticks) >= LOG_TICKS_MIN - 1
    assert ticks == sorted(set(ticks))


@given(positive)
def test_a_log_axis_around_one_value_has_ticks_too(value: float) -> None:
    assert len(log_ticks(log_domain([value]))) >= LOG_TICKS_MIN - 1


@pytest.mark.parametrize(
    ("last", "ticks"),
    [
        (1, [1]),
        (2, [1, 2]),
        (12, [*range(1, 13)]),
        (13, [2, 4, 6, 8, 10, 12]),
        (25, [1, 5, 10, 15, 20, 25]),
        (100, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
    ],
)
def test_rounds_have_ticks_at_whole_numbers_only(last: int, ticks: list[int]) -> None:
    assert counted_axis(last).to_dict()["values"] == ticks


def test_a_latency_below_a_nanosecond_stands_where_the_log_axis_begins() -> None:
    rows = [{"latency_ns": latency_ns, "second": second} for second, latency_ns in enumerate((0, 2, 8))]
    y = alt.Y(**log_latency(rows, NANOSECOND))
    line = alt.Chart(height=100).mark_line().encode(x=alt.X("second:Q", scale=alt.Scale(domain=[0, 2])), y=y)
    layers = alt.LayerChart(layer=[line], width=200, height=100, data=alt.InlineData(values=rows))
    svg = vl_convert.vegalite_to_svg(layers.to_dict())
    (path,) = re.findall(r'aria-roledescription="line mark"[^>]* d="([^"]*)"', svg)
    assert path.startswith("M0,100L100,")
    assert path.count("L") == 2
    assert log_latency(rows[1:], NANOSECOND)["scale"].to_dict() == {"type": "log", "domain": ANY, "nice": False}


def test_ticks_are_round_numbers() -> None:
    assert log_ticks((0.03, 3.0)) == [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("means_ns", "unit"),
    [([60.0], NANOSECOND), ([80_000.0], MICROSECOND), ([9.9e6], MICROSECOND), ([1e7], MILLISECOND), ([], MICROSECOND)],
)
def test_latency_is_in_microseconds_below_10_ms(means_ns: list[float], unit: object) -> None:
    assert latency_unit(means_ns) == unit


@pytest.mark.parametrize(
    ("value", "text"), [(0.0523, "0.052"), (8.3456, "8.346"), (83.456, "83.46"), (8345.6, "8,346"), (1e6, "1,000,000")]
)
def test_numbers_keep_four_digits_and_no_exponent(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(412_345.6, 100.0, 411_111.0, 413_580.2, 3), "412,346 ± 1,235"),
        (Estimate(83.42, 0.3, 82.67, 84.17, 3), "83.42 ± 0.75"),
        (Estimate(8342.0, 0.1, 8341.9, 8342.1, 3), "8,342 ± <1"),
        (Estimate(83.42, 0.0, 83.42, 83.42, 3), "83.42 ± 0.00"),
        (Estimate(83.42, None, None, None, 1), "83.42"),
    ],
)
def test_an_interval_has_the_digits_of_its_mean(estimate: Estimate, text: str) -> None:
    assert with_interval(estimate) == text
