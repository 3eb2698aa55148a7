"""Charts drawn by processes beside this one."""

import os
import signal
import subprocess
import sys

import pytest

from iosonde.errors import OutputError
from iosonde.report.drawing import DRAWERS_MAX, Drawers, DrawingError
from iosonde.report.images import draw_png, draw_svg, specification_of
from tests.report.pictures import SHAPES, figure_of

FIGURES = [figure_of(shape()) for shape in SHAPES.values()]


def test_pictures_come_in_order_and_as_this_process_would_draw_them(drawers: Drawers) -> None:
    svgs = [each.result() for each in drawers.svgs(specification_of(figure) for figure in FIGURES)]
    assert [svg.decode() for svg in svgs] == [draw_svg(figure) for figure in FIGURES]
    assert [each.result() for each in drawers.pngs(svgs[:2])] == [draw_png(svg.decode()) for svg in svgs[:2]]


def test_what_cannot_be_drawn_is_told_and_the_others_are_drawn(drawers: Drawers) -> None:
    good = specification_of(FIGURES[0])
    odd = {**good, "mark": "no such mark", "layer": None}
    asked = drawers.svgs([good, odd, good, odd, good])
    for number, each in enumerate(asked):
        if number % 2:
            with pytest.raises(DrawingError, match="Error: "):
                each.result()
        else:
            assert each.result().decode() == draw_svg(FIGURES[0])


def test_a_chart_is_the_same_bytes_whatever_was_drawn_before(drawers: Drawers) -> None:
    clipped = {
        "data": {"values": [{"x": 1, "y": 1}, {"x": 2, "y": 3}]},
        "mark": {"type": "line", "clip": True},
        "encoding": {each: {"field": each, "type": "quantitative"} for each in "xy"},
    }
    first, *others = [each.result() for each in drawers.svgs([clipped] * (2 * DRAWERS_MAX + 1))]
    assert b"url(#n" in first
    assert set(others) == {first}


def test_a_chart_that_was_begun_is_drawn_once(drawers: Drawers, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bytes] = []
    draw = Drawers._draw

    def counted(self: Drawers, kind: bytes, content: bytes) -> bytes:
        drawn.append(content)
        return draw(self, kind, content)

    monkeypatch.setattr(Drawers, "_draw", counted)
    first, second = map(specification_of, FIGURES[:2])
    drawers.begin(first)
    svgs = [each.result().decode() for each in drawers.svgs([second, first])]
    assert svgs == [draw_svg(FIGURES[1]), draw_svg(FIGURES[0])]
    assert len(drawn) == len(set(drawn)) == len(svgs)


def children() -> set[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, check=True)
    return {int(number) for number in listed.stdout.split()}


def test_a_process_that_dies_is_told_and_nobody_waits_for_it() -> None:
    before = children()
    with Drawers() as drawers:
        for process in drawers.processes:
            os.kill(process, signal.SIGKILL)
        with pytest.raises(OutputError, match="exited before its image was complete"):
            _ = [each.result() for each in drawers.svgs(specification_of(figure) for figure in FIGURES)]
    assert len(drawers.processes) <= DRAWERS_MAX
    assert not children() & set(drawers.processes) - before


@pytest.mark.parametrize(("cpus", "with_pngs", "number"), [(1, True, 1), (2, False, 1), (2, True, 2), (8, False, 2)])
def test_a_cpu_is_left_to_the_caller_unless_pngs_are_made(
    cpus: int, number: int, monkeypatch: pytest.MonkeyPatch, *, with_pngs: bool
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cpus)))
    with Drawers(with_pngs=with_pngs) as drawers:
        assert len(drawers.processes) == number


def test_a_process_that_cannot_be_started_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        pytest.raises(OutputError, match="cannot start a process to render charts: No such file") as refused,
        Drawers(),
    ):
        pass
    assert refused.value.hint == "make sure that this user may run /nowhere/python"


def test_a_process_that_draws_ends_when_nobody_asks_any_more() -> None:
    command = [sys.executable, "-m", "iosonde.report.drawing"]
    ended = subprocess.run(command, input=b"", capture_output=True, timeout=60, check=True)
    assert ended.stdout == ended.stderr == b""
