"""The report of a run in every format, and checks for failures and invalid numbers in it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Never

from rich.console import Console, RenderableType

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.findings import find_in
from iosonde.records import RunRecord
from iosonde.report.drawing import Drawers
from iosonde.report.export import run_json, run_tables, write_csv
from iosonde.report.html import render_html
from iosonde.report.images import drawn_figures
from iosonde.report.markdown import page_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import paper_data, render_pdf
from iosonde.report.summary import render_summary
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.run_list import headline_cells, listed_run, render_runs
from iosonde.report.terminal.run_view import render_run
from iosonde.store import load_run, make_directory, summarise_run, write_parquet
from iosonde.vocabulary import Paper
from tests.report.paged import Paged

CELLS_SHOWN: Final = 3
COLUMNS: Final = 120
FAILED: Final = "could not be created"
_SCRIPT: Final = re.compile(r"<script.*?</script>|<style.*?</style>", re.DOTALL)
# Invalid numbers as Python and JavaScript print them, and exponents, which no format uses.
NO_NUMBER: Final = re.compile(r"\b(?:nan|NaN|inf|Infinity|undefined)\b|\bNone\b(?!\.)|\d[eE][+-]\d")


@dataclass(frozen=True)
class Report:
    """A run, its report page, and its report as text in each format."""

    run: RunRecord
    page: Page
    texts: Mapping[str, str]
    failures: FailureLog


def report_of(directory: Path) -> Report:
    """The report of a run in all formats that need no drawn charts."""
    failures = FailureLog()
    run = load_run(directory)
    findings = find_in(RunAnalysis(run), failures)
    page = page_of(RunAnalysis(run), findings, failures)
    make_directory(directory / "tables")
    write_csv(RunAnalysis(run), findings, directory / "tables")
    write_parquet(directory, run_tables(RunAnalysis(run), findings))
    texts = {
        "html": render_html(page, failures),
        "markdown": page_markdown(page, "charts", failures),
        "paper": json.dumps(paper_data(page, Paper.A4, {}, failures), ensure_ascii=False),
        "json": run_json(RunAnalysis(run), findings),
        "summary": shown(render_summary(RunAnalysis(run), findings, directory / "report.html", failures)),
        "show": shown(render_run(RunAnalysis(run), findings, all_findings=True, failures=failures)),
        "list": shown(render_runs([listed_run(directory, summarise_run(directory, headline_cells))])),
    }
    for cell in run.header.plan.cells[:CELLS_SHOWN]:
        chosen = chosen_cell(run, cell.cell, None)
        texts[cell.cell] = shown(render_cell(run, chosen, findings, all_findings=False, failures=failures))
    return Report(run, page, texts, failures)


def shown(renderable: RenderableType) -> str:
    """The text on a terminal."""
    console = Console(width=COLUMNS)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


def assert_whole(report: Report) -> None:
    """No part of the report has failed, and every number in it is valid."""
    assert report.failures.failures == ()
    for form, text in report.texts.items():
        if form == "json":
            json.loads(text, parse_constant=_refused)
            continue
        plain = _SCRIPT.sub("", text) if form == "html" else text
        assert FAILED not in plain, form
        odd = NO_NUMBER.search(plain)
        assert odd is None, f"{form}: ...{plain[max(odd.start() - 80, 0) : odd.end() + 40]}"
    for figure in drawn_figures(report.page):
        json.loads(figure.specification_json, parse_constant=_refused)


def assert_drawn(report: Report, drawers: Drawers) -> None:
    """The PDF can be made, and no part of it has failed."""
    paged = Paged(render_pdf(report.page, drawers, failures=report.failures))
    texts = " ".join(paged.texts)
    assert report.page.run in texts
    assert FAILED not in texts
    assert report.failures.failures == ()


def _refused(constant: str) -> Never:
    raise AssertionError(constant)
