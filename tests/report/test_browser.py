"""The page in a real browser, wide and narrow. Skipped where no Chromium is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from iosonde.findings.model import Severity
from iosonde.report.html import render_html
from tests.builders import finding, target_facts
from tests.lab_builder import lab_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = (1280, 390)
HOSTILE = "</script><script>alert(1)</script>{{7*7}}"
CHARTS = 10
SETTLE_MS = 10_000

DRAWN = "document.querySelectorAll('.chart svg').length + document.querySelectorAll('.chart.broken').length"

# Everything outside of a box that scrolls by itself must end where the page does.
OUTSIDE = """() => [...document.querySelectorAll('body *')]
  .filter(e => !e.closest('.table-box') && e.getClientRects().length)
  .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
            || e.getBoundingClientRect().left < -1)
  .map(e => e.tagName + ' ' + (e.textContent || '').slice(0, 40))"""

# Text of a chart that is cut off by the chart's own edge.
CLIPPED = """() => [...document.querySelectorAll('.chart')].flatMap(chart => {
  const box = chart.getBoundingClientRect();
  return [...chart.querySelectorAll('svg text')].filter(text => text.textContent && text.getClientRects().length)
    .filter(text => {
      const b = text.getBoundingClientRect();
      return b.left < box.left - 3 || b.right > box.right + 3 || b.top < box.top - 3 || b.bottom > box.bottom + 3;
    }).map(text => chart.dataset.specification + ': ' + text.textContent);
})"""

# Two texts of one chart that lie on each other.
OVERLAPPING = """() => [...document.querySelectorAll('.chart')].flatMap(chart => {
  const texts = [...chart.querySelectorAll('svg text')]
    .filter(text => text.textContent && getComputedStyle(text).opacity !== '0')
    // A label's white edge is a text of its own, below the label.
    .filter(text => text.getAttribute('stroke') !== 'white')
    .map(text => [text.textContent, text.getBoundingClientRect()]);
  const found = [];
  texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across > 2 && down > 3) found.push(chart.dataset.specification + ': ' + a + ' / ' + b);
  }));
  return found;
})"""

MARKS = """() => [...document.querySelectorAll('.chart')].map(chart => [
  chart.dataset.specification,
  chart.querySelectorAll('.mark-symbol.role-mark path').length,
  chart.getBoundingClientRect().width,
])"""


@dataclass
class Seen:
    """A page after it has drawn itself, and all that it did on the way."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


def visit(browser: Browser, path: Path, width: int) -> Seen:
    page = browser.new_page(viewport={"width": width, "height": 900})
    seen = Seen(page)
    page.on("console", lambda message: seen.messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.messages.append(f"error: {error}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("dialog", lambda dialog: _dismiss(dialog, seen))
    page.goto(path.as_uri())
    page.wait_for_function(f"{DRAWN} >= {CHARTS}", timeout=SETTLE_MS)
    return seen


def _dismiss(dialog: Dialog, seen: Seen) -> None:
    seen.dialogs.append(dialog.message)
    dialog.dismiss()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    findings = [finding(f"finding-{severity}", severity, ("random-read-4KiB-qd1",)) for severity in Severity]
    path.write_text(render_html(lab_run(quick=True, finished=False), findings), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=WIDTHS, ids=lambda width: f"{width}px")
def seen(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Seen]:
    visited = visit(browser, report, request.param)
    yield visited
    visited.page.close()


def test_the_page_opens_without_a_complaint_of_the_browser(seen: Seen) -> None:
    assert seen.messages == []


def test_the_page_asks_for_nothing_but_itself(seen: Seen, report: Path) -> None:
    assert [url for url in seen.requests if not url.startswith("data:")] == [report.as_uri()]


def test_the_page_never_scrolls_sideways(seen: Seen) -> None:
    width, shown = seen.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width <= shown
    assert seen.page.evaluate(OUTSIDE) == []


def test_every_chart_is_drawn_with_marks_and_as_wide_as_its_place(seen: Seen) -> None:
    marks = seen.page.evaluate(MARKS)
    assert len(marks) == CHARTS
    assert [name for name, count, _ in marks if count < 2] == []
    widths = {round(width) for _, _, width in marks}
    assert len(widths) == 1


def test_no_text_of_a_chart_is_clipped(seen: Seen) -> None:
    assert seen.page.evaluate(CLIPPED) == []


def test_no_two_texts_of_a_chart_lie_on_each_other(seen: Seen) -> None:
    assert seen.page.evaluate(OVERLAPPING) == []


def test_wide_tables_scroll_in_their_own_box(seen: Seen) -> None:
    boxes = seen.page.evaluate("[...document.querySelectorAll('.table-box')].map(e => getComputedStyle(e).overflowX)")
    assert boxes
    assert set(boxes) == {"auto"}


def test_a_hostile_path_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    run = lab_run(repeats=1, quick=True, target=target_facts(HOSTILE))
    path.write_text(render_html(run, [finding(statement=HOSTILE)]), encoding="utf-8")
    seen = visit(browser, path, 1280)
    assert seen.dialogs == []
    assert seen.messages == []
    assert seen.page.inner_text("h1") == HOSTILE
    assert HOSTILE in seen.page.title()
    seen.page.close()


def test_a_script_that_slipped_in_would_not_run(browser: Browser, report: Path, tmp_path: Path) -> None:
    path = tmp_path / "injected.html"
    page = report.read_text(encoding="utf-8").replace(
        "<h1>", "<script>alert(1)</script><img src=x onerror=alert(2)><h1>"
    )
    path.write_text(page, encoding="utf-8")
    seen = visit(browser, path, 1280)
    assert seen.dialogs == []
    assert any("Content Security Policy" in message for message in seen.messages)
    seen.page.close()
