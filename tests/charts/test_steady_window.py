"""The chart of throughput by repeat, with the measurement window of the least steady cell."""

from altair.utils.schemapi import debug_mode

from iosonde.charts.figure import Figure
from iosonde.charts.steady_window import TOO_FEW, steady_window
from iosonde.records import CellRecord, Experiment, Operation
from tests.builders import SECOND_NS, cell_plan, cell_record, totals_of, workload

PLAN = cell_plan(workload(read_percent=0), Experiment.MATRIX)


def repeats(*counts: int) -> list[CellRecord]:
    """Repeats of a second in which so many writes completed."""
    return [
        cell_record(PLAN, {Operation.WRITE: totals_of([1_000_000] * count)}, repeat=number, measured_ns=SECOND_NS)
        for number, count in enumerate(counts, 1)
    ]


def drawn(**cells: list[CellRecord]) -> Figure:
    with debug_mode(True):
        figure = steady_window("steady-window", "Throughput by repeat", cells)
        if figure.chart is not None:
            figure.chart.to_dict(validate=True)
    return figure


def test_each_repeat_is_drawn_relative_to_the_average_of_the_window() -> None:
    rows = drawn(steady=repeats(50, 120, 110, 100, 90, 80)).rows
    assert [row["share"] for row in rows] == [0.5, 1.2, 1.1, 1.0, 0.9, 0.8]
    assert [row["window"] for row in rows] == ["no", *["yes"] * 5]


def test_the_caption_names_the_least_steady_cell_with_its_range_and_best_fit_line() -> None:
    caption = drawn(flat=repeats(*[100] * 5), falling=repeats(120, 110, 100, 90, 80)).caption
    assert "the least steady cell, falling: these 5 repeats, its measurement window, range over 40.0 %" in caption
    assert "(100.0 IOPS), and the best-fit line (dashed) changes by -40.0 %" in caption


def test_a_point_outside_the_axis_is_drawn_at_its_edge_and_counted() -> None:
    figure = drawn(jump=repeats(300, 100, 100, 100, 100, 100))
    assert figure.rows[0]["share"] == 3
    assert figure.rows[0]["drawn_share"] == 1.5
    assert figure.caption.endswith("1 point is outside the axis and drawn at its edge.")


def test_cells_with_too_few_repeats_are_not_drawn() -> None:
    figure = drawn(few=repeats(100, 100, 100))
    assert (figure.chart, figure.nothing) == (None, TOO_FEW)
    assert {row["cell"] for row in drawn(few=repeats(100), enough=repeats(*[100] * 5)).rows} == {"enough"}
