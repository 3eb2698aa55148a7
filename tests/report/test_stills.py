"""Charts as still pictures inside the page: small, with names of their own, and without what its policy refuses."""

import sys

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.report.drawing import Drawers, drawers_if_any
from iosonde.report.html import render_html
from iosonde.report.page import Page, page_of
from iosonde.report.stills import SHAPE_USES_MIN, still, stills_of
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(RunAnalysis(lab_run(repeats=1, quick=True, with_intervals=True)), [])


def test_every_chart_has_one_and_no_two_share_a_name(page: Page, drawers: Drawers) -> None:
    drawn = stills_of(page, drawers)
    assert set(drawn) == {figure.id for figure in page.figures if figure.chart is not None}
    html = render_html(page, stills=drawn)
    assert html.count('<div class="still">') == len(drawn)
    names = [part.partition('"')[0] for svg in drawn.values() for part in svg.split(' id="')[1:]]
    assert len(set(names)) == len(names)


def test_none_has_what_the_policy_of_the_page_refuses(page: Page, drawers: Drawers) -> None:
    for svg in stills_of(page, drawers).values():
        assert " style=" not in svg
        assert "<script" not in svg
        assert "http" not in svg


def test_a_picture_of_pixels_keeps_them() -> None:
    assert still('<svg><image style="image-rendering: pixelated;"/></svg>', "map") == (
        '<svg><image image-rendering="pixelated"/></svg>'
    )


def test_a_mark_of_many_is_said_once_and_used_by_its_name() -> None:
    marks = "".join(f'<path transform="translate({x},1)" d="M0,0h2" fill="red"/>' for x in range(SHAPE_USES_MIN))
    made = still(f"<svg>{marks}</svg>", "course")
    assert made.startswith('<svg><defs><path id="course-m0" d="M0,0h2" fill="red"/></defs>')
    assert made.count('<use href="#course-m0"') == SHAPE_USES_MIN


def test_an_opaque_line_drawn_again_at_its_place_is_there_once_and_a_translucent_one_as_often() -> None:
    opaque, translucent = '<line x2="3" stroke="red"/>', '<line x2="3" opacity="0.5"/>'
    assert still(f"<svg>{opaque * 3}{translucent * 2}</svg>", "x") == f"<svg>{opaque}{translucent * 2}</svg>"


def test_clips_are_those_of_the_own_picture() -> None:
    made = still('<svg><clipPath id="clip0"/><g clip-path="url(#clip0)"><path d="M1,1"/></g></svg>', "depths")
    assert 'id="depths-clip0"' in made
    assert 'clip-path="url(#depths-clip0)"' in made


def test_where_the_system_starts_no_process_scripts_draw_alone(monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with drawers_if_any() as drawers:
        assert drawers is None
        assert stills_of(page, drawers) == {}
    assert "Enable JavaScript to see this chart" in render_html(page)
