"""A chart or a section that fails costs its own place: there stands why, and how to report it, in every form."""

import gc
import io
import json
from collections.abc import Iterator, Sequence
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Never

import altair as alt
import pytest
from rich.console import Console, RenderableType

import iosonde
from iosonde.analysis import run as analysed
from iosonde.analysis.cells import CellEstimate, estimate_cell
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.cli import main, run_outputs
from iosonde.errors import OutputError, UsageError
from iosonde.failures import REASON_MAX, STRICT, FailureLog
from iosonde.findings import Case, find_in, rules
from iosonde.records import CellPlan, CellRecord, RunRecord
from iosonde.report import answers, chapters, derive, evaluated_run, experiment_chapters, page, run_chapters, summary
from iosonde.report.chapters import NOTHING_FOUND
from iosonde.report.drawing import Drawers, DrawingError
from iosonde.report.html import render_html
from iosonde.report.images import write_charts
from iosonde.report.markdown import page_markdown, write_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import render_pdf
from iosonde.report.summary import render_summary
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.terminal import cell_view, run_list, run_view
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.run_view import render_run
from tests.builders import finding
from tests.commands import few_cells
from tests.lab_builder import lab_run
from tests.report.made_up import chapter, measured, with_measured
from tests.report.paged import Paged
from tests.runs_on_disk import write_run

REASON = "ZeroDivisionError: nobody thought of this"


def smaller(run: RunRecord) -> RunRecord:
    """A few cells of each experiment."""
    plan = run.header.plan
    cells = tuple(
        cell for cell in plan.cells if cell.workload.block_size_bytes == 4096 and cell.workload.queue_depth <= 16
    )
    names = {cell.cell for cell in cells}
    header = run.header.model_copy(update={"plan": plan.model_copy(update={"cells": cells})})
    return run.model_copy(update={"header": header, "cells": tuple(cell for cell in run.cells if cell.cell in names)})


RUN = smaller(lab_run(repeats=1, quick=True))
WITH_INTERVALS = smaller(lab_run(repeats=1, with_intervals=True))
COMMAND = "iosonde export"


def fails(*_: object, **__: object) -> Never:
    raise ZeroDivisionError("nobody thought of this")


def shown(renderable: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=200)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def words(text: str) -> str:
    return " ".join(text.split())


def all_forms(run: RunRecord, failures: FailureLog) -> dict[str, str]:
    """A run as text in every form that takes no drawing."""
    findings = find_in(RunAnalysis(run), failures)
    made = page_of(RunAnalysis(run), findings, failures)
    return {
        "page": render_html(made, failures),
        "markdown": page_markdown(made, "charts", failures),
    }


PARTS: list[tuple[ModuleType, str, str, str]] = [
    (run_chapters, "latency_heat_map", 'The chart "Latency over time: ', "Latency percentiles"),
    (run_chapters, "run_consistency", 'The chart "Throughput over the run"', "Tail latency"),
    (experiment_chapters, "experiment_sentence", 'The text of "Read/write mix"', "IOPS by read percentage"),
    (experiment_chapters, "experiment_tables", 'The table of results in "Read/write mix"', "IOPS by read percentage"),
    (experiment_chapters, "growth_tables", "The table of results relative to the first row", "IOPS by queue depth"),
    (experiment_chapters, "swept_sentences", 'The text of "Queue-depth sweep"', "IOPS by queue depth"),
    (run_chapters, "time_series_sentence", 'The text of "Performance over time"', "Throughput over the run"),
    (run_chapters, "estimate_targets", 'The section "Results per target"', "Tail latency"),
    (chapters, "throughput_latency", 'The chart "Mean latency against IOPS"', "Random read, 4 KiB"),
    (evaluated_run, "headline_of", "The headline could not be created", "Tail latency"),
    (experiment_chapters, "experiment_table", 'The table of results in "Read/write mix"', "IOPS by read percentage"),
    (analysed, "estimate_run", "The analysis of the run", "Definitions"),
    (chapters, "fact_groups", 'The section "Conditions"', "Run order"),
    (chapters, "measurements", "The run order", "Run order: 0 trials"),
    (chapters, "_repeats_text", "The number of repeats", "Means over unknown repeats"),
    (page, "targets_text", "The target names", "Summary"),
    (page, "identity_text", "The target identity", "Summary"),
    (page, "brands_of", "The notice above the results", "Summary"),
    (answers, "_reached", "The answer about the highest throughput", "Tail latency"),
]


