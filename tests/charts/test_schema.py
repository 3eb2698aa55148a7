"""Every chart is valid Vega-Lite, for a complete run and for one without figures. Reports skip this check for speed."""

import json
from collections.abc import Callable, Sequence

import altair as alt
import pytest
import vl_convert

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.matrix import matrix_bandwidth, matrix_iops, matrix_latency, matrix_p99
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.charts.trade_off import throughput_latency
from iosonde.records import Experiment, Operation
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_plans, lab_run

Draw = Callable[[Sequence[CellEstimate]], tuple[Figure, ...]]
CHARTS: list[tuple[Experiment, Draw]] = [
    (Experiment.BASELINE, baseline_percentiles),
    (Experiment.BLOCK_SIZE, block_size_iops),
    (Experiment.BLOCK_SIZE, block_size_bandwidth),
    (Experiment.BLOCK_SIZE, block_size_latency),
    (Experiment.MIX, mix_iops),
    (Experiment.MIX, mix_bandwidth),
    (Experiment.MIX, mix_latency),
    (Experiment.QUEUE_DEPTH, lambda cells: throughput_latency(RunEstimates(tuple(cells)).sweeps)),
    (Experiment.QUEUE_DEPTH, queue_depth_iops),
    (Experiment.QUEUE_DEPTH, queue_depth_latency),
    (Experiment.QUEUE_DEPTH, queue_depth_percentiles),
    (Experiment.TAIL, tail_percentiles),
    (Experiment.TAIL, tail_bars),
    # Matrix charts accept any cells, in any number.
    (Experiment.BLOCK_SIZE, matrix_iops),
    (Experiment.MIX, matrix_latency),
    (Experiment.BLOCK_SIZE, matrix_bandwidth),
    (Experiment.QUEUE_DEPTH, matrix_p99),
]


@pytest.fixture(scope="module")
def whole() -> RunEstimates:
    return estimate_run(lab_run())


@pytest.fixture(scope="module")
def single() -> RunEstimates:
    """A run of one repeat, which has no confidence intervals."""
    return estimate_run(lab_run(repeats=1, quick=True))


@pytest.mark.parametrize(("experiment", "draw"), CHARTS)
def test_a_chart_is_valid_and_draws_every_row(experiment: Experiment, draw: Draw, whole: RunEstimates) -> None:
    for figure in draw(whole.of(experiment)):
        assert figure.chart is not None
        assert figure.left_out == ()
        specification = figure.chart.to_dict(validate=True)
        (drawn,) = specification["datasets"].values()
        assert drawn == list(figure.rows)
        assert figure.caption.endswith(".")


@pytest.mark.parametrize(("experiment", "draw"), CHARTS)
def test_a_chart_of_a_single_repeat_is_valid(experiment: Experiment, draw: Draw, single: RunEstimates) -> None:
    for figure in draw(single.of(experiment)):
        assert figure.chart is not None
        json.dumps(figure.chart.to_dict(validate=True), allow_nan=False)


@pytest.mark.parametrize(("experiment", "draw"), CHARTS)
def test_a_chart_without_figures_is_not_drawn_and_names_every_cell(experiment: Experiment, draw: Draw) -> None:
    cells = estimate_run(run_record(lab_plans(), [])).of(experiment)
    figures = draw(cells)
    for figure in figures:
        assert figure.chart is None
        assert figure.rows == ()
        assert figure.nothing == "No data: no cell in this chart has results."
    named = [sentence.split()[0] for figure in figures for sentence in figure.left_out]
    assert sorted(named) == sorted(cell.cell for cell in cells)


@pytest.mark.parametrize(("experiment", "draw"), CHARTS)
def test_every_quantitative_axis_names_its_unit(experiment: Experiment, draw: Draw, whole: RunEstimates) -> None:
    charts = [figure.chart for figure in draw(whole.of(experiment))]
    assert all(isinstance(chart, alt.LayerChart) for chart in charts)
    titles = {
        encoding["title"]
        for chart in charts
        if chart is not None
        for layer in chart.to_dict(validate=False)["layer"]
        for name, encoding in layer["encoding"].items()
        if name in {"x", "y"} and encoding.get("title")
    }
    assert titles
    assert all("(" in title for title in titles)


def test_block_sizes_of_any_pattern_have_a_line_each() -> None:
    patterns = ("permutation", "zipf:1.1", "random")
    plans = [
        cell_plan(workload(pattern, block_size_bytes=size), Experiment.BLOCK_SIZE)
        for pattern in patterns
        for size in (4096, 8192)
    ]
    records = [cell_record(plan, {Operation.READ: totals_of([1000] * 50)}) for plan in plans]
    (figure,) = block_size_iops(estimate_run(run_record(plans, records)).of(Experiment.BLOCK_SIZE))
    (line, *_) = figure.specification["layer"]
    assert set(line["encoding"]["color"]["scale"]["domain"]) == {f"{pattern} read" for pattern in patterns}
    assert "read" in vl_convert.vegalite_to_svg({**figure.specification, "width": 400})


def test_baselines_are_named_by_what_they_are() -> None:
    asked = [workload(read_percent=70, queue_depth=1), workload(queue_depth=1), workload(queue_depth=4)]
    plans = [cell_plan(each, Experiment.BASELINE) for each in asked]
    records = [
        cell_record(plan, {Operation.READ: totals_of([1000] * 50), Operation.WRITE: totals_of([1000] * 50)})
        for plan in plans
    ]
    (figure,) = baseline_percentiles(estimate_run(run_record(plans, records)).of(Experiment.BASELINE))
    assert list(dict.fromkeys(row["name"] for row in figure.rows)) == [
        "70/30 mix: reads|4 KiB random",
        "70/30 mix: writes|4 KiB random",
        "70/30 mix: all|4 KiB random",
        "random read|4 KiB",
        "random read|4 KiB, depth 4",
    ]


def test_charts_are_as_wide_as_the_page(whole: RunEstimates) -> None:
    (figure,) = queue_depth_iops(whole.of(Experiment.QUEUE_DEPTH))
    assert figure.chart is not None
    assert figure.chart.to_dict()["width"] == "container"


def test_the_knee_is_ringed_once_for_each_direction(whole: RunEstimates) -> None:
    knees = {direction: whole.knee(direction) for direction in (Operation.READ, Operation.WRITE)}
    (figure,) = throughput_latency(whole.sweeps)
    ringed = {(row["series"], row["queue_depth_asked"]) for row in figure.rows if row["knee"]}
    assert ringed == {
        (str(direction), knee.point.queue_depth) for direction, knee in knees.items() if knee.point is not None
    }
