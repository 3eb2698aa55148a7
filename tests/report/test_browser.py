"""The page in a real browser, wide and narrow. Skipped where no Chromium is installed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.expectations import check_results, read_expectations
from iosonde.findings.finding import Severity
from iosonde.findings.run_results import results_of_run
from iosonde.records import Access, Experiment, RunRecord, Sync, Workload
from iosonde.report.html import render_html
from iosonde.report.page import page_of
from tests.builders import cell_plan, cell_record, finding, run_record, target_facts, workload
from tests.charts.test_mixes import operations_of
from tests.lab_builder import lab_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

WIDTHS = (1280, 390)
HOSTILE = "</script><script>alert(1)</script>{{7*7}}"
CHARTS = 17
SETTLE_S = 30

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
  chart.querySelectorAll('.role-mark path').length,
  chart.getBoundingClientRect().width - chart.parentElement.getBoundingClientRect().width,
])"""


# Texts whose colour is too close to that of the nearest box behind them that has one.
FAINT = """() => {
  const parts = colour => (colour.match(/[0-9.]+/g) || []).map(Number);
  const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parts(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest('script, style, .skip')) continue;
    const style = getComputedStyle(e);
    if (style.opacity === '0') continue;
    const drawn = e.tagName === 'text' ? style.fill : style.color;
    if (e.getAttribute('stroke') === 'white') continue;
    const [a, b] = [light(parts(drawn)), light(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.add(e.tagName + ' ' + drawn + ': ' + e.textContent.trim().slice(0, 30));
  }
  return [...found];
}"""


