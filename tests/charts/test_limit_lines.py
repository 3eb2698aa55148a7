"""Expected values are limit lines in the charts of their metric."""

from collections.abc import Callable, Sequence

import pytest

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure, Row
from iosonde.charts.limit_labels import Box, Place, placed_label
from iosonde.charts.limit_lines import Limit, with_limits
from iosonde.charts.mix import mix_iops
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.charts.theme import HEIGHT_MIN
from iosonde.charts.trade_off import throughput_latency
from iosonde.records import Experiment, Operation
from iosonde.vocabulary import Quantity
from tests.lab_builder import lab_run

RUN = estimate_run(lab_run())
READS = [f"random-read-4KiB-qd{2**step}" for step in range(9)]


def limit(cell: str, bound: float, quantity: Quantity = Quantity.IOPS, *, name: str = "sheet") -> Limit:
    at_most = quantity is not Quantity.IOPS
    return Limit(cell, Operation.READ, quantity, bound, at_most, f"limit {bound:g}", f"IOPS {bound:g} ({name})")


def drawn(figure: Figure) -> list[Row]:
    return [row for row in figure.rows if "drawn_limit_1" in row]


def marks(figure: Figure) -> list[str]:
    return [layer["mark"]["type"] for layer in figure.specification["layer"] if "drawn_limit" in str(layer)]


def sweep() -> Figure:
    (figure,) = queue_depth_iops(RUN.of(Experiment.QUEUE_DEPTH))
    return figure


def test_a_limit_of_one_cell_is_a_tick_with_a_label_at_its_point() -> None:
    figure = with_limits(sweep(), [limit(READS[3], 40_000)])
    assert [(row["cell"], row["series"], row["drawn_limit_1"]) for row in drawn(figure)] == [(READS[3], "read", 40_000)]
    assert marks(figure) == ["tick", "text", "text"]
    assert "A black tick marks an expected value: IOPS 40000 (sheet)." in figure.caption


def test_a_limit_of_several_cells_is_a_line_with_one_label() -> None:
    figure = with_limits(sweep(), [limit(cell, 40_000) for cell in READS])
    assert [row["cell"] for row in drawn(figure)] == READS
    assert "line" in marks(figure)
    assert sum(row.get("drawn_limit_1_text") is not None for row in figure.rows) == 1
    assert figure.caption.count("IOPS 40000") == 1


def test_a_bound_of_mean_latency_is_a_tick_in_the_chart_of_latency_against_iops() -> None:
    figure, *_ = throughput_latency(RUN.closed_loops.sweeps)
    shown = with_limits(figure, [limit(READS[3], 150_000, Quantity.LATENCY_NS_MEAN), limit(READS[3], 40_000)])
    assert [(row["cell"], row["drawn_limit_1"]) for row in drawn(shown)] == [(READS[3], 150)]


@pytest.mark.parametrize(
    ("draw", "experiment", "quantity"),
    [
        (baseline_percentiles, Experiment.BASELINE, Quantity.LATENCY_NS_P99),
        (queue_depth_latency, Experiment.QUEUE_DEPTH, Quantity.LATENCY_NS_MEAN),
        (queue_depth_percentiles, Experiment.QUEUE_DEPTH, Quantity.LATENCY_NS_P99),
        (tail_percentiles, Experiment.TAIL, Quantity.LATENCY_NS_P99),
        (tail_bars, Experiment.TAIL, Quantity.LATENCY_NS_P99),
    ],
)
def test_a_limit_is_drawn_in_the_charts_of_its_metric_alone(
    draw: Callable[[Sequence[CellEstimate]], tuple[Figure, ...]], experiment: Experiment, quantity: Quantity
) -> None:
    figure, *_ = draw(RUN.of(experiment))
    cell = next(row["cell"] for row in figure.rows if row.get("drawn_quantity", quantity) == quantity)
    (row,) = drawn(with_limits(figure, [limit(cell, 150_000, quantity)]))
    assert row["cell"] == cell
    assert with_limits(figure, [limit(cell, 150_000, Quantity.BYTES_PER_S)]) is figure


def test_a_limit_of_reads_is_not_drawn_at_the_writes_of_a_mix() -> None:
    (figure,) = mix_iops(RUN.of(Experiment.MIX))
    cell = next(row["cell"] for row in figure.rows if row["series"] == "write" and row["read_percent"] == 70)
    assert {row["series"] for row in drawn(with_limits(figure, [limit(cell, 40_000)]))} == {"read"}


def test_the_axis_is_extended_to_a_limit_above_it() -> None:
    def end(figure: Figure) -> float:
        return max(  # type: ignore[no-any-return]
            layer["encoding"]["y"]["scale"]["domain"][1]
            for layer in figure.specification["layer"]
            if "scale" in layer["encoding"]["y"]
        )

    before = end(sweep())
    figure = with_limits(sweep(), [limit(READS[8], before * 1.5)])
    assert end(figure) > before * 1.5
    # The names at the ends of lines stay at the ends of their lines.
    shares = [row["drawn_end_at"] / row["iops"] for row in figure.rows if row["drawn_end"] == "read"]
    assert shares == [pytest.approx(1, abs=0.1)]


def test_a_limit_far_beyond_the_axis_is_only_in_the_caption() -> None:
    figure = with_limits(sweep(), [limit(READS[8], 1e9)])
    assert drawn(figure) == []
    assert "1 expected value is beyond the axis: IOPS 1e+09 (sheet)." in figure.caption


def test_many_limits_have_no_labels_and_are_counted() -> None:
    figure = with_limits(sweep(), [limit(cell, 10_000 + place) for place, cell in enumerate(READS)])
    assert "text" not in marks(figure)
    assert "Black ticks mark 9 expected values." in figure.caption


def test_several_limits_of_one_cell_are_all_drawn() -> None:
    figure = with_limits(sweep(), [limit(READS[4], 40_000), limit(READS[4], 60_000)])
    (row,) = drawn(figure)
    assert (row["drawn_limit_1"], row["drawn_limit_2"]) == (40_000, 60_000)


def test_a_label_avoids_texts_and_edges_or_is_left_out() -> None:
    taken: list[Box] = []
    first = placed_label("≤ 60 µs", [Place(0.1, 0.5)], is_above=True, taken=taken)
    second = placed_label("≤ 61 µs", [Place(0.1, 0.5)], is_above=True, taken=taken)
    assert first is not None
    assert second is not None
    assert (first.is_above, second.is_above) == (True, False)
    assert placed_label("≤ 62 µs", [Place(0.1, 0.5)], is_above=True, taken=taken) is None
    top = placed_label("≤ 60 µs", [Place(0.9, 1.0)], is_above=True, taken=[])
    assert top is not None
    assert (top.is_above, top.align) == (False, "right")
    assert all(box.bottom >= 0 and box.top <= HEIGHT_MIN for box in taken)
