"""The HTML page: a single file that contains the chart library and works offline."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from itertools import takewhile
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.finding import Finding
from iosonde.printing import printable
from iosonde.report.blocks import (
    Answers,
    Block,
    Cards,
    Chapter,
    Charts,
    FactGroup,
    FactGroups,
    Folded,
    Glance,
    Key,
    Leaf,
    Listing,
    Notice,
    Paragraph,
    Terms,
    block_name,
    left_out_text,
    nothing_text,
)
from iosonde.report.brand import Brand
from iosonde.report.chart_sizes import lone_chart, specifications_of
from iosonde.report.display import figure_text, unbroken
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.page import Page
from iosonde.report.tables import ResultTable

LIBRARY = "vega-bundle.js"
"""Vega, Vega-Lite and Vega-Embed as vl-convert bundles them. It is a file because bundling takes two seconds.

A test compares it with the bundle of the installed vl-convert, and says how to update it.
"""


EVIDENCE_OPEN_MAX: Final = 3
"""The number of evidence rows of a finding that are shown without unfolding."""

FACTS_OPEN_MAX: Final = 9
"""The number of facts of a group that are shown without unfolding."""

_MACROS: Final[dict[type[Block | HeadlineGroup], str]] = {
    Answers: "answers",
    Cards: "cards",
    Charts: "charts",
    FactGroup: "facts",
    FactGroups: "fact_groups",
    Figure: "chart",
    Finding: "finding",
    Folded: "folded",
    Glance: "glance",
    HeadlineGroup: "headline_card",
    Key: "key",
    Listing: "listing",
    Notice: "notice",
    Paragraph: "paragraph",
    ResultTable: "results",
    Terms: "terms",
}
"""The macro in ``parts.html.j2`` that renders each kind of block."""


@dataclass(frozen=True)
class _LaidOut:
    """The parts of a chapter on the page: answers and notices (``above``), the lead, text, then all other blocks.

    ``picture`` is the only chart of the chapter, placed beside the text; None if the chapter has none or several.
    """

    chapter: Chapter
    above: tuple[Block, ...]
    words: tuple[Block, ...]
    picture: Figure | None
    below: tuple[Block, ...]

    @property
    def captions(self) -> tuple[Figure, ...]:
        """The charts whose captions need a separate fold, because the chapter has no fold of tables."""
        folded = any(isinstance(block, Folded) for block in self.below)
        return () if folded else drawn_in(self.chapter)


def render_html(page: Page, failures: FailureLog = STRICT, stills: Mapping[str, str] | None = None) -> str:
    """The whole report as one HTML document. A notice replaces each part that fails; ``failures`` records it.

    ``stills`` are the charts as SVG, by id. The page shows them until a script has drawn the charts, or if none runs.
    """
    specifications = {
        name: embedded_json(json.dumps(each, separators=(",", ":"))) for name, each in specifications_of(page)
    }
    library, starter = _static(LIBRARY), _static("report.js")
    style = _static("report.css") + _printed_brands(page.brands)
    first, *others = map(_laid_out, page.chapters)
    return (
        _environment(failures, stills or {}, page.all_of(Finding))
        .get_template("report.html.j2")
        .render(
            page=page,
            first=first,
            others=others,
            specs=specifications,
            style=Markup(style),  # noqa: S704 - our own file
            style_hash=_hash(style),
            library=Markup(library),  # noqa: S704 - our own file
            starter=Markup(starter),  # noqa: S704 - our own file
            script_hashes=[_hash(library), _hash(starter)],
        )
    )


def drawn_in(chapter: Chapter) -> tuple[Figure, ...]:
    """The charts of a chapter that draw something."""
    return tuple(figure for figure in chapter.all_of(Figure) if figure.chart is not None)


def _laid_out(chapter: Chapter) -> _LaidOut:
    above = tuple(takewhile(lambda block: isinstance(block, Answers | Notice), chapter.blocks))
    rest = chapter.blocks[len(above) :]
    words = tuple(takewhile(lambda block: isinstance(block, Glance | Paragraph), rest))
    rest = rest[len(words) :]
    alone = lone_chart(chapter)
    if alone is not None:
        rest = tuple(block for block in rest if alone not in (block, *getattr(block, "figures", ())))
    return _LaidOut(chapter, above, words, alone, rest)


def bare_html(sentence: str) -> str:
    """The page with only this sentence, used when the report itself failed."""
    head = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>iosonde report</title></head>\n'
    return f"{head}<body><h1>iosonde report</h1>{_notice(sentence)}</body>\n</html>\n"


def embedded_json(text: str) -> Markup:
    """JSON that is safe inside a script element.

    ``<``, ``>`` and ``&`` become escapes, so that no string can end the element. A JSON parser restores them.
    """
    escaped = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(escaped)  # noqa: S704 - escaped above


def _notice(sentence: str) -> Markup:
    """The notice that replaces a part that failed."""
    return Markup('<p class="failed" role="note">{}</p>').format(sentence)


def _printed_brands(brands: Sequence[Brand]) -> str:
    """A style that repeats the brands in the margin of every printed page. The words are constants, so safe in CSS."""
    words = ", ".join(brand.word.upper() for brand in brands)
    return f'@page {{ @top-right {{ content: "{words}"; font: 700 9pt sans-serif; }} }}' if words else ""


def _environment(failures: FailureLog, stills: Mapping[str, str], findings: Sequence[Finding]) -> Environment:
    environment = Environment(
        loader=PackageLoader("iosonde.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "figure_text": figure_text,
        "left_out_text": left_out_text,
        "nothing_text": nothing_text,
        "printable": printable,
        "unbroken": unbroken,
    }
    anchors = _anchors(findings)
    environment.globals |= {
        "anchor_of": anchors.__getitem__,
        "evidence_open_max": EVIDENCE_OPEN_MAX,
        "facts_open_max": FACTS_OPEN_MAX,
        "notice_of": _notice,
        "stills": {name: Markup(svg) for name, svg in stills.items()},  # noqa: S704 - drawn by ourselves
        "told": _teller(environment, failures),
    }
    return environment


def _anchors(findings: Sequence[Finding]) -> dict[Finding, str]:
    """The anchor of each finding. Of several with one id, the first has the plain anchor, to which other parts link."""
    anchors: dict[Finding, str] = {}
    for each in findings:
        taken = sum(other.id == each.id for other in anchors)
        anchors.setdefault(each, f"finding-{each.id}" if not taken else f"finding-{each.id}-{taken + 1}")
    return anchors


def _teller(environment: Environment, failures: FailureLog) -> Callable[..., Markup]:
    """A function that renders a block with its macro. ``title`` is the chapter's. A notice replaces a failed block."""

    def told(block: Block | HeadlineGroup, title: str = "", chapter: Chapter | None = None) -> Markup:
        macro: Callable[..., Markup] = getattr(environment.get_template("parts.html.j2").module, _MACROS[type(block)])
        if isinstance(block, Cards | Charts | FactGroups | Folded):
            # The blocks inside are rendered by this function again, so each fails separately.
            figures = () if chapter is None else drawn_in(chapter)
            return macro(block, title, figures) if isinstance(block, Folded) else macro(block)
        shown: tuple[Any, ...] = (block, title) if isinstance(block, ResultTable) else (block,)
        return failures.attempt(_name(block, title), lambda: macro(*shown), lambda failure: _notice(failure.sentence))

    return told


def _name(block: Leaf | HeadlineGroup, title: str) -> str:
    """The name of a block in the notice that it could not be laid out."""
    if isinstance(block, HeadlineGroup):
        return f'the card "{block.name}"'
    return f'the table of "{title}"' if isinstance(block, ResultTable) else block_name(block)


def _static(name: str) -> str:
    return files("iosonde.report").joinpath("static", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash with which the page's content security policy allows this script or style."""
    return b64encode(sha256(script.encode()).digest()).decode()
