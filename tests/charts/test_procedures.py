"""The charts of standard procedures."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import pytest

from iosonde.analysis.procedures import ReportedCell, determinations_of, procedures_of
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import (
    confidence_levels,
    convergence,
    latency_convergence,
    matrix_heat_map,
    matrix_lines,
    measurement_window,
    solid_bars,
    solid_maxima,
)
from iosonde.charts.procedures.styles import place_name
from iosonde.charts.theme import INK
from iosonde.records import Operation
from iosonde.vocabulary import Quantity
from tests.builders import cell_record, totals_of, workload
from tests.procedure_builder import LARGE_WRITE, MATRIX, READ, WRITE, procedure_run, steady_procedure, write_rounds

VALUES = {READ.cell: 4000, MATRIX[1].cell: 2000, WRITE.cell: 3000, LARGE_WRITE.cell: 1000}


def cells() -> tuple[ReportedCell, ...]:
    [rounds] = procedures_of(procedure_run(steady_procedure(MATRIX, (WRITE,)), [VALUES] * 5, MATRIX))
    assert rounds.main is not None
    return rounds.main.reported


def timed(*latencies_ns: int) -> ReportedCell:
    record = cell_record(WRITE, {Operation.WRITE: totals_of(latencies_ns)})
    [rounds] = procedures_of(procedure_run(steady_procedure(), [{WRITE.cell: record}] * 5))
    assert rounds.main is not None
    return rounds.main.reported[0]


def every_figure() -> list[Figure]:
    [rounds] = procedures_of(procedure_run(steady_procedure(), write_rounds(900, 100, 101, 102, 103, 104)))
    phase = rounds.judged
    assert phase is not None
    return [
        convergence("a", "A", phase, [WRITE.cell], Quantity.IOPS),
        latency_convergence("b", "B", phase, [WRITE.cell]),
        measurement_window("c", determinations_of(phase)[0], []),
        matrix_heat_map("d", "D", cells(), Quantity.IOPS),
        matrix_lines("e", "E", cells(), Quantity.BYTES_PER_S),
        solid_bars("f", "F", cells(), Quantity.IOPS),
        solid_maxima("g", "G", cells()),
        confidence_levels("h", "H", timed(*[100_000] * 990, *[900_000] * 10)),
    ]


def layer_rows(figure: Figure, field: str) -> list[dict[str, Any]]:
    """The rows of the first layer with own data that has this field."""
    return next(rows for rows in own_data(figure) if field in rows[0])


def own_data(figure: Figure) -> list[list[dict[str, Any]]]:
    """The rows of each layer with own data."""
    specification = figure.specification
    names = [each["data"]["name"] for each in specification["layer"] if "data" in each]
    return [specification["datasets"][name] for name in names]


@pytest.mark.parametrize("figure", every_figure(), ids=lambda each: each.id)
def test_each_chart_is_valid_and_has_a_row_for_each_value(figure: Figure) -> None:
    assert figure.rows
    assert isinstance(figure.chart, alt.LayerChart)
    assert figure.chart.to_dict(validate=True)


def test_bars_are_drawn_from_the_back_to_the_front() -> None:
    figure = solid_bars("f", "F", cells(), Quantity.IOPS)
    faces = list(dict.fromkeys(row["face"] for row in layer_rows(figure, "face")))

    # Places along the mixes count away from the reader, and those along block sizes towards the reader.
    bars = list(dict.fromkeys(tuple(map(int, each.split("-")[:2])) for each in faces))
    assert bars == [(0, 1), (1, 1), (0, 0), (1, 0)]


def test_high_bars_are_behind_low_ones() -> None:
    figure = solid_bars("f", "F", cells(), Quantity.IOPS)
    heights = {row["cell"]: row["drawn_y"] for row in figure.rows}

    # Small blocks are on the left, and reads behind writes.
    assert max(heights, key=heights.__getitem__) == READ.cell
    assert min(heights, key=heights.__getitem__) == LARGE_WRITE.cell


def test_a_bar_of_twice_the_value_is_twice_as_high() -> None:
    def height(rows: Sequence[dict[str, Any]], bar: str) -> float:
        front = [row for row in rows if row["face"] == f"{bar}-front"]
        return float(front[3]["y"] - front[0]["y"])

    rows = layer_rows(solid_bars("f", "F", cells(), Quantity.IOPS), "face")

    # 4,000 IOPS of small reads, and 2,000 of large ones.
    assert height(rows, "0-1") == pytest.approx(2 * height(rows, "1-1"), abs=1e-3)


def test_the_window_chart_has_the_average_the_limits_and_the_line() -> None:
    [rounds] = procedures_of(procedure_run(steady_procedure(), write_rounds(98, 99, 100, 101, 102)))
    assert rounds.judged is not None
    figure = measurement_window("c", determinations_of(rounds.judged)[0], [])
    lines: dict[str, list[float]] = {}
    for row in layer_rows(figure, "part"):
        lines.setdefault(row["part"], []).append(round(row["iops"], 6))

    assert lines == {
        "rounds": [98, 99, 100, 101, 102],
        "average": [100, 100],
        "allowed range 0": [90, 90],
        "allowed range 1": [110, 110],
        "best-fit line": [98, 102],
    }
    assert "The best-fit line is 1.000 · R + 97.00 operations/s." in figure.caption


def test_convergence_begins_with_the_first_round_and_shades_the_window() -> None:
    figure = every_figure()[0]

    assert [row["round"] for row in figure.rows] == [1, 2, 3, 4, 5, 6]
    assert layer_rows(figure, "left") == [{"left": 1.5, "right": 6.5}]


def test_the_histogram_counts_all_operations_and_has_a_line_for_each_supported_level() -> None:
    figure = confidence_levels("h", "H", timed(*[100_000] * 990, *[900_000] * 10))
    names = [row["name"] for row in layer_rows(figure, "name") if "y" not in row]

    assert sum(row["operations"] for row in figure.rows) == 5000
    # The middle of the bucket of 100 µs is 100.096 µs.
    assert names == ["99 %: 100.1 µs", "mean: 108.0 µs", "maximum: 900.0 µs"]
    assert figure.left_out == ("99.9 %, 99.99 %, 99.999 %: fewer than 10 operations are above",)


def test_each_name_in_a_histogram_has_a_row_of_its_own_and_no_edge_covers_another_name() -> None:
    figure = confidence_levels("h", "H", timed(*[100_000] * 990, *[900_000] * 10))
    assert figure.chart is not None
    text = [layer for layer in figure.chart.to_dict()["layer"] if layer["mark"]["type"] == "text"]

    heights = {(row["y"], row["name"]) for rows in own_data(figure) for row in rows if "y" in row}
    assert sorted(heights) == [(4, "99 %: 100.1 µs"), (19, "mean: 108.0 µs"), (34, "maximum: 900.0 µs")]
    assert [layer["mark"]["color"] for layer in text] == ["white", "white", INK, INK]


def test_a_phase_without_complete_rounds_has_no_chart() -> None:
    [rounds] = procedures_of(procedure_run(steady_procedure(MATRIX, (WRITE,)), [{WRITE.cell: 100}], MATRIX))
    phase = rounds.phases[0]

    assert convergence("a", "A", phase, [WRITE.cell], Quantity.IOPS).chart is None


def test_a_place_that_two_demands_share_is_named_with_its_demand() -> None:
    shallow, deep = workload(queue_depth=1), workload(queue_depth=64)
    assert place_name(deep, [shallow, deep]) == "4 KiB 100/0 at 1 × QD 64"
    assert place_name(deep, [deep, workload(queue_depth=1, read_percent=0)]) == "4 KiB 100/0"
