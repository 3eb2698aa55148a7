"""The page in a real browser: one screen that answers, then one for each experiment. Skipped without Chromium.

The run has the cells of the lab profile under the names of its experiments, and a finding of each severity but invalid.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest
from PIL import Image

from iosonde.analysis.run import RunAnalysis
from iosonde.findings.finding import Finding, Severity
from iosonde.plans import load_profile
from iosonde.records import Experiment, PlannedExperiment, RunRecord
from iosonde.report.drawing import Drawers
from iosonde.report.experiment_table import ROWS_MAX
from iosonde.report.html import render_html
from iosonde.report.page import Page, page_of
from iosonde.report.pdf import render_pdf
from iosonde.report.signs import SIGNS
from iosonde.report.stills import stills_of
from iosonde.vocabulary import Paper
from tests.builders import finding
from tests.lab_builder import lab_run
from tests.report.conftest import CHROMIUM, FLAGS
from tests.report.paged import Paged

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

SCREEN_PX = 900
CHAPTER_PX_MAX = 1120
PAGE_PX_MAX = 22_573 // 2
"""Half of what the page of a lab run once was."""
PDF_PAGES_MAX = 14
FILLED_MIN = 0.85

VISIBLE = "e => e.checkVisibility() && e.getClientRects().length > 0"
EXPERIMENTS = (
    "() => [...document.querySelectorAll('section')]"
    ".filter(e => e.querySelector('details.full table') && !['contrasts', 'explanations'].includes(e.id))"
)
INVALID_RED = "rgb(179, 38, 30)"

# What is seen in the colour of what is invalid, outside of it.
RED = f"""() => [...document.querySelectorAll('body *')].filter({VISIBLE})
  .filter(e => {{
    const style = getComputedStyle(e);
    const own = [...e.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    const edge = ['Left', 'Top'].some(side => parseFloat(style['border' + side + 'Width']) > 0
      && style['border' + side + 'Color'] === '{INVALID_RED}');
    return (own && style.color === '{INVALID_RED}') || edge || style.fill === '{INVALID_RED}';
  }}).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 40))"""

# Rows of charts whose last chart does not end where the row does, or that have a gap wider than what is between two.
HALF_EMPTY = """() => [...document.querySelectorAll('.row')].filter(row => {
  const box = row.getBoundingClientRect();
  const charts = [...row.querySelectorAll('.figure')].map(e => e.getBoundingClientRect());
  return Math.abs(charts.at(-1).right - box.right) > 2 || new Set(charts.map(e => Math.round(e.top))).size > 1;
}).length"""

# Tables that reach beyond a frame which does not scroll.
TABLES_OUTSIDE = """() => [...document.querySelectorAll('.table-box')].filter(e =>
  e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== 'auto').length"""

# Charts without a picture that takes room.
BARE = """() => [...document.querySelectorAll('.chart')].filter(e => {
  const svg = e.querySelector('svg');
  return !svg || svg.getBoundingClientRect().width < 250 || svg.getBoundingClientRect().height < 100;
}).length"""


def named_lab_run() -> RunRecord:
    """The made-up lab run with the experiments of the lab profile: those of one kind share its cells."""
    run = lab_run(with_intervals=True)
    plan = run.header.plan
    baselines = {"small": slice(0, 2), "large": slice(2, 4), "durable": slice(4, 6)}
    experiments = []
    for table in load_profile("lab").experiment:
        kind = Experiment(table.kind.value)
        cells = [each.cell for each in plan.cells if kind in each.experiments]
        part = baselines.get(table.name.rpartition(" ")[2], slice(None))
        experiments.append(PlannedExperiment(name=table.name, kind=kind, cells=tuple(cells[part])))
    planned = plan.model_copy(update={"experiments": tuple(experiments)})
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": planned})})


def findings_of_the_page() -> list[Finding]:
    return [
        finding("some-doubt", Severity.DOUBTFUL, ("random-read-4KiB-qd8",)),
        *(finding(f"some-note-{number}", Severity.NOTE) for number in range(5)),
    ]


@pytest.fixture(scope="module")
def made() -> Page:
    return page_of(RunAnalysis(named_lab_run()), findings_of_the_page())


@pytest.fixture(scope="module")
def report(made: Page, drawers: Drawers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("screens") / "report.html"
    path.write_text(render_html(made, stills=stills_of(made, drawers)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tab(browser: Browser, report: Path) -> Iterator[Tab]:
    """The page as it is before a script has drawn anything again."""
    opened = browser.new_page(viewport={"width": 1280, "height": SCREEN_PX}, java_script_enabled=True)
    opened.goto(report.as_uri())
    yield opened
    opened.close()


def test_the_first_screen_has_the_target_the_answers_the_findings_the_picture_and_the_cards(tab: Tab) -> None:
    for each in ("h1", ".answers li", ".glance li", "#figure-throughput-latency svg", ".card", ".key"):
        boxes = [place.bounding_box() for place in tab.locator(each).all()]
        assert boxes, each
        assert all(box is not None and box["y"] + box["height"] <= SCREEN_PX for box in boxes), each


def test_each_chapter_fits_a_screen_and_the_page_is_half_as_high_as_it_was(tab: Tab) -> None:
    heights = tab.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('section')].map(e => [e.id, e.offsetHeight]))"
    )
    assert len(heights) == 14
    assert {name: height for name, height in heights.items() if height > CHAPTER_PX_MAX} == {}
    assert tab.evaluate("() => document.documentElement.scrollHeight") <= PAGE_PX_MAX


def test_an_experiment_has_its_own_name_one_table_of_few_rows_and_one_control(tab: Tab) -> None:
    found = tab.evaluate(
        f"""() => ({EXPERIMENTS})().map(e => [
          e.querySelector('h2').textContent,
          [...e.querySelectorAll('table')].filter({VISIBLE}).length,
          [...e.querySelectorAll('tbody tr')].filter({VISIBLE}).length,
          [...e.querySelectorAll('summary')].filter({VISIBLE}).length,
        ])"""
    )
    assert [name for name, *_ in found] == [table.name for table in load_profile("lab").experiment]
    assert [(tables, controls) for _, tables, _, controls in found] == [(1, 1)] * len(found)
    assert all(0 < rows <= ROWS_MAX for _, _, rows, _ in found)


def test_the_table_of_an_experiment_has_what_people_look_for(tab: Tab) -> None:
    heads = [
        " ".join(head.split())
        for head in tab.locator("#queue-depth .table-box").first.locator("th[scope=col]").all_inner_texts()
    ]
    assert heads == [
        *("Workload", "QD requested", "IOPS", "Bandwidth MB/s", "Mean µs", "p50 µs", "p95 µs", "p99 µs", "p99.9 µs"),
        *("Max µs", "QD achieved", "n repeats"),
    ]


def test_no_row_of_charts_is_half_empty(tab: Tab) -> None:
    assert tab.locator(".row").count() >= 5
    assert tab.evaluate(HALF_EMPTY) == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("unfolded", [False, True])
def test_the_page_never_scrolls_sideways_and_wide_tables_scroll_in_their_frame(
    browser: Browser, report: Path, width: int, *, unfolded: bool
) -> None:
    tab = browser.new_page(viewport={"width": width, "height": SCREEN_PX}, java_script_enabled=False)
    tab.goto(report.as_uri())
    if unfolded:
        tab.evaluate("() => document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
    assert tab.evaluate(TABLES_OUTSIDE) == 0
    tab.close()


@pytest.mark.parametrize("media", ["screen", "print"])
def test_every_chart_is_there_without_scripts(
    browser: Browser, report: Path, made: Page, media: Literal["screen", "print"]
) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": SCREEN_PX}, java_script_enabled=False)
    tab.emulate_media(media=media)
    tab.goto(report.as_uri())
    assert tab.locator(".chart svg").count() == len(made.figures) == tab.locator(".chart").count()
    assert tab.evaluate(BARE) == 0
    assert tab.locator("nav .spread, .save").filter(visible=True).count() == 0
    sizes = [len(place.screenshot()) for place in tab.locator(".chart").all()]
    tab.evaluate("() => document.querySelectorAll('.chart svg').forEach(e => { e.style.visibility = 'hidden'; })")
    blank = [len(place.screenshot()) for place in tab.locator(".chart").all()]
    tab.close()
    assert all(drawn > 3 * empty for drawn, empty in zip(sizes, blank, strict=True))


def test_a_capture_by_headless_chromium_without_scrolling_has_every_chart(
    report: Path, tab: Tab, tmp_path: Path
) -> None:
    assert CHROMIUM is not None
    high = tab.evaluate("() => document.documentElement.scrollHeight")
    picture = tmp_path / "capture.png"
    flags = [*FLAGS, f"--window-size=1280,{high}", f"--screenshot={picture}", "--hide-scrollbars"]
    subprocess.run([CHROMIUM, *flags, report.as_uri()], check=True, capture_output=True, timeout=60)
    boxes = tab.evaluate(
        "() => [...document.querySelectorAll('.chart')].map(e => e.getBoundingClientRect())"
        ".map(e => [e.left, e.top + scrollY, e.right, e.bottom + scrollY])"
    )
    with Image.open(picture) as whole:
        colours = [len(whole.convert("RGB").crop(tuple(map(round, box))).getcolors(10**7) or ()) for box in boxes]
    assert len(colours) > 15
    assert min(colours) > 20


def test_red_means_invalid_and_nothing_else(tab: Tab) -> None:
    assert tab.evaluate(RED) == []


def test_what_is_invalid_is_red(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "invalid.html"
    broken = finding("broken", Severity.INVALID, ("random-read-4KiB-qd8",))
    path.write_text(render_html(page_of(RunAnalysis(named_lab_run()), [broken])), encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1280, "height": SCREEN_PX}, java_script_enabled=False)
    tab.goto(path.as_uri())
    found = tab.evaluate(RED)
    tab.close()
    assert any("× see broken" in each for each in found)
    assert any(each.startswith("ARTICLE.card invalid") for each in found)


def test_units_and_signs_are_explained_once(tab: Tab) -> None:
    assert tab.locator(".key").count() == 1
    said = tab.locator("body").inner_text()
    for _, meaning in SIGNS:
        assert said.count(meaning) == 1
    assert said.count("10⁶") == 1
    assert said.count("10⁻⁶") == 1


def test_a_finding_shows_its_statement_its_advice_and_little_evidence(tab: Tab) -> None:
    for each in tab.locator(".finding").all():
        assert each.locator(".statement, .advice").filter(visible=True).count() == 2
        assert each.locator(".evidence").filter(visible=True).count() <= 3


@pytest.mark.parametrize("paper", Paper)
def test_the_pdf_is_short_and_its_first_page_is_full(made: Page, drawers: Drawers, paper: Paper) -> None:
    paged = Paged(render_pdf(made, drawers, paper))
    assert len(paged.pages) <= PDF_PAGES_MAX
    first = paged.pages[0]
    text, (_, high) = first.get_textpage(), first.get_size()
    # Below is the foot of the page alone.
    lowest = sorted({round(text.get_charbox(index)[1]) for index in range(text.count_chars())})[:3]
    assert 1 - lowest[-1] / high > FILLED_MIN
    assert "† some repeats are excluded" in paged.texts[0]


def test_seeds_are_not_on_paper(made: Page, drawers: Drawers) -> None:
    letters = Paged(render_pdf(made, drawers)).letters
    seeds = {str(turn.seed) for turn in named_lab_run().header.plan.turns}
    assert [seed for seed in seeds if seed in letters] == []
