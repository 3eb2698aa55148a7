"""What a page does with tables that are too long to stand open. Skipped where no Chromium is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.records import Experiment, Operation
from iosonde.report.html import LINES_OPEN_MAX, render_html
from iosonde.report.page import page_of
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CELLS = LINES_OPEN_MAX + 1
SECTION_HIGH_MAX = 1300


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.MATRIX) for depth in range(1, CELLS + 1)]
    records = [cell_record(plan, {Operation.READ: totals_of([100_000] * 1000)}) for plan in plans]
    path: Path = tmp_path_factory.mktemp("long") / "report.html"
    found = finding("everywhere", cells=tuple(plan.cell for plan in plans))
    path.write_text(render_html(page_of(RunAnalysis(run_record(plans, records)), [found])), encoding="utf-8")
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.goto(path.as_uri())
    yield opened
    opened.close()


def rows_in_sight(page: Page) -> int:
    found: int = page.evaluate(
        "() => [...document.querySelectorAll('#matrix tbody tr')].filter(e => e.checkVisibility()).length"
    )
    return found


def test_a_long_table_is_folded_and_says_how_long_it_is(page: Page) -> None:
    summary = page.locator("#matrix summary")
    assert summary.inner_text() == f"All {CELLS} rows of Matrix"
    assert rows_in_sight(page) == 0
    assert page.locator("#matrix").evaluate("e => e.getBoundingClientRect().height") < SECTION_HIGH_MAX


def test_a_long_table_opens_in_a_box_of_its_own(page: Page) -> None:
    page.locator("#matrix summary").click()
    assert rows_in_sight(page) == CELLS
    assert page.locator("#matrix").evaluate("e => e.getBoundingClientRect().height") < 2 * SECTION_HIGH_MAX
    page.locator("#matrix summary").click()


def test_paper_has_every_row_and_every_cell_of_a_finding(page: Page) -> None:
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert rows_in_sight(page) == CELLS
    assert page.locator("#finding-everywhere code").filter(visible=True).count() == CELLS + 1
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert rows_in_sight(page) == 0