@dataclass
class Seen:
    """A page after it has drawn itself, and all that it did on the way."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


def visit(browser: Browser, path: Path, width: int, charts: int = CHARTS) -> Seen:
    page = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    seen = Seen(page)
    page.on("console", lambda message: seen.messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.messages.append(f"error: {error}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("dialog", lambda dialog: _dismiss(dialog, seen))
    page.goto(path.as_uri())
    wait_until_drawn(page, charts)
    return seen


def wait_until_drawn(page: Page, charts: int = CHARTS) -> None:
    """Asked again and again from here: the page's own policy keeps text from becoming code, a waiting test's too."""
    ends = time.monotonic() + SETTLE_S
    while page.evaluate(f"() => document.documentElement.dataset.drawn === 'all' ? {DRAWN} : 0") < charts:
        assert time.monotonic() < ends, "the page has not drawn all of its charts"
        time.sleep(0.05)


def _dismiss(dialog: Dialog, seen: Seen) -> None:
    seen.dialogs.append(dialog.message)
    dialog.dismiss()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    findings = [finding(f"finding-{severity}", severity, ("random-read-4KiB-qd1",)) for severity in Severity]
    run = lab_run(quick=True, finished=False, with_intervals=True)
    path.write_text(render_html(page_of(RunAnalysis(run), findings)), encoding="utf-8")
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
    assert {round(difference) for _, _, difference in marks} == {0}


def test_every_chart_has_a_mark_for_each_row_of_its_data(seen: Seen) -> None:
    # A percentile curve is drawn as a line; its rows with a name are marked.
    counts = """() => [...document.querySelectorAll('[data-specification]')].map(place => {
      const specification = JSON.parse(document.getElementById(place.dataset.specification).textContent);
      const rows = specification.datasets[specification.data.name].filter(row => row.named !== null);
      return [place.dataset.specification, rows.length, place.querySelectorAll('.rows_marks path').length];
    })"""
    found = seen.page.evaluate(counts)
    assert len(found) == CHARTS
    assert [each for each in found if each[1] != each[2] or not each[1]] == []


@pytest.mark.parametrize("kind", ["dark", "print"])
def test_no_chart_is_blank_in_the_dark_or_on_paper(browser: Browser, report: Path, kind: str) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 900}, color_scheme="dark" if kind == "dark" else "light")
    page.goto(report.as_uri())
    wait_until_drawn(page)
    if kind == "print":
        page.emulate_media(media="print")
    sizes = [len(place.screenshot()) for place in page.locator("[data-specification]").all()]
    page.evaluate("() => document.querySelectorAll('.chart svg').forEach(e => { e.style.visibility = 'hidden'; })")
    blank = [len(place.screenshot()) for place in page.locator("[data-specification]").all()]
    page.close()
    assert len(sizes) == CHARTS
    assert all(drawn > 3 * empty for drawn, empty in zip(sizes, blank, strict=True))


def test_no_text_of_a_chart_is_clipped(seen: Seen) -> None:
    assert seen.page.evaluate(CLIPPED) == []


def test_no_two_texts_of_a_chart_lie_on_each_other(seen: Seen) -> None:
    assert seen.page.evaluate(OVERLAPPING) == []


def test_wide_tables_scroll_in_their_own_box(seen: Seen) -> None:
    boxes = seen.page.evaluate("[...document.querySelectorAll('.table-box')].map(e => getComputedStyle(e).overflowX)")
    assert boxes
    assert set(boxes) == {"auto"}


def test_the_switch_turns_intervals_into_deviations_and_back(seen: Seen) -> None:
    bars = "() => [...document.querySelectorAll('#figure-mix-iops .mark-rule line')].map(e => e.outerHTML)"
    intervals = seen.page.evaluate(bars)
    seen.page.check("input[value=deviation]")
    seen.page.wait_for_timeout(500)
    deviations = seen.page.evaluate(bars)
    seen.page.check("input[value=interval]")
    seen.page.wait_for_timeout(500)
    assert len(deviations) == len(intervals)
    assert deviations != intervals
    assert seen.page.evaluate(bars) == intervals


@pytest.mark.parametrize(
    ("kind", "begins"), [("png", b"\x89PNG\r\n"), ("svg", b"<svg"), ("csv", b"cell,series,queue_depth_asked")]
)
def test_a_chart_can_be_saved_without_a_network(seen: Seen, kind: str, begins: bytes) -> None:
    with seen.page.expect_download() as expected:
        seen.page.click(f"#figure-queue-depth-iops button[data-save={kind}]")
    assert expected.value.suggested_filename == f"queue-depth-iops.{kind}"
    assert Path(expected.value.path()).read_bytes().startswith(begins)
    assert seen.messages == []


def test_a_saved_picture_says_itself_what_it_is_of(seen: Seen) -> None:
    with seen.page.expect_download() as expected:
        seen.page.click("#figure-mix-latency button[data-save=svg]")
    text = Path(expected.value.path()).read_text(encoding="utf-8")
    for part in ("Latency by read percentage", "Mean latency", "/srv/data/iosonde.dat", "QUICK", "iosonde 0."):
        assert part in text


def test_hovering_shows_the_exact_values(browser: Browser, report: Path) -> None:
    seen = visit(browser, report, 1280)
    point = seen.page.locator("#figure-queue-depth-iops .rows_marks path").last
    point.scroll_into_view_if_needed()
    # Tables that come into sight are laid out, which moves what is below them.
    seen.page.wait_for_timeout(1000)
    box = point.bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + box["width"] / 2 - 2, box["y"] + box["height"] / 2)
    seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    seen.page.wait_for_selector("#vg-tooltip-element.visible")
    told = seen.page.inner_text("#vg-tooltip-element")
    assert "IOPS ± 95 % CI" in told
    assert "QD achieved" in told
    seen.page.close()


def test_the_keyboard_reaches_the_answers_first_and_every_table(browser: Browser, report: Path) -> None:
    seen = visit(browser, report, 1280)
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("() => document.activeElement.getAttribute('href')") == "#answers"
    unreachable = "() => [...document.querySelectorAll('.table-box')].filter(e => e.tabIndex !== 0).length"
    assert seen.page.evaluate(unreachable) == 0
    seen.page.close()


def test_every_chart_and_button_has_a_name_for_those_who_hear_the_page(seen: Seen) -> None:
    nameless = """() => [...document.querySelectorAll('[data-specification], button')]
      .filter(e => !(e.getAttribute('aria-label') || '').trim()).length"""
    assert seen.page.evaluate(nameless) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_what_is_behind_it(
    browser: Browser, report: Path, scheme: Literal["light", "dark"]
) -> None:
    """By the contrast of WCAG 2: 4.5 to 1 for text."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.goto(report.as_uri())
    wait_until_drawn(page)
    assert page.evaluate(FAINT) == []
    page.close()


