"""The report on paper: the page's chapters, typeset by Typst. The same run gives the same bytes on every machine."""

import json
from collections.abc import Mapping
from functools import singledispatch
from importlib.resources import files
from typing import Any, Final

from iosonde.charts.figure import Figure
from iosonde.findings.model import Finding
from iosonde.report.chapters import (
    Answers,
    Cards,
    Chapter,
    Glance,
    Part,
    Terms,
    Titled,
    chapters_of,
    identity_pairs,
    left_out_text,
)
from iosonde.report.display import figure_text
from iosonde.report.drawing import Drawers
from iosonde.report.facts import FactGroup
from iosonde.report.headline import HeadlineGroup
from iosonde.report.html import unbroken
from iosonde.report.images import WIDTH_PX, drawn_figures, size_px, specification_of
from iosonde.report.lettering import FAMILY, drawable, fonts_folder
from iosonde.report.page import Page
from iosonde.report.result_tables import ResultTable
from iosonde.vocabulary import Paper

RUNNING_LENGTH_MAX: Final = 70
"""A longer name loses its middle where it stands on top of every page."""

GRAVE_BRANDS: Final = frozenset({"debug engine", "null target", "simulated"})
IMPLIED_NAMES: Final = frozenset({"best", "rate"})


def render_pdf(page: Page, drawers: Drawers, paper: Paper = Paper.A4) -> bytes:
    """The whole report as one PDF file."""
    import typst

    figures = drawn_figures(page)
    svgs = drawers.svgs(specification_of(figure) for figure in figures)
    charts = {figure.id: svg for figure, svg in zip(figures, svgs, strict=True)}
    with fonts_folder() as folder:
        return typst.compile(
            files("iosonde.report").joinpath("templates", "report.typ").read_bytes(),
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=[str(folder)]),
            ignore_system_fonts=True,
            format="pdf",
            sys_inputs={
                "data": json.dumps(_shown(paper_data(page, paper, charts))),
                **{f"chart-{identity}": svg for identity, svg in charts.items()},
            },
            timestamp=0,
        )


def paper_data(page: Page, paper: Paper, charts: Mapping[str, str]) -> dict[str, Any]:
    """All that the pages say, for the Typst template. ``charts`` are the drawn ones as SVG, by id."""
    brands = [
        {"word": each.word, "sentence": each.sentence, "grave": each.word in GRAVE_BRANDS} for each in page.brands
    ]
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
        "anchors": sorted({finding.id for finding in page.findings}),
        "chapters": [_chapter(each, charts) for each in chapters_of(page)],
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


def _chapter(chapter: Chapter, charts: Mapping[str, str]) -> dict[str, Any]:
    parts, anchored = [], set[str]()
    for each in chapter.parts:
        part = _part(each)
        if isinstance(each, Finding):
            # A label that stood twice would be an error.
            part["anchored"] = each.id not in anchored
            anchored.add(each.id)
        if isinstance(each, Figure) and each.id in charts:
            part["width"], part["height"] = size_px(charts[each.id])
        parts.append(part)
    return {
        "id": chapter.id,
        "title": chapter.title,
        "lead": chapter.lead,
        "sentences": chapter.sentences,
        "parts": parts,
    }


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
        "empty": part.nothing,
        "caption": part.caption,
        "left-out": left_out_text(part),
    }


@_part.register
def _(part: ResultTable) -> dict[str, Any]:
    return {
        "kind": "table",
        "caption": part.caption,
        "heads": [{"name": head.name, "unit": head.unit, "number": head.number} for head in part.heads],
        "lines": [{"texts": line.texts, "gap": line.gap} for line in part.lines],
        "notes": part.notes,
    }


@_part.register
def _(part: Titled) -> dict[str, Any]:
    return {"kind": "titled", "title": part.title, "table": _part(part.table)}


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
        "where": f"best, at {group.where}" if best else group.where,
        "missing": group.missing,
        "figures": figures,
        "doubted-by": group.doubted_by,
        "cell": group.cell,
    }