@pytest.mark.parametrize(("module", "name", "part", "other"), PARTS, ids=[name for _, name, _, _ in PARTS])
def test_whatever_fails_stands_in_its_place_and_the_rest_is_there(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, part: str, other: str
) -> None:
    monkeypatch.setattr(module, name, fails)
    failures = FailureLog()
    forms = all_forms(WITH_INTERVALS, failures)
    assert any(part in failure.statement for failure in failures.failures), failures.failures
    assert all(REASON in failure.reason for failure in failures.failures)
    for form, text in forms.items():
        plain = words(text.replace("\\", "").replace("&#34;", '"').replace("&#39;", "'"))
        assert part in plain, form
        assert REASON in plain, form
        assert COMMAND in plain, form
        assert other in plain, form


def test_every_chart_that_fails_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {figure.id for figure in page_of(RunAnalysis(RUN), ()).figures}

    def failing(draw: experiment_chapters.Draw) -> experiment_chapters.Draw:
        return wraps(draw)(lambda _: fails())

    broken = {
        experiment: tuple(tuple(map(failing, group)) for group in groups)
        for experiment, groups in experiment_chapters._FIGURES.items()
    }
    monkeypatch.setattr(experiment_chapters, "_FIGURES", broken)
    failures = FailureLog()
    made = page_of(RunAnalysis(RUN), (), failures)
    # One place for both charts of what draws them together.
    drawn_together = {f"queue-depth-{direction}-percentiles" for direction in ("read", "write")}
    assert {figure.id for figure in made.figures} == whole - drawn_together | {"queue-depth-percentiles"}
    failed = [figure.id for figure in made.figures if figure.failure]
    assert failed == [
        draw.__name__.replace("_", "-") for groups in broken.values() for group in groups for draw in group
    ]
    text = render_html(made, failures)
    assert text.count('class="failed"') == len(failed) == len(failures.failures)
    assert all(f'id="figure-{identity}"' in text for identity in failed)


def test_a_number_that_json_lacks_costs_its_chart_and_not_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsound(*_: object) -> Figure:
        rows = [{"x": float("nan")}]
        return Figure(
            "unsound",
            "An unsound chart",
            "It has a hole.",
            alt.LayerChart(layer=[], data=alt.InlineData(values=rows)),
            tuple(rows),
        )

    monkeypatch.setattr(run_chapters, "run_consistency", unsound)
    failures = FailureLog()
    text = render_html(page_of(RunAnalysis(RUN), (), failures), failures)
    assert text.count('class="failed"') == 1
    (failure,) = failures.failures
    assert failure.statement.startswith('The chart "Throughput over the run" could not be created (ValueError: ')
    assert 'id="figure-run-consistency"' in text


def test_without_a_log_whatever_fails_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment_chapters, "tail_range_table", fails)
    with pytest.raises(ZeroDivisionError):
        page_of(RunAnalysis(RUN), ())


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(3), UsageError("no", "hint"), OutputError("no", "hint")]
)
def test_what_is_no_mistake_of_ours_goes_on_its_way(error: BaseException) -> None:
    def raising() -> Never:
        raise error

    failures = FailureLog()
    with pytest.raises(type(error)):
        failures.attempt("a part", raising, lambda _: None)
    assert failures.failures == ()


def test_a_reason_is_one_short_line_and_says_where_it_was() -> None:
    failures = FailureLog()
    for message in ("two\nlines", "long " * 1000, ""):
        failures.note("a part", ValueError(message))
    reasons = [failure.reason for failure in failures.failures]
    assert reasons[0] == "ValueError: two lines"
    assert len(reasons[1]) == REASON_MAX
    assert reasons[2] == "ValueError"
    failures.attempt("another", lambda: page_of(None, (), STRICT), lambda _: None)  # type: ignore[arg-type]
    assert "; report/evaluated_run.py, line " in failures.failures[-1].reason


def test_a_rule_that_fails_costs_its_finding_and_nobody_claims_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken_rule(_: object) -> Iterator[int]:
        yield 1 // 0

    monkeypatch.setattr(rules, "RULES", (broken_rule,))
    failures = FailureLog()
    forms = all_forms(RUN, failures) | {"summary": shown(render_summary(RunAnalysis(RUN), (), None, failures))}
    assert [failure.section for failure in failures.failures] == ["findings"]
    for form, text in forms.items():
        assert "The findings about broken rule could not be created" in words(text), form
        for claim in (NOTHING_FOUND, "No finding makes these numbers doubtful", "Findings: none"):
            assert claim not in words(text), form