def test_a_hostile_path_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    run = lab_run(repeats=1, quick=True, target=target_facts(HOSTILE), with_intervals=True)
    path.write_text(render_html(page_of(RunAnalysis(run), [finding(statement=HOSTILE)])), encoding="utf-8")
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


def mixes_run() -> RunRecord:
    """Mixes beside reads and writes in every experiment, over two block sizes, with trims and flushes."""
    wanted: dict[Workload, set[Experiment]] = {}
    for experiment, depths in (
        (Experiment.BASELINE, (1,)),
        (Experiment.BLOCK_SIZE, (8,)),
        (Experiment.MIX, (8,)),
        (Experiment.QUEUE_DEPTH, (1, 2, 4, 8, 16)),
        (Experiment.TAIL, (8,)),
        (Experiment.MATRIX, (2,)),
    ):
        for shape in (
            {"read_percent": 100},
            {"read_percent": 70},
            {"read_percent": 65, "trim_percent": 5, "pattern": Access.SEQUENTIAL},
            {"read_percent": 70, "block_size_bytes": 16384, "sync": Sync.FDATASYNC},
            {"read_percent": 0},
        ):
            for depth in depths:
                wanted.setdefault(workload(queue_depth=depth, **shape), set()).add(experiment)
    plans = [cell_plan(asked, *sorted(experiments)) for asked, experiments in wanted.items()]
    records = [
        cell_record(plan, operations_of(plan.workload, 400 * min(plan.workload.queue_depth, 4) + repeat), repeat=repeat)
        for plan in plans
        for repeat in (0, 1, 2)
    ]
    return run_record(plans, records)


LIMITS = """
name = "limits"
[[expect]]
name = "p99 of reads"
pattern = "random"
read = 100
block_size = "4KiB"
metric = "latency_ns_p99"
at_most = "0.2 ms"
[[expect]]
name = "p99.9 of reads"
pattern = "random"
read = 100
block_size = "4KiB"
metric = "latency_ns_p99_9"
at_most = "0.21 ms"
[[expect]]
name = "mean latency"
pattern = "random"
block_size = "4KiB"
metric = "latency_ns_mean"
at_most = "0.3 ms"
[[expect]]
name = "reads a second"
pattern = "random"
metric = "iops"
at_least = "100k"
[[expect]]
name = "sequential bandwidth"
pattern = "sequential"
metric = "bytes_per_s"
at_least = "1.5 GB/s"
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_limit_lines_have_labels_that_are_neither_cut_off_nor_on_other_texts(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    analysis = RunAnalysis(lab_run())
    expected = read_expectations(LIMITS, "limits.toml")
    checked = check_results(results_of_run("run", analysis.estimates, ()), expected, ("limits.toml", LIMITS))
    page = page_of(analysis, [], checked=checked)
    path = tmp_path / "limits.html"
    path.write_text(render_html(page), encoding="utf-8")
    seen = visit(browser, path, width, len([figure for figure in page.figures if figure.chart is not None]))
    found = {name: seen.page.evaluate(script) for name, script in {"clipped": CLIPPED, "over": OVERLAPPING}.items()}
    labels = seen.page.evaluate("[...document.querySelectorAll('.chart svg text')].map(e => e.textContent)")
    seen.page.close()
    assert seen.messages == []
    assert found == {"clipped": [], "over": []}
    assert {"≤ 300 µs", "≥ 100,000/s", "≥ 1,500 MB/s", "p99 ≤ 200 µs"} <= set(labels)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_mixes_is_drawn_without_a_complaint_and_can_be_read(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    page = page_of(RunAnalysis(mixes_run()), [])
    path = tmp_path / "mixes.html"
    path.write_text(render_html(page), encoding="utf-8")
    seen = visit(browser, path, width, len(page.figures))
    found = {
        name: seen.page.evaluate(script)
        for name, script in {"clipped": CLIPPED, "overlapping": OVERLAPPING, "outside": OUTSIDE, "faint": FAINT}.items()
    }
    marks = seen.page.evaluate(MARKS)
    seen.page.close()
    assert seen.messages == []
    assert found == {"clipped": [], "overlapping": [], "outside": [], "faint": []}
    assert len(marks) == len(page.figures) > 20
    assert [name for name, count, _ in marks if count < 2] == []
