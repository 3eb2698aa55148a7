"""What a chapter of the report is made of: a small union of blocks, each of which every form knows how to lay out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeVar

from iosonde.charts.figure import Figure
from iosonde.findings.finding import Finding
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.tables import ResultTable

ROW_MAX: Final = 3
"""So many charts side by side can still be read on a page of 1,280 pixels."""


@dataclass(frozen=True)
class Paragraph:
    """An answer in words."""

    text: str


@dataclass(frozen=True)
class Answers:
    """Sentences that stand apart from one another."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Glance:
    """The findings at a glance: which there are, each with its place."""

    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Cards:
    """The headline: groups of figures, side by side where there is room."""

    groups: tuple[HeadlineGroup, ...]


@dataclass(frozen=True)
class Charts:
    """Charts that belong together, side by side where there is room."""

    figures: tuple[Figure, ...]

    @property
    def rows(self) -> tuple[tuple[Figure, ...], ...]:
        """The rows of a page."""
        return self.rows_of(ROW_MAX)

    def rows_of(self, row_max: int) -> tuple[tuple[Figure, ...], ...]:
        """The charts in as few rows of at most ``row_max`` as possible, none of which is half empty."""
        number = -(-len(self.figures) // row_max)
        ends = [round(len(self.figures) * row / number) for row in range(number + 1)] if number else []
        return tuple(self.figures[start:end] for start, end in pairwise(ends))


@dataclass(frozen=True)
class FactGroup:
    """Facts under one heading; every value is text, and one that the host would not tell is a dash."""

    title: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FactGroups:
    """Groups of facts, side by side where there is room."""

    groups: tuple[FactGroup, ...]


@dataclass(frozen=True)
class Listing:
    """A table to look things up in, under a heading of its own. ``content`` says in a few words what it lists."""

    title: str
    content: str
    table: ResultTable

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.title}: {self.content}"


@dataclass(frozen=True)
class Terms:
    """Pairs of a term and what it means."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Key:
    """The units of a report, and the signs that stand beside its numbers, each with its meaning."""

    units: str
    signs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notice:
    """What stands in the place of something that could not be made."""

    sentence: str


Leaf = (
    Answers | Cards | FactGroup | Figure | Finding | Glance | Key | Listing | Notice | Paragraph | ResultTable | Terms
)  # fmt: skip


@dataclass(frozen=True)
class Folded:
    """What is behind one control on the page. Paper does without it, unless ``on_paper`` says otherwise."""

    summary: str
    blocks: tuple[Leaf, ...]
    on_paper: bool = False


Block = Leaf | Charts | FactGroups | Folded

_Kind = TypeVar("_Kind", bound=Leaf)


@dataclass(frozen=True)
class Chapter:
    """What stands under one heading. ``lead`` introduces the rest; ``label`` is its name where there is little room."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    lead: tuple[str, ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """What a list of links calls it."""
        return self.label or self.title

    @property
    def in_line(self) -> tuple[Leaf, ...]:
        """The blocks from top to bottom: those that may be side by side, or are folded, follow one another."""
        return tuple(leaf for block in self.blocks for leaf in _leaves(block))

    def all_of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """All blocks of one kind, from top to bottom."""
        return tuple(leaf for leaf in self.in_line if isinstance(leaf, kind))

    def redrawn(self, change: Callable[[Figure], Figure]) -> "Chapter":
        """The same with each chart changed."""
        return replace(self, blocks=tuple(_redrawn(block, change) for block in self.blocks))


def notices(sentences: Sequence[str]) -> Iterator[Notice]:
    """What stands in the place of several things that could not be made."""
    return map(Notice, sentences)


def block_name(block: Leaf) -> str:
    """What a block is called where it could not be laid out."""
    if isinstance(block, Figure):
        return f'the chart "{block.title}"'
    if isinstance(block, Finding):
        return f'the finding "{block.id}"'
    if isinstance(block, Listing):
        return f'the table "{block.heading}"'
    if isinstance(block, FactGroup):
        return f'the table "{block.title}"'
    return f"the table: {block.caption}" if isinstance(block, ResultTable) else f"the {type(block).__name__.lower()}"


def nothing_text(figure: Figure) -> str:
    """What stands in the place of a chart that draws nothing."""
    return figure.failure or figure.nothing


def left_out_text(figure: Figure) -> str:
    """What the chart leaves out, in one sentence; empty where that is nothing."""
    return f"Omitted: {'; '.join(figure.left_out)}." if figure.left_out else ""


def _leaves(block: Block) -> Sequence[Leaf]:
    if isinstance(block, Charts):
        return block.figures
    if isinstance(block, Folded):
        return block.blocks
    return block.groups if isinstance(block, FactGroups) else (block,)


def _redrawn(block: Block, change: Callable[[Figure], Figure]) -> Block:
    if isinstance(block, Charts):
        return Charts(tuple(map(change, block.figures)))
    return change(block) if isinstance(block, Figure) else block
