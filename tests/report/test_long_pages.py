"""What a page does with experiments of many cells. Skipped where no Chromium is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.records import Experiment, Operation
from iosonde.report.experiment_table import ROWS_MAX
from iosonde.report.html import render_html
from iosonde.report.page import page_of
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CELLS = 201
SECTION_HIGH_MAX = 1100


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


def test_a_long_table_shows_few_rows_and_says_how_many_there_are(page: Page) -> None:
    assert page.locator("#matrix summary").inner_text().startswith(f"Full table ({CELLS} rows)")
    assert rows_in_sight(page) == ROWS_MAX
    assert page.locator("#matrix").evaluate("e => e.getBoundingClientRect().height") < SECTION_HIGH_MAX


def test_all_rows_unfold_in_a_box_of_their_own(page: Page) -> None:
    page.locator("#matrix summary").click()
    assert rows_in_sight(page) >= ROWS_MAX + CELLS
    assert page.locator("#matrix").evaluate("e => e.getBoundingClientRect().height") < 3 * SECTION_HIGH_MAX
    page.locator("#matrix summary").click()


def test_a_finding_of_many_cells_names_them_behind_its_control(page: Page) -> None:
    cells = page.locator("#finding-everywhere .cells code")
    assert cells.count() == CELLS
    assert cells.filter(visible=True).count() == 0
    page.locator("#finding-everywhere summary").click()
    assert cells.filter(visible=True).count() == CELLS
    page.locator("#finding-everywhere summary").click()