def broken_table() -> ResultTable:
    """A table with a row that is longer than its head, in HTML, and shorter, on paper."""
    return ResultTable(
        "A table.",
        (Head("Cell", number=False), Head("One"), Head("Two")),
        (Line(("a", "1")), Line(("a", "1", "2", "3"))),
        (),
    )


def broken_chart() -> Figure:
    """A chart that no library can draw."""
    nonsense = alt.LayerChart(layer=[alt.Chart().mark_point().encode(x="x:Q")], width="container", height=100)
    nonsense.data = alt.InlineData(values=[{"x": 1}])
    figure = Figure("nonsense", "A nonsensical chart", "It shows nothing.", nonsense, ({"x": 1},))
    figure.specification["layer"] = [{"mark": "no such mark"}]
    return figure


@pytest.fixture
def broken_page() -> Page:
    whole = page_of(RunAnalysis(RUN), [finding()])
    first, *_ = measured(whole)
    figures, tables = first.all_of(Figure), first.all_of(ResultTable)
    return with_measured(
        whole, chapter("An odd section", "", (broken_chart(), figures[0]), (broken_table(), tables[0]))
    )


def test_what_can_not_be_drawn_or_typeset_stands_in_its_place_on_paper(broken_page: Page, drawers: Drawers) -> None:
    failures = FailureLog()
    text = words(" ".join(Paged(render_pdf(broken_page, drawers, failures=failures)).texts))
    assert [failure.part for failure in failures.failures] == [
        'the image of the chart "A nonsensical chart"',
        'the part "table" of "An odd section"',
    ]
    for failure in failures.failures:
        assert failure.part[4:] in text
    assert COMMAND in text
    for other in ("Baseline latency", "Conditions", "span-fits-cache", "Definitions"):
        assert other in text
    with pytest.raises(DrawingError, match=r"^ValueError: "):
        render_pdf(broken_page, drawers)


def test_what_can_not_be_drawn_stands_in_its_place_in_markdown_and_has_no_picture(
    broken_page: Page, drawers: Drawers, tmp_path: Path
) -> None:
    failures = FailureLog()
    report, *pictures = write_markdown(broken_page, tmp_path / "report.md", drawers, failures)
    assert [path.name for path in pictures] == ["baseline-percentiles.png"]
    text = report.read_text(encoding="utf-8")
    assert 'The image of the chart "A nonsensical chart" could not be created' in text
    assert "nonsense.png" not in text


def test_charts_that_can_not_be_drawn_have_no_files_and_the_others_have(
    broken_page: Page, drawers: Drawers, tmp_path: Path
) -> None:
    failures = FailureLog()
    written = write_charts(broken_page, tmp_path, drawers, failures)
    assert {path.stem for path in written} == {"baseline-percentiles"}
    assert len(failures.failures) == 1


def test_a_table_that_fails_while_it_is_laid_out_costs_its_place_on_the_page(broken_page: Page) -> None:
    failures = FailureLog()
    text = render_html(broken_page, failures)
    (failure,) = failures.failures
    assert failure.part == 'the table of "An odd section"'
    assert text.count('class="failed"') == 1
    assert "Baseline latency" in text


TERMINAL: list[tuple[ModuleType, str, str]] = [
    (run_view, "experiment_tables", "Findings"),
    (run_view, "render_sweeps", "Tail latency"),
    (run_view, "_distributions", "Tail latency"),
    (analysed, "estimate_run", "test region 8 GiB"),
    (run_view, "render_summary", "Tail latency"),
    (summary, "headline_of", "Tail latency"),
    (summary, "knee_sentence", "Tail latency"),
    (summary, "figure_text", "Tail latency"),
    (cell_view, "estimate_cell", "Details"),
    (cell_view, "repeats_table", "Details"),
    (cell_view, "facts_table", "Findings about this cell"),
    (cell_view, "render_time_series", "Details"),
]


@pytest.mark.parametrize(
    ("module", "name", "other"), TERMINAL, ids=[f"{each[0].__name__[15:]}.{each[1]}" for each in TERMINAL]
)
def test_what_fails_on_a_terminal_stands_in_its_place(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, other: str
) -> None:
    def without_repeats(plan: CellPlan, records: Sequence[CellRecord], **_: bool) -> CellEstimate:
        return fails() if records else estimate_cell(plan, records)

    monkeypatch.setattr(module, name, without_repeats if name == "estimate_cell" else fails)
    failures = FailureLog()
    chosen = chosen_cell(RUN, RUN.cells[0].cell, None)
    if module is cell_view:
        text = words(shown(render_cell(RUN, chosen, (), all_findings=False, failures=failures)))
    else:
        text = words(shown(render_run(RunAnalysis(RUN), (), all_findings=True, failures=failures)))
    assert failures.failures
    assert REASON in text
    assert other in text


