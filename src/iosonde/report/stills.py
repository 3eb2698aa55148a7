"""Static SVG images of the charts inside the page, for readers without scripts, for print and for screenshots."""

import re
from collections import Counter
from typing import Any, Final

from iosonde.charts.figure import Figure
from iosonde.errors import OutputError
from iosonde.report.chart_sizes import page_sizes
from iosonde.report.drawing import Drawers, DrawingError
from iosonde.report.images import drawn_figures, picture_of
from iosonde.report.page import Page

# Attributes that only scripts or screen readers use. The container of the image already has a label.
_NEEDLESS: Final = re.compile(
    r' (?:aria-[a-z]+|role|aria-roledescription|class|pointer-events|xmlns(?::xlink)?|version)="[^"]*"'
    r'| (?:opacity|fill-opacity|stroke-opacity)="1"| stroke-miterlimit="10"'
)
_NOTHING_DRAWN: Final = re.compile(
    r'<path[^>]*? d="(?:M0,0h0v0h0Z)?"[^>]*?/>|<(?:path|line|text)[^>]*? opacity="0"[^>]*?/>'
)
_EMPTY_GROUP: Final = re.compile(r"<g[^>]*></g>|<g[^>]*/>")
_LONG_NUMBER: Final = re.compile(r"(\d+\.\d\d)\d+")
# The page's security policy forbids style attributes. Images need only ``image-rendering``, which has an attribute.
_STYLE: Final = re.compile(r' style="[^"]*"')
_FONT: Final = re.compile(r' font-family="[^"]*"')
# A rule drawn at the same place for each row of the data. One with opacity is kept: without copies it would look paler.
_REPEATED: Final = re.compile(r"(<(?:line|path)(?![^>]*opacity)[^>]*/>)\1+")
_MARK: Final = re.compile(r'<path transform="translate\((?P<x>[-\d.]+),(?P<y>[-\d.]+)\)" (?P<shape>[^>]*[^>/])/>')
_OWN_NAME: Final = re.compile(r'( id="|url\(#)')

SHAPE_USES_MIN: Final = 20


def stills_of(page: Page, drawers: Drawers | None) -> dict[str, str]:
    """The charts of a page as SVG, by id. A chart that cannot be drawn is omitted; the script may still draw it."""
    if drawers is None:
        return {}
    sizes = page_sizes(page)
    # Largest first, so that no process is still drawing a large chart when the others are idle.
    figures = sorted(drawn_figures(page), key=lambda figure: len(figure.specification_json), reverse=True)

    def wanted(figure: Figure) -> dict[str, Any]:
        size = sizes[figure.id]
        return picture_of(size.lowered(figure.specification), size.width_px, background="transparent")

    stills = {}
    for figure, each in zip(figures, drawers.svgs(map(wanted, figures)), strict=True):
        try:
            stills[figure.id] = still(each.result().decode(), figure.id)
        except (DrawingError, OutputError):
            continue
    return stills


def still(svg: str, identity: str) -> str:
    """A chart's SVG without the attributes for scripts, and with unique ids, because a page has many such images."""
    svg = _STYLE.sub(_as_attribute, _FONT.sub("", _NEEDLESS.sub("", svg)))
    svg = _LONG_NUMBER.sub(r"\1", _NOTHING_DRAWN.sub("", svg))
    while True:
        fewer = _EMPTY_GROUP.sub("", svg)
        if fewer == svg:
            break
        svg = fewer
    svg = _OWN_NAME.sub(rf"\g<1>{identity}-", _REPEATED.sub(r"\1", svg))
    return _with_shapes(svg, identity)


def _as_attribute(style: re.Match[str]) -> str:
    return ' image-rendering="pixelated"' if "image-rendering" in style[0] else ""


def _with_shapes(svg: str, identity: str) -> str:
    """The SVG with each frequent mark defined once and reused by id, which keeps thousands of points small."""
    often = Counter(found["shape"] for found in _MARK.finditer(svg))
    names = {shape: f"{identity}-m{number}" for number, shape in enumerate(often) if often[shape] >= SHAPE_USES_MIN}

    def used(found: re.Match[str]) -> str:
        shape = found["shape"]
        return f'<use href="#{names[shape]}" x="{found["x"]}" y="{found["y"]}"/>' if shape in names else found[0]

    shapes = "".join(f'<path id="{name}" {shape}/>' for shape, name in names.items())
    start = svg.index(">") + 1
    return f"{svg[:start]}<defs>{shapes}</defs>{_MARK.sub(used, svg[start:])}" if shapes else svg
