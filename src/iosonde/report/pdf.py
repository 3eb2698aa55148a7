"""The PDF report, typeset by Typst. The same run gives the same bytes on every machine."""

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.charts.theme import HEIGHT_MIN
from iosonde.errors import HINT_PROCESSES, OutputError
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.report.blocks import Chapter, Charts, FactGroups, Folded, Leaf, Notice, block_name
from iosonde.report.chart_sizes import PAPER_ROW_MAX, PAPER_WIDTHS_PX, ChartSize, paper_sizes
from iosonde.report.display import unbroken
from iosonde.report.drawing import Drawers
from iosonde.report.fonts_folder import FAMILY, drawable, fonts_folder
from iosonde.report.images import draw_pictures, picture_of, size_px
from iosonde.report.page import Page
from iosonde.report.paper_blocks import paper_block
from iosonde.report.procedures import procedure_charts
from iosonde.vocabulary import Paper

RAISED_BY_TYPST: Final = "⁰⁶⁹⁻"
"""Superscripts that the font lacks. The template raises the normal characters instead."""

RUNNING_LENGTH_MAX: Final = 70
"""The most characters of the name at the top of each page. A longer name is cut in the middle."""

GRAVE_BRANDS: Final = frozenset({"debug engine", "null target"})


def render_pdf(page: Page, drawers: Drawers, paper: Paper = Paper.A4, failures: FailureLog = STRICT) -> bytes:
    """The whole report as one PDF file. A notice replaces each part that fails; ``failures`` records it."""
    sizes = paper_sizes(page)

    drawn = draw_pictures(page, drawers, failures, lambda figure: _placed(figure, sizes[figure.id]), with_pngs=False)
    data = _shown(paper_data(drawn.page, paper, drawn.svgs, failures))
    _check_threads(len(os.sched_getaffinity(0)))
    with fonts_folder() as folder:
        typeset = partial(_typeset, charts=drawn.svgs, fonts=folder)
        try:
            return typeset(data)
        except RuntimeError as error:
            return typeset(_without_broken(data, typeset, error, failures))


def begin_drawing(analysis: RunAnalysis, drawers: Drawers) -> dict[str, Figure]:
    """Builds the charts of procedures and starts rendering them, in the size for a chapter with several rows.

    Rendering takes as long as the findings, and needs none of them. Returns the charts by id, for ``evaluated``.
    """
    begun: dict[str, Figure] = {}

    def begin() -> None:
        for charts in procedure_charts(analysis):
            for row in charts.rows_of(PAPER_ROW_MAX):
                size = ChartSize(PAPER_WIDTHS_PX[len(row)], HEIGHT_MIN)
                for figure in row:
                    if figure.chart is not None:
                        drawers.begin(_placed(figure, size))
                        begun[figure.id] = figure

    # The page tries again what fails here, and reports it.
    FailureLog().attempt("the charts of the procedures", begin, lambda _: None)
    return begun


def _placed(figure: Figure, size: ChartSize) -> dict[str, Any]:
    return picture_of(size.lowered(figure.specification), size.width_px)


def _check_threads(number: int) -> None:
    """Raises OutputError if so many threads cannot be started. Typst starts one for each CPU, and would panic."""
    end = Event()
    threads = [Thread(target=end.wait) for _ in range(number)]
    try:
        for each in threads:
            each.start()
    except RuntimeError as error:
        raise OutputError("cannot start another thread to typeset the PDF", HINT_PROCESSES) from error
    finally:
        end.set()
        for each in threads:
            if each.ident is not None:
                each.join()


def _typeset(data: Mapping[str, Any], charts: Mapping[str, str], fonts: Path) -> bytes:
    """Typesets the data as a PDF. Raises RuntimeError if Typst fails."""
    import typst

    return typst.compile(
        files("iosonde.report").joinpath("templates", "report.typ").read_bytes(),
        font_paths=typst.Fonts(include_system_fonts=False, font_paths=[str(fonts)]),
        ignore_system_fonts=True,
        format="pdf",
        sys_inputs={
            "data": json.dumps(data),
            **{f"chart-{identity}": svg for identity, svg in charts.items()},
        },
        timestamp=0,
    )


