"""The page: one file that opens offline, with the chart library inside and nothing fetched from anywhere."""

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
"""Vega, Vega-Lite and Vega-Embed as vl-convert bundles them; kept as a file because bundling takes two seconds.

A test holds it equal to what the installed vl-convert gives, and says how to renew it.
"""


EVIDENCE_OPEN_MAX: Final = 3
"""So much of the evidence of a finding is seen without unfolding it."""

FACTS_OPEN_MAX: Final = 9
"""So many facts of a group are seen without unfolding the others."""

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
"""The macro of ``parts.html.j2`` that lays a block out."""


@dataclass(frozen=True)
class _LaidOut:
    """A chapter as the page has it: words, then charts, then all else; the lead is below the answers and notices.

    A chart that is alone is next to the words.
    """

    chapter: Chapter
    above: tuple[Block, ...]
    words: tuple[Block, ...]
    picture: Figure | None
    below: tuple[Block, ...]

    @property
    def captions(self) -> tuple[Figure, ...]:
        """The charts whose captions are in no fold of tables: they have a fold of their own."""
        folded = any(isinstance(block, Folded) for block in self.below)
        return () if folded else drawn_in(self.chapter)


def render_html(page: Page, failures: FailureLog = STRICT, stills: Mapping[str, str] | None = None) -> str:
    """The whole report as one HTML document. What fails stands in its place, and in ``failures``.

    ``stills`` are the charts as SVG, by id: they are there without scripts, and until a script has drawn the same.
    """
    specifications = {
        name: embedded_json(json.dumps(each, separators=(",", ":"))) for name, each in specifications_of(page)
    }
    library, starter = _static(LIBRARY), _static("report.js")
    style = _static("report.css") + _printed_brands(page.brands)
    first, *others = map(_laid_out, page.chapters)
    return (
        _environment(failures, stills or {})
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
    """The charts of a chapter that draw something: there is something to read."""
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
    """The page of a report of which nothing else could be made."""
    head = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>iosonde report</title></head>\n'
    return f"{head}<body><h1>iosonde report</h1>{_notice(sentence)}</body>\n</html>\n"


def embedded_json(text: str) -> Markup:
    """JSON that can stand inside a script element, whatever its strings hold.

    ``<``, ``>`` and ``&`` are written as escapes, so no string can end the element; JSON reads them back unchanged.
    """
    escaped = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(escaped)  # noqa: S704 - escaped above


def _notice(sentence: str) -> Markup:
    """What stands in the place of something that could not be made."""
    return Markup('<p class="failed" role="note">{}</p>').format(sentence)


def _printed_brands(brands: Sequence[Brand]) -> str:
    """The brands once more, in the margin of every printed page. Their words are our own."""
    words = ", ".join(brand.word.upper() for brand in brands)
    return f'@page {{ @top-right {{ content: "{words}"; font: 700 9pt sans-serif; }} }}' if words else ""


def _environment(failures: FailureLog, stills: Mapping[str, str]) -> Environment:
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
    environment.globals |= {
        "evidence_open_max": EVIDENCE_OPEN_MAX,
        "facts_open_max": FACTS_OPEN_MAX,
        "notice_of": _notice,
        "stills": {name: Markup(svg) for name, svg in stills.items()},  # noqa: S704 - drawn by ourselves
        "told": _teller(environment, failures),
    }
    return environment


def _teller(environment: Environment, failures: FailureLog) -> Callable[..., Markup]:
    """What lays a block out by its macro; ``title`` is that of its chapter. A block that fails costs its own place."""

    def told(block: Block | HeadlineGroup, title: str = "", chapter: Chapter | None = None) -> Markup:
        macro: Callable[..., Markup] = getattr(environment.get_template("parts.html.j2").module, _MACROS[type(block)])
        if isinstance(block, Cards | Charts | FactGroups | Folded):
            # What they hold fails on its own.
            figures = () if chapter is None else drawn_in(chapter)
            return macro(block, title, figures) if isinstance(block, Folded) else macro(block)
        shown: tuple[Any, ...] = (block, title) if isinstance(block, ResultTable) else (block,)
        return failures.attempt(_name(block, title), lambda: macro(*shown), lambda failure: _notice(failure.sentence))

    return told


def _name(block: Leaf | HeadlineGroup, title: str) -> str:
    """What a block is called where it could not be laid out."""
    if isinstance(block, HeadlineGroup):
        return f'the card "{block.name}"'
    return f'the table of "{title}"' if isinstance(block, ResultTable) else block_name(block)


def _static(name: str) -> str:
    return files("iosonde.report").joinpath("static", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash by which the page's own policy lets this script or style apply, and no other."""
    return b64encode(sha256(script.encode()).digest()).decode()
