"""What is invalid looks invalid in every form of the report, in words and not by colour alone."""

import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Finding, Severity
from iosonde.records import Aim, Experiment, Neighbour, Operation, RunRecord
from iosonde.report.answers import answers_of
from iosonde.report.display import figure_text
from iosonde.report.drawing import Drawers
from iosonde.report.headline import headline_of
from iosonde.report.html import render_html
from iosonde.report.markdown import page_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import paper_data, render_pdf
from iosonde.report.probe_summary import render_probe
from iosonde.report.sentences import experiment_sentence
from iosonde.report.signs import INVALID, UNMET
from iosonde.report.summary import render_summary
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.run_view import render_run
from iosonde.report.validity import MARK, invalid_cells, marked
from iosonde.vocabulary import Paper
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload
from tests.judging import findings_of
from tests.lab_builder import lab_run
from tests.report.made_up import chapter_of

BEST = "random-read-4KiB-qd256"
MIX = "random-mix50-4KiB-qd16"
NEIGHBOURS = finding("neighbours", Severity.INVALID, (BEST, MIX), "Two runs measured at once.")
WHOLE = finding("buffered-io", Severity.INVALID, (), "The page cache was in use.")
SEE = f"{MARK}, see neighbours"
SIGN = f"{INVALID} see neighbours"


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run()


@pytest.fixture(scope="module")
def page(run: RunRecord) -> Page:
    return page_of(RunAnalysis(run), [NEIGHBOURS])


def printed(shown: RenderableType) -> str:
    console = Console(width=140, record=True, file=StringIO())
    console.print(shown)
    return console.export_text()


def test_the_headline_says_it_and_a_finding_about_the_whole_run_touches_all_of_it(run: RunRecord) -> None:
    named = {group.cell: group.invalid_by for group in headline_of(estimate_run(run), [NEIGHBOURS]).groups}
    assert named.pop(BEST) == ("neighbours",)
    assert set(named.values()) == {()}
    assert all(group.invalid_by == ("buffered-io",) for group in headline_of(estimate_run(run), [WHOLE]).groups)


def test_the_page_strikes_it_out_in_headline_and_tables_and_says_so(page: Page) -> None:
    html = render_html(page)
    card = next(each for each in re.findall(r'<article class="card.*?</article>', html, re.DOTALL) if BEST in each)
    assert "<strong>× INVALID</strong>, see" in card
    assert "<s><span" in card
    rows = re.findall(r'<tr class="invalid">.*?</tr>', html, re.DOTALL)
    named = {name for row in rows for name in re.findall(r'row">(\S+)', row)}
    # The first table of a chapter names its rows by what varies in them.
    assert named == {BEST, MIX, "read", "50/50"}
    assert all(SIGN in row and '<td class="number"><s>' in row for row in rows)


def test_what_is_set_against_an_invalid_cell_is_invalid_with_it(run: RunRecord) -> None:
    shallow = finding("neighbours", Severity.INVALID, ("random-read-4KiB-qd1",))
    sweep = chapter_of(page_of(RunAnalysis(run), [shallow]), "queue-depth")
    [table] = [each for each in sweep.all_of(ResultTable) if "relative to the lowest queue depth" in each.caption]
    assert all((line.invalid == SIGN) == line.texts[0].startswith("random-read") for line in table.lines)


def test_charts_cross_it_out_and_say_so_in_their_captions(page: Page) -> None:
    touched = {figure.id for figure in page.figures if any(row.get("cell") in {BEST, MIX} for row in figure.rows)}
    assert {"throughput-latency", "queue-depth-iops", "mix-iops", "mix-latency"} <= touched
    for figure in page.figures:
        says = f"{MARK}, crossed out, see neighbours" in figure.caption
        assert says == (figure.id in touched), figure.id
        if figure.chart is not None:
            invalid = {row.get("cell") for row in figure.rows} & {BEST, MIX}
            assert [set(each) for each in crosses(figure.specification)] == ([invalid] if says else []), figure.id


def crosses(specification: dict[str, Any]) -> list[list[str]]:
    """The cells that a chart's crosses are filtered to."""
    layers = [each for each in specification["layer"] if each["mark"].get("shape") == "cross"]
    return [step["filter"]["oneOf"] for each in layers for step in each["transform"] if "filter" in step]


def test_sentences_leave_it_out_of_rankings_and_name_it(run: RunRecord) -> None:
    estimates = estimate_run(run)
    invalid = invalid_cells([cell.cell for cell in estimates.cells], [NEIGHBOURS])
    said = experiment_sentence(Experiment.MIX, estimates, invalid)
    assert "at 50 % reads" not in said
    assert said.endswith(f"Omitted as invalid (see neighbours): {MIX}.")
    every = invalid_cells([cell.cell for cell in estimates.cells], [WHOLE])
    assert experiment_sentence(Experiment.MIX, estimates, every).startswith(f"{MARK}, see buffered-io: ")


