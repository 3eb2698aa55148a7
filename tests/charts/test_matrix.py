"""Matrix charts: the rules that choose their form from the keys that vary, and properties of all of them."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.charts.figure import Figure
from iosonde.charts.matrix import (
    Form,
    choose,
    matrix_bandwidth,
    matrix_charts,
    matrix_iops,
    matrix_latency,
    matrix_p99,
)
from iosonde.charts.matrix.form import LINES_MAX, ROWS_MAX
from iosonde.charts.matrix.keys import KEYS, varied
from iosonde.records import Access, Experiment, Operation, Outcome, Sync, Workload
from tests.builders import cell_plan, cell_record, failed, run_record, totals_of, workload

SIZES = (512, 4096, 8192, 16384, 65536)


def matrix(*asked: Workload, count: int = 200, without: int | None = None) -> tuple[CellEstimate, ...]:
    """Cells with different figures. The cell with the index ``without`` has failed."""
    plans = [cell_plan(each, Experiment.MATRIX) for each in asked]
    records = []
    for number, plan in enumerate(plans):
        totals = {
            operation: totals_of([(number + 1) * 1000] * (count + number), plan.workload.block_size_bytes)
            for operation in plan.workload.asked_operations()
        }
        records.append(
            cell_record(plan, {}, outcome=Outcome.FAILED, failure=failed())
            if number == without
            else cell_record(plan, totals)
        )
    return estimate_run(run_record(plans, records)).cells


def crossed(**values: Sequence[Any]) -> list[Workload]:
    """The workloads with all combinations of these values."""
    return [workload(**dict(zip(values, each, strict=True))) for each in product(*values.values())]


def chosen(**values: Sequence[Any]) -> tuple[str, str | None, str | None, str | None]:
    choice = choose(matrix(*crossed(**values)))
    names = (key.name if key else None for key in (choice.across, choice.apart, choice.panels))
    return (choice.form.value, *names)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ({"queue_depth": (8,)}, ("bars", None, None, None)),
        ({"queue_depth": (1, 2, 4, 8)}, ("lines", "queue_depth", None, None)),
        ({"pattern": ("random", "sequential", "zipf:1.1")}, ("bars", None, None, None)),
        ({"queue_depth": (1, 4)}, ("bars", None, None, None)),
        (
            {"pattern": ("random", "sequential"), "queue_depth": (1, 4, 16)},
            ("lines", "queue_depth", "pattern", None),
        ),
        ({"block_size_bytes": SIZES, "read_percent": (100, 70, 0)}, ("heat_map", "read", "block_size", None)),
        (
            {"block_size_bytes": SIZES, "read_percent": (100, 70, 0), "queue_depth": (1, 32)},
            ("heat_map", "read", "block_size", "queue_depth"),
        ),
        (
            {"block_size_bytes": (4096, 65536), "read_percent": (100, 70, 0), "queue_depth": (1, 8, 32)},
            ("lines", "queue_depth", "read", "block_size"),
        ),
        (
            {"queue_depth": (1, 2, 4, 8, 16, 32, 64), "read_percent": (100, 90, 70, 50, 30, 10, 0)},
            ("heat_map", "queue_depth", "read", None),
        ),
        (
            {
                "pattern": ("random", "sequential"),
                "read_percent": (100, 75, 50, 25, 0),
                "block_size_bytes": (4096, 16384, 65536, 262144),
                "queue_depth": (1, 4, 16, 64),
            },
            ("heat_map", "queue_depth", "block_size+read", "pattern"),
        ),
    ],
)
def test_what_varies_chooses_the_form(values: dict[str, Any], form: tuple[str, ...]) -> None:
    assert chosen(**values) == form


def test_keys_that_always_move_together_are_one() -> None:
    pairs = ((Access.RANDOM, 4096), (Access.SEQUENTIAL, 131072))
    cells = matrix(
        *(workload(*pair[:1], block_size_bytes=pair[1], queue_depth=depth) for pair in pairs for depth in (1, 4, 16))
    )
    choice = choose(cells)
    assert (choice.form, choice.across and choice.across.name) == (Form.LINES, "queue_depth")
    assert {row["series"] for figure in matrix_iops(cells) for row in figure.rows} == {
        "4 KiB, random",
        "128 KiB, sequential",
    }


def test_sweeps_that_share_one_cell_are_bars_and_not_a_map_of_gaps() -> None:
    sizes = [workload(read_percent=50, block_size_bytes=size, queue_depth=64) for size in (4096, 65536, 131072)]
    depths = [workload(read_percent=50, queue_depth=depth) for depth in (16, 256, 1024)]
    pure = [workload(read_percent=read, queue_depth=64) for read in (100, 0)]
    assert choose(matrix(*sizes, *pure, *depths)).form is Form.BARS


def test_a_cell_without_figures_changes_no_form_and_has_a_dash_in_the_map() -> None:
    asked = crossed(block_size_bytes=SIZES, read_percent=(100, 70, 0))
    cells = matrix(*asked, without=4)
    assert choose(cells).form is choose(matrix(*asked)).form
    (figure,) = matrix_iops(cells)
    assert len(figure.rows) == len(asked) - 1
    assert figure.left_out[0].startswith(f"{cells[4].cell} failed")
    assert figure.specification["layer"][-1]["encoding"]["text"]["value"] == "–"


def test_every_property_of_a_workload_can_be_what_varies() -> None:
    differing: dict[str, dict[str, Any]] = {
        "pattern": {"pattern": "zipf:1.1"},
        "read_percent": {"read_percent": 70},
        "block_size_bytes": {"block_size_bytes": 512},
        "queue_depth": {"queue_depth": 1},
        "sync": {"sync": Sync.DSYNC},
        "jobs": {"jobs": 2},
        "data": {"data": "zeros"},
        "targets": {"targets": 2},
        "rate_per_s": {"rate_per_s": 500, "arrivals": "poisson"},
        "arrivals": {"rate_per_s": 500, "arrivals": "constant"},
        "trim_percent": {"trim_percent": 10},
        "block_sizes": {"block_sizes": "4KiB:70,64KiB:30", "block_size_bytes": 65536},
        "flush_every": {"sync": Sync.FDATASYNC, "flush_every": 8},
        "offset_bytes": {"offset_bytes": 2**20},
        "span_bytes": {"span_bytes": 2**20},
        "burst_operations": {"burst_operations": 8, "think_ns": 10**6},
        "think_ns": {"burst_operations": 8, "think_ns": 10**7},
        "compressible_percent": {"compressible_percent": 30},
        "duplicates_percent": {"duplicates_percent": 30},
        "verify": {"verify": True},
        "write_cache": {"write_cache": "off"},
        "on_ns": {"on_ns": 10**9, "off_ns": 10**9},
        "off_ns": {"on_ns": 10**9, "off_ns": 10**10},
    }
    assert set(differing) == set(Workload.model_fields)
    for others in differing.values():
        changed = [cell_plan(workload(read_percent=0), Experiment.MATRIX)]
        changed.append(cell_plan(workload(**{"read_percent": 0, **others}), Experiment.MATRIX))
        cells = estimate_run(run_record(changed, [])).cells
        assert "cell" not in {key.name for key in varied(cells)}, others


VALUES: dict[str, list[Any]] = {
    "pattern": ["random", "sequential", "zipf:1.1"],
    "read_percent": [100, 95, 65, 50, 35, 5, 0],
    "block_size_bytes": [*SIZES],
    "queue_depth": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    "jobs": [1, 2, 4],
}


@st.composite
def matrices(draw: st.DrawFn) -> tuple[CellEstimate, ...]:
    """The cells of crossed keys. The last combinations may be missing, and the first cell may have failed."""
    names = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4, unique=True))
    values = {name: VALUES[name][: draw(st.integers(1, len(VALUES[name])))] for name in names}
    asked = crossed(**values)[: draw(st.sampled_from([5, 30, 80]))]
    without = draw(st.sampled_from([None, None, 0]))
    return matrix(*asked, count=draw(st.sampled_from([20, 1200])), without=without)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cells=matrices())
def test_every_picture_of_any_matrix_can_be_read(cells: tuple[CellEstimate, ...]) -> None:
    for draw in matrix_charts(cells):
        figures = draw(cells)
        _has_every_value_once(figures, cells, is_percentile=draw is matrix_p99)
        for figure in figures:
            if figure.chart is None:
                assert figure.left_out
                continue
            _is_readable(figure, cells)


def _has_every_value_once(figures: Sequence[Figure], cells: Sequence[CellEstimate], *, is_percentile: bool) -> None:
    drawn = Counter((row["cell"], row["series"]) for figure in figures for row in figure.rows)
    assert set(drawn.values()) <= {1}
    wanted = {
        cell.cell
        for cell in cells
        if (found := cell.subject) is not None and (not is_percentile or found.percentile(99.0).value_ns is not None)
    }
    assert wanted <= {cell for cell, _ in drawn}


def _is_readable(figure: Figure, cells: Sequence[CellEstimate]) -> None:
    choice = choose(cells)
    first, *_ = figure.specification["layer"]
    across = first["encoding"]["x"]
    if choice.form is Form.LINES:
        assert choice.across is not None
        assert across["title"].startswith(choice.across.title)
        assert ("log" in str(across["scale"])) == (choice.across.name in {"queue_depth", "jobs", "block_size", "span"})
        colours = first["encoding"]["color"]["scale"]
        assert len(colours["domain"]) == len(set(colours["range"])) <= LINES_MAX
    elif choice.form is Form.HEAT_MAP:
        assert choice.across is not None
        assert across["title"] == choice.across.title
        assert all(row["drawn_number"] and row["drawn_unit"] for row in figure.rows)
        assert len({row["drawn_row"] for row in figure.rows}) <= ROWS_MAX
        places = Counter((row["drawn_row"], row["drawn_column"]) for row in figure.rows)
        assert set(places.values()) == {1}
    else:
        assert across["scale"]["domainMin"] == 0
        assert all(row["drawn_text"] for row in figure.rows)
    for key in varied(cells):
        names = [each.strip() for each in key.title.partition(" (")[0].lower().split(",")]
        title = f"{figure.title} {figure.caption}".lower()
        assert all(name in title for name in names) or choice.panels is not None


def test_charts_side_by_side_share_an_axis_unless_one_would_be_flat() -> None:
    asked = crossed(pattern=("random", "sequential"), read_percent=(100, 0), queue_depth=(1, 4, 16))
    figures = matrix_iops(matrix(*asked))
    domains = {str(figure.specification["layer"][0]["encoding"]["y"]["scale"]["domain"]) for figure in figures}
    assert len(domains) == 1
    assert "Axis ranges differ" not in figures[0].caption
    late = matrix_latency(matrix(*asked[:6], *(each.model_copy(update={"jobs": 1}) for each in asked[6:])))
    assert all(figure.chart is not None for figure in late)


def test_bandwidth_is_a_chart_of_its_own_only_where_block_sizes_differ() -> None:
    assert matrix_bandwidth not in matrix_charts(matrix(*crossed(queue_depth=(1, 2, 4))))
    assert matrix_bandwidth in matrix_charts(matrix(*crossed(block_size_bytes=SIZES)))


def test_lines_of_a_few_workloads_carry_their_names_and_have_no_legend() -> None:
    (figure,) = matrix_iops(matrix(*crossed(read_percent=(100, 0), queue_depth=(1, 4, 16))))
    assert [row["drawn_end"] for row in figure.rows if row["drawn_end"]] == ["read", "write"]
    assert figure.specification["layer"][0]["encoding"]["color"]["legend"] is None


def test_an_invalid_cell_of_a_map_is_crossed_out_in_its_corner() -> None:
    from iosonde.report.invalid_charts import crossed as cross_out

    cells = matrix(*crossed(block_size_bytes=SIZES, read_percent=(100, 70, 0)))
    (figure,) = matrix_iops(cells)
    marked = cross_out(figure, {cells[0].cell: ("span-fits-cache",)})
    cross = marked.specification["layer"][-1]
    assert cross["mark"]["shape"] == "cross"
    assert cross["encoding"]["x"]["bandPosition"] > 0.5
    assert cells[0].cell in marked.caption


def test_keys_stand_in_one_list_with_a_title_that_names_the_unit_of_numbers() -> None:
    assert all("(" in key.title for key in KEYS if not key.is_text)


def test_a_mix_alone_shows_its_kinds_of_operations() -> None:
    (figure,) = matrix_iops(matrix(workload(read_percent=70)))
    assert [row["series"] for row in figure.rows] == [
        str(each) for each in (Operation.READ, Operation.WRITE, Operation.ALL)
    ]


def test_a_long_error_bar_is_cut_at_the_edge_of_the_chart() -> None:
    plans = [cell_plan(each, Experiment.MATRIX) for each in crossed(queue_depth=(1, 4, 16))]
    records = [
        cell_record(plan, {Operation.READ: totals_of([1000] * count)}, repeat=repeat)
        for plan in plans
        for repeat, count in enumerate((100, 160, 130))
    ]
    (figure,) = matrix_iops(estimate_run(run_record(plans, records)).cells)
    first, rule, *_ = figure.specification["layer"]
    assert max(row["high"] for row in figure.rows) > max(row["iops"] for row in figure.rows)
    assert first["encoding"]["y"]["scale"]["domain"][1] <= 1.6 * max(row["iops"] for row in figure.rows)
    assert rule["mark"]["clip"]


def test_a_panel_without_values_is_no_empty_chart_and_its_cells_are_named() -> None:
    asked = crossed(block_size_bytes=SIZES, read_percent=(100, 70, 0), queue_depth=(1, 32))
    plans = [cell_plan(each, Experiment.MATRIX) for each in asked]
    records = [
        cell_record(
            plan,
            {
                operation: totals_of([1000] * (2000 if plan.workload.queue_depth == 32 else 5))
                for operation in plan.workload.asked_operations()
            },
        )
        for plan in plans
    ]
    (figure,) = matrix_p99(estimate_run(run_record(plans, records)).cells)
    assert figure.title.endswith("depth 32")
    assert len(figure.left_out) == len(asked) / 2
    few = matrix(*crossed(queue_depth=(1, 4, 16)), count=5)
    assert matrix_p99 not in matrix_charts(few)