def _without_broken(
    data: dict[str, Any], typeset: Callable[[Mapping[str, Any]], bytes], whole: RuntimeError, failures: FailureLog
) -> dict[str, Any]:
    """The data with a notice instead of each part that Typst cannot typeset.

    Typst makes all pages or none, so each part is tried alone. That is slow, and needed only after a failure.
    """

    def kept(chapter: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
        if part["kind"] == "charts":
            return {**part, "rows": [[kept(chapter, each) for each in row] for row in part["rows"]]}
        try:
            typeset({**data, "anchors": [], "chapters": [{**chapter, "lead": [], "parts": [part]}]})
        except RuntimeError as error:
            name = part.get("title") or part.get("id") or part["kind"]
            failure = failures.note(f'the part "{name}" of "{chapter["title"]}"', error)
            notice: dict[str, Any] = _shown(_failed(failure))
            return notice
        return part

    chapters = [
        {**chapter, "parts": [kept(chapter, part) for part in chapter["parts"]]} for chapter in data["chapters"]
    ]
    if chapters == data["chapters"]:
        raise whole
    anchors = [part["id"] for chapter in chapters for part in chapter["parts"] if part["kind"] == "finding"]
    return {**data, "chapters": chapters, "anchors": sorted(set(anchors))}


def paper_data(page: Page, paper: Paper, charts: Mapping[str, str], failures: FailureLog = STRICT) -> dict[str, Any]:
    """The content of the report as data for the Typst template. ``charts`` are the drawn charts as SVG, by id."""
    brands = [
        {"word": each.word, "sentence": each.sentence, "grave": each.word in GRAVE_BRANDS} for each in page.brands
    ]
    anchored: set[str] = set()
    chapters = [_chapter(each, charts, anchored, failures) for each in page.chapters]
    return {
        "paper": "a4" if paper is Paper.A4 else "us-letter",
        "font": FAMILY,
        "chart-width": PAPER_WIDTHS_PX[1],
        "title": "".join(f"[{brand.word}] " for brand in page.brands) + f"iosonde: {page.target}",
        "targets": page.targets,
        "running": shortened(page.target),
        "foot": page.foot,
        "brands": brands,
        "identity": page.identity_pairs,
        "anchors": sorted(anchored),
        "chapters": chapters,
        "headers": [{"chapter": each.chapter, "columns": each.columns} for each in page.headers],
    }


def shortened(text: str) -> str:
    """The text, cut in the middle if it is too long for one line."""
    if len(text) <= RUNNING_LENGTH_MAX:
        return text
    half = (RUNNING_LENGTH_MAX - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _shown(value: Any) -> Any:  # noqa: ANN401 - any part of the data
    """The data with drawable text, and with each number kept on one line with its unit."""
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return unbroken(drawable(value, RAISED_BY_TYPST)) if isinstance(value, str) else value


def _chapter(chapter: Chapter, charts: Mapping[str, str], anchored: set[str], failures: FailureLog) -> dict[str, Any]:
    """A chapter as data. ``anchored`` are the ids of findings that have an anchor; the chapter adds its own."""

    def part_of(block: Leaf) -> dict[str, Any]:
        part = failures.attempt(block_name(block), partial(_whole_part, block, charts), _failed)
        if part["kind"] == "finding":
            # Typst reports an error for a duplicate label.
            part["anchored"] = part["id"] not in anchored
            anchored.add(part["id"])
        return part

    parts: list[dict[str, Any]] = []
    for block in chapter.blocks:
        if isinstance(block, Charts):
            rows = [[part_of(figure) for figure in row] for row in block.rows_of(PAPER_ROW_MAX)]
            parts.append({"kind": "charts", "rows": rows})
        elif isinstance(block, FactGroups):
            parts.append({"kind": "fact-groups", "groups": [part_of(group) for group in block.groups]})
        elif isinstance(block, Folded):
            parts += map(part_of, block.blocks if block.on_paper else ())
        else:
            parts.append(part_of(block))
    return {"id": chapter.id, "title": chapter.title, "lead": chapter.lead, "parts": parts}


def _whole_part(block: Leaf, charts: Mapping[str, str]) -> dict[str, Any]:
    data = paper_block(block)
    if isinstance(block, Figure) and block.id in charts:
        data["width"], data["height"] = size_px(charts[block.id])
    return data


def _failed(failure: PartFailure) -> dict[str, Any]:
    return paper_block(Notice(failure.sentence))
