"""The report on paper: the page's chapters, typeset by Typst. The same run gives the same bytes on every machine."""

import json
from collections.abc import Callable, Mapping
from functools import partial, singledispatch
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.findings.finding import Finding
from iosonde.report.chapters import (
    Answers,
    Cards,
    Chapter,
    Glance,
    Notice,
    Part,
    Terms,
    Titled,
    chapters_of,
    identity_pairs,
    left_out_text,
    nothing_text,
    part_name,
)
from iosonde.report.display import figure_text
from iosonde.report.drawing import Drawers
from iosonde.report.facts import FactGroup
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.html import unbroken
from iosonde.report.images import WIDTH_PX, draw_pictures, size_px
from iosonde.report.lettering import FAMILY, drawable, fonts_folder
from iosonde.report.page import Page
from iosonde.report.result_tables import ResultTable
from iosonde.vocabulary import Paper

RUNNING_LENGTH_MAX: Final = 70
"""A longer name loses its middle where it stands on top of every page."""

GRAVE_BRANDS: Final = frozenset({"debug engine", "null target", "simulated"})
IMPLIED_NAMES: Final = frozenset({"best", "rate"})


def render_pdf(page: Page, drawers: Drawers, paper: Paper = Paper.A4, failures: FailureLog = STRICT) -> bytes:
    """The whole report as one PDF file. What fails stands in its place, and in ``failures``."""
    drawn = draw_pictures(page, drawers, failures, with_pngs=False)
    data = _shown(paper_data(drawn.page, paper, drawn.svgs, failures))
    with fonts_folder() as folder:
        typeset = partial(_typeset, charts=drawn.svgs, fonts=folder)
        try:
            return typeset(data)
        except RuntimeError as error:
            return typeset(_without_broken(data, typeset, error, failures))


def _typeset(data: Mapping[str, Any], charts: Mapping[str, str], fonts: Path) -> bytes:
    """The pages that Typst makes of the data. Raises RuntimeError where it can't."""
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
    """The data without the parts that can't be typeset by themselves, and with what stands in their place.

    Typst gives all pages or none, so that each part is tried alone; that takes long, and happens only then.
    """

    def kept(chapter: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
        try:
            typeset({**data, "anchors": [], "chapters": [{**chapter, "lead": "", "sentences": [], "parts": [part]}]})
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
    """All that the pages say, for the Typst template. ``charts`` are the drawn ones as SVG, by id."""
    brands = [
        {"word": each.word, "sentence": each.sentence, "grave": each.word in GRAVE_BRANDS} for each in page.brands
    ]
    chapters = [_chapter(each, charts, failures) for each in chapters_of(page)]
    return {
        "paper": "a4" if paper is Paper.A4 else "us-letter",
        "font": FAMILY,
        "chart-width": WIDTH_PX,
        "title": "".join(f"[{brand.word}] " for brand in page.brands) + f"iosonde: {page.target}",
        "targets": page.targets,
        "running": shortened(page.target),
        "run": page.run,
        "brands": brands,
        "identity": identity_pairs(page),
        "anchors": sorted({part["id"] for each in chapters for part in each["parts"] if part["kind"] == "finding"}),
        "chapters": chapters,
    }


def shortened(text: str) -> str:
    """The text, without its middle where it is too long for one line."""
    if len(text) <= RUNNING_LENGTH_MAX:
        return text
    half = (RUNNING_LENGTH_MAX - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _shown(value: Any) -> Any:  # noqa: ANN401 - any part of the data
    """The data with every text as it can be printed, each number on one line with its unit."""
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return unbroken(drawable(value)) if isinstance(value, str) else value


def _chapter(chapter: Chapter, charts: Mapping[str, str], failures: FailureLog) -> dict[str, Any]:
    parts, anchored = [], set[str]()
    for each in chapter.parts:
        part = failures.attempt(part_name(each), partial(_whole_part, each, charts), _failed)
        if part["kind"] == "finding":
            # A label that stood twice would be an error.
            part["anchored"] = part["id"] not in anchored
            anchored.add(part["id"])
        parts.append(part)
    return {
        "id": chapter.id,
        "title": chapter.title,
        "lead": chapter.lead,
        "sentences": chapter.sentences,
        "parts": parts,
    }


def _whole_part(part: Part, charts: Mapping[str, str]) -> dict[str, Any]:
    data = _part(part)
    if isinstance(part, Figure) and part.id in charts:
        data["width"], data["height"] = size_px(charts[part.id])
    return data


def _failed(failure: PartFailure) -> dict[str, Any]:
    return _part(Notice(failure.sentence))


@singledispatch
def _part(part: Part) -> dict[str, Any]:
    raise AssertionError(part)


@_part.register
def _(part: Answers) -> dict[str, Any]:
    return {"kind": "answers", "sentences": part.sentences}


@_part.register
def _(part: Glance) -> dict[str, Any]:
    findings = [{"id": each.id, "severity": each.severity.value} for each in part.findings]
    return {"kind": "glance", "title": part.title, "findings": findings}


@_part.register
def _(part: Cards) -> dict[str, Any]:
    return {"kind": "cards", "groups": [_group(group) for group in part.groups]}


@_part.register
def _(part: Finding) -> dict[str, Any]:
    return {
        "kind": "finding",
        "id": part.id,
        "severity": part.severity.value,
        "confidence": part.confidence.value,
        "statement": part.statement,
        "evidence": part.evidence,
        "advice": part.advice,
        "deciding-test": part.deciding_test,
        "cells": part.cells,
    }


@_part.register
def _(part: Figure) -> dict[str, Any]:
    return {
        "kind": "chart",
        "id": part.id,
        "title": part.title,
        "drawn": part.chart is not None,
        "empty": nothing_text(part),
        "failed": bool(part.failure),
        "caption": part.caption,
        "left-out": left_out_text(part),
    }


@_part.register
def _(part: ResultTable) -> dict[str, Any]:
    return {
        "kind": "table",
        "caption": part.caption,
        "heads": [{"name": head.name, "unit": head.unit, "number": head.number} for head in part.heads],
        "lines": [{"texts": line.texts, "gap": line.gap, "invalid": line.invalid} for line in part.lines],
        "notes": part.notes,
    }


@_part.register
def _(part: Titled) -> dict[str, Any]:
    return {"kind": "titled", "title": part.title, "table": _part(part.table)}


@_part.register
def _(part: Notice) -> dict[str, Any]:
    return {"kind": "notice", "sentence": part.sentence}


@_part.register
def _(part: FactGroup) -> dict[str, Any]:
    return {"kind": "facts", "title": part.title, "facts": part.facts}


@_part.register
def _(part: Terms) -> dict[str, Any]:
    return {"kind": "terms", "pairs": part.pairs}


def _group(group: HeadlineGroup) -> dict[str, Any]:
    figures = []
    for figure in group.figures:
        text = figure_text(figure)
        figures.append(
            {
                "name": "" if figure.name in IMPLIED_NAMES else figure.name,
                "value": text.value,
                "unit": text.unit,
                "spread": text.spread,
                "spread-kind": text.spread_kind,
                "base": text.base,
            }
        )
    best = bool(group.figures) and group.figures[0].name == "best"
    return {
        "name": group.name,
        "where": f"highest measured, at {group.where}" if best else group.where,
        "missing": group.missing,
        "figures": figures,
        "doubted-by": group.doubted_by,
        "invalid-by": group.invalid_by,
        "cell": group.cell,
    }