def test_a_row_without_figures_has_none_that_could_be_invalid() -> None:
    heads = (Head("Cell", number=False), Head("IOPS"))
    table = ResultTable("", heads, (Line(("one",), gap="one was cut off"), Line(("one", "20,000"))), ())
    shown = marked(table, {"one": ("neighbours",)})
    assert [line.invalid for line in shown.lines] == ["", SEE]


def test_answers_and_knees_say_it(run: RunRecord) -> None:
    estimates = estimate_run(run)
    reached, *others = answers_of(estimates, headline_of(estimates, [NEIGHBOURS]), [NEIGHBOURS])
    assert f"IOPS [{SEE}] of 4 KiB random reads" in reached
    assert any(f"{SEE}: these knees depend on {BEST}" in sentence for sentence in others)


@pytest.mark.parametrize("form", ["summary", "show", "show cell", "probe"])
def test_the_terminal_says_it(form: str, run: RunRecord) -> None:
    findings: Sequence[Finding] = [NEIGHBOURS]
    if form == "summary":
        text = printed(render_summary(RunAnalysis(run), findings, None))
        assert re.search(rf"IOPS {MARK}\s", text)
        assert f"{MARK}: see neighbours." in text
    elif form == "show":
        text = printed(render_run(RunAnalysis(run), findings, all_findings=False))
        assert f"{MARK} {BEST}" in text
        assert f"{SEE}. Do not use these results." in text
        assert re.search(rf"256 .* {MARK}\n", text)
    elif form == "show cell":
        assert f"{MARK}  see neighbours" in printed(
            render_cell(run, chosen_cell(run, BEST, None), findings, all_findings=False)
        )
        other = printed(render_cell(run, chosen_cell(run, "random-write-4KiB-qd8", None), findings, all_findings=False))
        assert MARK not in other
    else:
        assert f"{MARK}  see buffered-io" in printed(render_probe(RunAnalysis(run), [WHOLE]))


def test_figures_on_a_terminal_are_struck_out(run: RunRecord) -> None:
    console = Console(width=140, force_terminal=True, color_system="standard", file=StringIO(), record=True)
    console.print(render_summary(RunAnalysis(run), [NEIGHBOURS], None))
    assert re.search(r"\x1b\[9m[\d,]+ ± [\d,]+ IOPS", console.export_text(styles=True))


def test_markdown_says_it(page: Page) -> None:
    text = page_markdown(page, "charts")
    rows = [line for line in text.splitlines() if line.startswith(f"| {BEST} **{SIGN}** | ~~")]
    assert rows
    assert f"| Random read, 4 KiB **{SIGN}** |" in text


def test_paper_says_it(page: Page, drawers: Drawers) -> None:
    data = paper_data(page, Paper.A4, {})
    [cards] = [part for chapter in data["chapters"] for part in chapter["parts"] if part["kind"] == "cards"]
    assert [group["invalid-by"] for group in cards["groups"] if group["cell"] == BEST] == [("neighbours",)]
    tables = [part for chapter in data["chapters"] for part in chapter["parts"] if part["kind"] == "table"]
    marked = {tuple(line["texts"][:2]) for table in tables for line in table["lines"] if line["invalid"] == SIGN}
    assert marked == {("read", "256"), *(("50/50 mix", operation) for operation in ("read", "write", "all"))}
    assert render_pdf(page, drawers).startswith(b"%PDF")


def test_what_another_run_disturbed_is_found_and_marked() -> None:
    plan = cell_plan(workload(queue_depth=1), Experiment.BASELINE)
    beside = (Neighbour(process=77, device="sda"),)
    records = [
        cell_record(plan, {Operation.READ: totals_of([10**6] * 5000)}, repeat=each, neighbours=beside)
        for each in (1, 2)
    ]
    run = run_record([plan], records)
    assert f"{MARK}: see neighbours." in printed(render_summary(RunAnalysis(run), findings_of(run), None))


def test_a_figure_known_less_exactly_than_asked_has_a_sign_and_no_mark(run: RunRecord) -> None:
    aim = Aim(precision_percent=0.01, budget_ns=10**9)
    headline = headline_of(estimate_run(run), (), aim)
    for group in headline.groups:
        assert (group.doubted_by, group.invalid_by) == ((), ())
    first = figure_text(headline.groups[0].figures[0])
    assert (first.sign, first.why) == (UNMET, "")
    assert re.fullmatch(
        r"95 % CI ±\d+\.\d %, requested ±0\.01 %: the time budget was exhausted", headline.groups[0].figures[0].remark
    )
    met = headline_of(estimate_run(run), (), Aim(precision_percent=50, budget_ns=10**9))
    assert all(figure_text(each).sign == "" for group in met.groups for each in group.figures)
