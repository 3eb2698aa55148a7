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
from iosonde.report.display import FigureText, figure_text
from iosonde.report.drawing import Drawers
from iosonde.report.facts import FactGroup
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.images import draw_pictures, drawn_figures
from iosonde.report.page import Page
from iosonde.report.result_tables import Head, Line, ResultTable
from iosonde.report.validity import MARK, see
from iosonde.safe_files import write_files
from iosonde.store import make_directory

_SPECIAL: Final = re.compile(r"[\\`*\[\]<>|~$&]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.")
"""What Markdown would read as its own anywhere in a line; the last two would make a link of an address."""

_AT_START: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)|^()([-+])(?=[\s-]|$)|^()(=)(?==*$)|(^|\s)(#)")
"""What would begin a list, a heading or a rule, or end a heading."""

IMPLIED_NAMES: Final = frozenset({"best", "rate"})


def write_markdown(page: Page, path: Path, drawers: Drawers, failures: FailureLog = STRICT) -> tuple[Path, ...]:
    """Writes the report and, into ``pictures_folder(path)``, its charts. What is there is replaced. Raises OutputError.

    All is written, or nothing. Returns the files that were written, the report first. What fails stands in its place,
    and in ``failures``.
    """
    make_directory(pictures_folder(path))
    drawn = draw_pictures(page, drawers, failures, with_pngs=True)
    pictures = markdown_pictures(drawn.page, path)
    # The report last: whoever finds it finds its pictures.
    text = page_markdown(drawn.page, pictures_folder(path).name, failures)
    pngs = (drawn.pngs[figure.id] for figure in drawn_figures(drawn.page))
    write_files(chain(zip(pictures, pngs, strict=True), [(path, text)]))
    return (path, *pictures)


def markdown_pictures(page: Page, path: Path) -> tuple[Path, ...]:
    """The pictures of a report at ``path``, in its order."""
    folder = pictures_folder(path)
    return tuple(folder / f"{figure.id}.png" for figure in drawn_figures(page))


def pictures_folder(path: Path) -> Path:
    """The folder of the charts of a report at ``path``: ``report.md`` has ``report-charts`` beside it."""
    return path.with_name(f"{path.stem}-charts")


def page_markdown(page: Page, folder: str, failures: FailureLog = STRICT) -> str:
    """The page as Markdown, with pictures from a folder of this name beside it."""
    blocks = [f"# {escaped(page.target)}"]
    blocks += [f"> **{escaped(brand.word.upper())}**: {escaped(brand.sentence)}" for brand in page.brands]
    blocks.append(_pairs(identity_pairs(page)))
    chapters = chapters_of(page)
    blocks.append("\n".join(f"- [{escaped(each.title)}](#{_anchor(each.title)})" for each in chapters))
    for chapter in chapters:
        blocks += _chapter(chapter, quote(os.fsencode(folder)), failures)
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Text from outside as Markdown that says exactly it: no markup, no HTML, no new line, no end of a table's cell."""
    inside = _SPECIAL.sub(r"\\\g<0>", printable(text).strip())
    return _AT_START.sub(_escaped_start, inside)


def _escaped_start(found: re.Match[str]) -> str:
    before, sign = (group for group in found.groups() if group is not None)
    return f"{before}\\{sign}"


def _anchor(title: str) -> str:
    """The name that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _chapter(chapter: Chapter, folder: str, failures: FailureLog) -> list[str]:
    blocks = [f"## {escaped(chapter.title)}"]
    blocks += [escaped(text) for text in (chapter.lead, *chapter.sentences) if text]
    for part in chapter.parts:
        blocks += failures.attempt(part_name(part), partial(_part, part, folder), _failed)
    return blocks


def _failed(failure: PartFailure) -> list[str]:
    return _part(Notice(failure.sentence), "")


@singledispatch
def _part(part: Part, _folder: str) -> list[str]:
    raise AssertionError(part)


@_part.register
def _(part: Figure, folder: str) -> list[str]:
    blocks = [f"### {escaped(part.title)}"]
    picture = f"![{escaped(part.title)}]({folder}/{quote(part.id)}.png)"
    blocks.append(escaped(nothing_text(part)) if part.chart is None else picture)
    return [*blocks, *filter(None, [escaped(part.caption), escaped(left_out_text(part))])]


@_part.register
def _(part: ResultTable, _folder: str) -> list[str]:
    heads = [f"{head.name} ({head.unit})" if head.unit else head.name for head in part.heads]
    rules = ["---:" if head.number else "---" for head in part.heads]
    lines = [_row(heads), f"| {' | '.join(rules)} |", *(_line(line, len(heads)) for line in part.lines)]
    return [escaped(part.caption), "\n".join(lines), *(escaped(note) for note in part.notes)]


@_part.register
def _(part: Titled, folder: str) -> list[str]:
    return [f"### {escaped(part.title)}", *_part(part.table, folder)]


@_part.register
def _(part: Answers, _folder: str) -> list[str]:
    return ["\n".join(f"- {escaped(sentence)}" for sentence in part.sentences)]


@_part.register
def _(part: Glance, _folder: str) -> list[str]:
    lines = (
        f"{number}. {escaped(each.severity.value)}: [{escaped(each.id)}](#{_anchor(_finding_title(each))})"
        for number, each in enumerate(part.findings, start=1)
    )
    return [f"### {escaped(part.title)}", "\n".join(lines)]


@_part.register
def _(part: Cards, _folder: str) -> list[str]:
    heads = ("What", "Where", "Figure", "Value", "Uncertainty", "Unit", "Validity", "Cell")
    lines = tuple(
        Line(row, invalid=f"{MARK}, {see(group.invalid_by)}" if group.invalid_by else "")
        for group in part.groups
        for row in _card_rows(group)
    )
    table = ResultTable("", tuple(Head(head, number=head == "Value") for head in heads), lines, ())
    return _part(table, "")[1:]


@_part.register
def _(part: Finding, _folder: str) -> list[str]:
    pairs = [
        ("Evidence", "; ".join(f"{name}: {value}" for name, value in part.evidence)),
        ("Advice", part.advice),
        ("What would decide", part.deciding_test),
        ("Cells", ", ".join(part.cells)),
    ]
    return [
        f"### {escaped(_finding_title(part))}",
        f"**{escaped(part.statement)}**",
        "\n".join(f"- {name}: {escaped(text)}" for name, text in pairs if text),
    ]


@_part.register
def _(part: Notice, _folder: str) -> list[str]:
    return [f"> **{escaped(part.sentence)}**"]


@_part.register
def _(part: FactGroup, _folder: str) -> list[str]:
    return [f"### {escaped(part.title)}", _pairs(part.facts)]


@_part.register
def _(part: Terms, _folder: str) -> list[str]:
    return [f"**{escaped(term)}**: {escaped(meaning)}" for term, meaning in part.pairs]


def _finding_title(finding: Finding) -> str:
    return f"{finding.severity.value.upper()}: {finding.id} ({finding.confidence.value})"


def _card_rows(group: HeadlineGroup) -> list[tuple[str, ...]]:
    doubted = f"unreliable, see {', '.join(group.doubted_by)}" if group.doubted_by else ""
    if group.missing:
        return [(group.name, group.where, f"No figures: {group.missing}.", "", "", "", doubted, group.cell)]
    rows: list[tuple[str, ...]] = []
    for figure in group.figures:
        text = figure_text(figure)
        where = f"highest measured, at {group.where}" if group.figures[0].name == "best" else group.where
        name = "" if figure.name in IMPLIED_NAMES else figure.name
        unit = text.unit if text.unit == text.base else f"{text.unit} ({text.base})"
        rows.append((group.name, where, name, text.value, _uncertainty(text), unit, doubted, group.cell))
    return rows


def _uncertainty(text: FigureText) -> str:
    return f"{text.spread} ({text.spread_kind})" if text.spread else text.spread_kind


def _texts(line: Line, columns: int) -> list[str]:
    if not line.gap:
        return list(line.texts)
    return [line.texts[0], f"No figures: {line.gap}.", *[""] * (columns - 2)]


def _line(line: Line, columns: int) -> str:
    """A row; what is invalid is struck out, and its name says so."""
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