@pytest.fixture
def run_path(tmp_path: Path) -> Iterator[Path]:
    """A run on disk; commands that read one stop looking for garbage, and these share a process with the tests."""
    yield write_run(RUN, tmp_path / "run")
    gc.enable()


def test_a_run_whose_chart_fails_has_its_report_its_tables_and_a_warning(
    monkeypatch: pytest.MonkeyPatch, run_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_chapters, "run_consistency", fails)
    run_outputs.finish_directory(run_path)
    told = capsys.readouterr()
    warning, hint = told.err.splitlines()
    assert warning.startswith(f'warning: The chart "Throughput over the run" could not be created ({REASON}; report/')
    assert hint.endswith(f"send this message and the file that `iosonde export {run_path}` creates")
    assert "Report:" in told.out
    assert {path.name for path in run_path.glob("*.parquet")} == {
        "cells.parquet",
        "estimates.parquet",
        "intervals.parquet",
        "histograms.parquet",
    }
    assert 'class="failed"' in (run_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("module", "name", "part"),
    [
        (page, "page_of", "The page"),
        (derive, "run_tables", "Parquet"),
        (summary, "targets_text", "The summary"),
        (Case, "of", "The analysis required for findings"),
    ],
)
def test_neither_page_nor_tables_nor_summary_cost_each_other(
    monkeypatch: pytest.MonkeyPatch,
    run_path: Path,
    capsys: pytest.CaptureFixture[str],
    module: object,
    name: str,
    part: str,
) -> None:
    monkeypatch.setattr(module, name, fails)
    run_outputs.finish_directory(run_path)
    told = capsys.readouterr()
    assert f"warning: {part} could not be created ({REASON}" in told.err
    assert (run_path / "report.html").stat().st_size > 0
    assert (run_path / "cells.parquet").exists() == (name != "run_tables")


def call(*asked: object) -> None:
    main.app([str(word) for word in asked], standalone_mode=False)


def test_forms_do_not_cost_each_other_and_the_one_that_is_lost_is_an_error(
    monkeypatch: pytest.MonkeyPatch, run_path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "page_of_evaluated", fails)
    places = {name: tmp_path / name for name in ("page.html", "tables", "parquet", "run.json")}
    with pytest.raises(OutputError, match=r"the output .*/page\.html could not be written"):
        call(
            "report",
            run_path,
            "--html",
            places["page.html"],
            "--csv",
            places["tables"],
            "--parquet",
            places["parquet"],
            "--json",
            places["run.json"],
        )
    assert not places["page.html"].exists()
    assert (places["tables"] / "cells.csv").stat().st_size > 0
    assert (places["parquet"] / "cells.parquet").stat().st_size > 0
    assert json.loads(places["run.json"].read_text(encoding="utf-8"))["export_version"] == 3
    assert f"warning: The output {places['page.html']} could not be created ({REASON}" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [("report",), ("show",)])
def test_commands_that_read_a_run_warn_too(
    monkeypatch: pytest.MonkeyPatch, run_path: Path, capsys: pytest.CaptureFixture[str], asked: Sequence[str]
) -> None:
    monkeypatch.setattr(summary, "headline_of", fails)
    call(*asked, run_path)
    assert f"warning: The headline could not be created ({REASON}" in capsys.readouterr().err


def test_a_line_of_a_list_that_fails_is_one_of_it(
    monkeypatch: pytest.MonkeyPatch, run_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_list, "listed_run", fails)
    call("list", run_path.parent)
    told = words(capsys.readouterr().out)
    assert "unreadable" in told
    assert REASON in told


def test_a_script_is_warned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_chapters, "run_consistency", fails)
    with pytest.warns(RuntimeWarning, match="Throughput over the run"):
        run = iosonde.run("sim:mmc", profile=few_cells(tmp_path), size="16MiB", seed=1, out=tmp_path / "run")
    assert run.finished


def test_a_probe_whose_figures_can_not_be_told_gives_its_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from iosonde.report import probe_summary

    monkeypatch.setattr(probe_summary, "render_probe", fails)
    call("probe", "sim:mmc", "--duration", "10ms", "--warmup", "0s", "--size", "16MiB")
    told = capsys.readouterr()
    assert json.loads(told.out)["cells"][0]["outcome"] == "finished"
    assert f"warning: The results could not be created ({REASON}" in told.err
