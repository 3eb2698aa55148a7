"""The page: one file that opens offline, with the chart library inside and nothing fetched from anywhere."""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog
from iosonde.printing import printable
from iosonde.report.brand import Brand
from iosonde.report.chapters import nothing_found
from iosonde.report.display import figure_text
from iosonde.report.page import Page

_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMGT]iB|[kMGT]?B|[MG]B/s|ns|us|ms|s|IOPS|commits/s)\b|%)")

LIBRARY = "vega-bundle.js"
"""Vega, Vega-Lite and Vega-Embed as vl-convert bundles them; kept as a file because bundling takes two seconds.

A test holds it equal to what the installed vl-convert gives, and says how to renew it.
"""


def render_html(page: Page, failures: FailureLog = STRICT) -> str:
    """The whole report as one HTML document. What fails stands in its place, and in ``failures``."""

    def tried(part: str, macro: Callable[..., Markup], *shown: object) -> Markup:
        return failures.attempt(part, lambda: macro(*shown), lambda failure: _notice(failure.sentence))

    drawn = [figure for figure in page.figures if figure.chart is not None]
    specifications = {figure.id: embedded_json(figure.specification_json) for figure in drawn}
    library, starter = _static(LIBRARY), _static("report.js")
    style = _static("report.css") + _printed_brands(page.brands) + _heights(drawn)
    template = _environment().get_template("report.html.j2")
    return template.render(
        page=page,
        tried=tried,
        notice=_notice,
        nothing_found=nothing_found(page),
        specs=specifications,
        style=Markup(style),  # noqa: S704 - our own file
        style_hash=_hash(style),
        library=Markup(library),  # noqa: S704 - our own file
        starter=Markup(starter),  # noqa: S704 - our own file
        script_hashes=[_hash(library), _hash(starter)],
    )


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


def unbroken(text: str) -> str:
    """The text with each number kept on one line with its unit and its interval."""
    return _BEFORE_UNIT.sub("\u00a0", text.replace(" ± ", "\u00a0±\u00a0"))


def _printed_brands(brands: Sequence[Brand]) -> str:
    """The brands once more, in the margin of every printed page. Their words are our own."""
    words = ", ".join(brand.word.upper() for brand in brands)
    return (
        f'@page {{ @top-right {{ content: "{words}"; color: #b3261e; font: 700 9pt sans-serif; }} }}' if words else ""
    )


def _heights(figures: Sequence[Figure]) -> str:
    """The room that each chart will take: what stands below must not move when it is drawn."""
    heights = sorted({figure.height for figure in figures})
    return "".join(f"@media screen {{ .height-{each} {{ min-height: {each}px; }} }}\n" for each in heights)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("iosonde.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure_text"] = figure_text
    environment.filters["printable"] = printable
    environment.filters["unbroken"] = unbroken
    return environment


def _static(name: str) -> str:
    return files("iosonde.report").joinpath("static", name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash by which the page's own policy lets this script or style apply, and no other."""
    return b64encode(sha256(script.encode()).digest()).decode()
