"""The report in GitHub-flavoured Markdown, with its charts as PNG in a folder beside it."""

import os
import re
from collections.abc import Sequence
from functools import partial, singledispatch
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import quote

from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.findings.finding import Finding
from iosonde.printing import printable
from iosonde.report.blocks import (
    Answers,
    Cards,
    Chapter,
    FactGroup,
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
from iosonde.report.display import FigureText, figure_text
from iosonde.report.drawing import Drawers
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.images import draw_pictures, drawn_figures
from iosonde.report.page import Page
from iosonde.report.signs import INVALID
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import see
from iosonde.safe_files import write_files
from iosonde.store import make_directory

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.")
"""Markdown syntax that can occur anywhere in a line. The last two alternatives prevent automatic links."""

_AT_START: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^()([-+])(?=[\s-]|$)|^()(=)(?==*$)|(^|\s)(#)")
"""Syntax that would begin a list, a heading or a rule, or end a heading."""


def write_markdown(page: Page, path: Path, drawers: Drawers, failures: FailureLog = STRICT) -> tuple[Path, ...]:
    """Writes the report to ``path`` and its charts into ``pictures_folder(path)``, replacing existing files.

    Writes all files or none, and returns their paths, the report first. A notice replaces each part that fails;
    ``failures`` records it. Raises OutputError.
    """
    make_directory(pictures_folder(path))
    drawn = draw_pictures(page, drawers, failures, with_pngs=True)
    pictures = markdown_pictures(drawn.page, path)
    # Written last: if the report exists, its images do too.
    text = page_markdown(drawn.page, pictures_folder(path).name, failures)
    pngs = (drawn.pngs[figure.id] for figure in drawn_figures(drawn.page))
    write_files(chain(zip(pictures, pngs, strict=True), [(path, text)]))
    return (path, *pictures)


def markdown_pictures(page: Page, path: Path) -> tuple[Path, ...]:
    """The paths of the images of a report at ``path``, in the report's order."""
    folder = pictures_folder(path)
    return tuple(folder / f"{figure.id}.png" for figure in drawn_figures(page))


def pictures_folder(path: Path) -> Path:
    """The folder of the charts of a report at ``path``: ``report.md`` has ``report-charts`` beside it."""
    return path.with_name(f"{path.stem}-charts")


def page_markdown(page: Page, folder: str, failures: FailureLog = STRICT) -> str:
    """The page as Markdown. Its images are in the folder ``folder`` beside it."""
    blocks = [f"# {escaped(page.target)}"]
    blocks += [f"> **{escaped(brand.word.upper())}**: {escaped(brand.sentence)}" for brand in page.brands]
    blocks.append(_pairs(page.identity_pairs))
    blocks.append("\n".join(f"- [{escaped(each.title)}](#{_anchor(each.title)})" for each in page.chapters))
    for chapter in page.chapters:
        blocks += _chapter(chapter, quote(os.fsencode(folder)), failures)
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """External text escaped for Markdown: it cannot add markup, HTML or a line break, or end a table cell."""
    inside = _SPECIAL.sub(r"\\\g<0>", printable(text).strip())
    return _AT_START.sub(_escaped_start, inside)


def _escaped_start(found: re.Match[str]) -> str:
    before, sign = (group for group in found.groups() if group is not None)
    return f"{before}\\{sign}"


def _anchor(title: str) -> str:
    """The anchor that GitHub generates for a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _chapter(chapter: Chapter, folder: str, failures: FailureLog) -> list[str]:
    blocks = [f"## {escaped(chapter.title)}"]
    blocks += map(escaped, chapter.lead)
    for block in chapter.in_line:
        blocks += failures.attempt(block_name(block), partial(_told, block, folder), _failed)
    return blocks


def _failed(failure: PartFailure) -> list[str]:
    return _told(Notice(failure.sentence), "")


@singledispatch
def _told(block: Leaf, _folder: str) -> list[str]:
    """A block as paragraphs of Markdown. ``folder`` has the images."""
    raise AssertionError(block)


@_told.register
def _(block: Paragraph, _folder: str) -> list[str]:
    return [escaped(block.text)]


@_told.register
def _(block: Figure, folder: str) -> list[str]:
    blocks = [f"### {escaped(block.title)}"]
    picture = f"![{escaped(block.title)}]({folder}/{quote(block.id)}.png)"
    blocks.append(escaped(nothing_text(block)) if block.chart is None else picture)
    return [*blocks, *filter(None, [escaped(block.caption), escaped(left_out_text(block))])]


@_told.register
def _(block: ResultTable, _folder: str) -> list[str]:
    heads = [f"{head.name} ({head.unit})" if head.unit else head.name for head in block.heads]
    rules = ["---:" if head.number else "---" for head in block.heads]
    lines = [_row(heads), f"| {' | '.join(rules)} |", *(_line(line, len(heads)) for line in block.lines)]
    caption = [escaped(block.caption)] if block.caption else []
    return [*caption, "\n".join(lines), *(escaped(note) for note in block.notes)]


@_told.register
def _(block: Listing, folder: str) -> list[str]:
    return [f"### {escaped(block.heading)}", *_told(block.table, folder)]


@_told.register
def _(block: Answers, _folder: str) -> list[str]:
    return ["\n".join(f"- {escaped(sentence)}" for sentence in block.sentences)]


@_told.register
def _(block: Glance, _folder: str) -> list[str]:
    lines = (
        f"{number}. {escaped(each.severity.value)}: [{escaped(each.id)}](#{_anchor(_finding_title(each))})"
        for number, each in enumerate(block.findings, start=1)
    )
    return [f"### {escaped(block.title)}", "\n".join(lines)]


@_told.register
def _(block: Cards, _folder: str) -> list[str]:
    heads = ("What", "Where", "Figure", "Value", "Uncertainty", "Unit", "Validity", "Cell")
    lines = tuple(
        Line(row, invalid=f"{INVALID} {see(group.invalid_by)}" if group.invalid_by else "")
        for group in block.groups
        for row in _card_rows(group)
    )
    table = ResultTable("", tuple(Head(head, number=head == "Value") for head in heads), lines, ())
    return _told(table, "")


@_told.register
def _(block: Finding, _folder: str) -> list[str]:
    pairs = [
        ("Evidence", "; ".join(f"{name}: {value}" for name, value in block.evidence)),
        ("Advice", block.advice),
        ("To confirm", block.deciding_test),
        ("Cells", ", ".join(block.cells)),
    ]
    return [
        f"### {escaped(_finding_title(block))}",
        f"**{escaped(block.statement)}**",
        "\n".join(f"- {name}: {escaped(text)}" for name, text in pairs if text),
    ]


@_told.register
def _(block: Key, _folder: str) -> list[str]:
    signs = "\n".join(f"- **{escaped(sign)}** {escaped(meaning)}" for sign, meaning in block.signs)
    return [escaped(block.units), signs]


@_told.register
def _(block: Notice, _folder: str) -> list[str]:
    return [f"> **{escaped(block.sentence)}**"]


@_told.register
def _(block: FactGroup, _folder: str) -> list[str]:
    return [f"### {escaped(block.title)}", _pairs(block.facts)]


@_told.register
def _(block: Terms, _folder: str) -> list[str]:
    return [f"**{escaped(term)}**: {escaped(meaning)}" for term, meaning in block.pairs]


def _finding_title(finding: Finding) -> str:
    return f"{finding.severity.value.upper()}: {finding.id} ({finding.confidence.value})"


def _card_rows(group: HeadlineGroup) -> list[tuple[str, ...]]:
    doubted = f"unreliable, see {', '.join(group.doubted_by)}" if group.doubted_by else ""
    if group.missing:
        return [(group.name, group.where, group.missing_text, "", "", "", doubted, group.cell)]
    rows: list[tuple[str, ...]] = []
    for figure in group.figures:
        text = figure_text(figure)
        name = "" if figure.is_implied else figure.name
        rows.append(
            (group.name, group.where_text, name, text.value, _uncertainty(text), text.unit, doubted, group.cell)
        )
    return rows


def _uncertainty(text: FigureText) -> str:
    spread = f"{text.spread}{text.sign}"
    return f"{spread} ({text.why})" if text.spread and text.why else spread or text.why


def _texts(line: Line, columns: int) -> list[str]:
    if not line.gap:
        return list(line.texts)
    return [line.texts[0], line.gap_text, *[""] * (columns - 2)]


def _line(line: Line, columns: int) -> str:
    """A row of a table. Invalid values are struck out, and the name of the row says that they are invalid."""
    texts = _texts(line, columns)
    if not line.invalid:
        return _row(texts)
    name, *others = (escaped(text) for text in texts)
    struck = [f"~~{text}~~" if text else "" for text in others]
    return f"| {' | '.join([f'{name} **{escaped(line.invalid)}**', *struck])} |"


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(escaped(text) for text in texts)} |"


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "| --- | --- |", *(_row(pair) for pair in pairs)])
