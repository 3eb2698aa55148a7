"""Converts blocks to data for the Typst template: one function, and one setter in the template, for each kind."""

from functools import singledispatch
from typing import Any, Final

from iosonde.charts.figure import Figure
from iosonde.findings.finding import Finding
from iosonde.report.blocks import (
    Answers,
    Cards,
    FactGroup,
    Glance,
    Key,
    Leaf,
    Listing,
    Notice,
    Paragraph,
    Terms,
    left_out_text,
    nothing_text,
)
from iosonde.report.display import figure_text
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.tables import ResultTable

EVIDENCE_MAX: Final = 3
CELLS_MAX: Final = 6
"""The most cells of a finding in the PDF. The HTML page names all of them."""


@singledispatch
def paper_block(block: Leaf) -> dict[str, Any]:
    """The data of a block for the template's setter of its ``kind``."""
    raise AssertionError(block)


@paper_block.register
def _(block: Paragraph) -> dict[str, Any]:
    return {"kind": "paragraph", "text": block.text}


@paper_block.register
def _(block: Answers) -> dict[str, Any]:
    return {"kind": "answers", "sentences": block.sentences}


@paper_block.register
def _(block: Glance) -> dict[str, Any]:
    findings = [{"id": each.id, "severity": each.severity.value} for each in block.findings]
    return {"kind": "glance", "title": block.title, "findings": findings}


@paper_block.register
def _(block: Cards) -> dict[str, Any]:
    return {"kind": "cards", "groups": [_group(group) for group in block.groups]}


@paper_block.register
def _(block: Finding) -> dict[str, Any]:
    return {
        "kind": "finding",
        "id": block.id,
        "severity": block.severity.value,
        "confidence": block.confidence.value,
        "statement": block.statement,
        "evidence": block.evidence[:EVIDENCE_MAX],
        "more": max(len(block.evidence) - EVIDENCE_MAX, 0),
        "advice": block.advice,
        "deciding-test": block.deciding_test,
        "cells": block.cells[:CELLS_MAX],
        "more-cells": max(len(block.cells) - CELLS_MAX, 0),
    }


@paper_block.register
def _(block: Figure) -> dict[str, Any]:
    return {
        "kind": "chart",
        "id": block.id,
        "title": block.title,
        "drawn": block.chart is not None,
        "empty": nothing_text(block),
        "failed": bool(block.failure),
        "caption": block.caption,
        "left-out": left_out_text(block),
    }


@paper_block.register
def _(block: ResultTable) -> dict[str, Any]:
    return {
        "kind": "table",
        "caption": block.caption_alone,
        "heads": [{"name": head.name, "unit": head.unit, "number": head.number} for head in block.heads],
        "lines": [{"texts": line.texts, "gap": line.gap_text, "invalid": line.invalid} for line in block.lines],
        "notes": block.notes,
    }


@paper_block.register
def _(block: Listing) -> dict[str, Any]:
    return {"kind": "listing", "title": block.heading}


@paper_block.register
def _(block: Key) -> dict[str, Any]:
    return {"kind": "key", "units": block.units, "signs": block.signs}


@paper_block.register
def _(block: Notice) -> dict[str, Any]:
    return {"kind": "notice", "sentence": block.sentence}


@paper_block.register
def _(block: FactGroup) -> dict[str, Any]:
    return {"kind": "facts", "title": block.title, "facts": block.facts}


@paper_block.register
def _(block: Terms) -> dict[str, Any]:
    return {"kind": "terms", "pairs": block.pairs}


def _group(group: HeadlineGroup) -> dict[str, Any]:
    figures = []
    for figure in group.figures:
        text = figure_text(figure)
        figures.append(
            {
                "name": "" if figure.is_implied else figure.name,
                "value": text.value,
                "unit": text.unit,
                "spread": text.spread,
                "sign": text.sign,
                "why": text.why,
            }
        )
    return {
        "name": group.name,
        "where": group.where_text,
        "missing": group.missing_text,
        "figures": figures,
        "doubted-by": group.doubted_by,
        "invalid-by": group.invalid_by,
        "cell": group.cell,
    }
