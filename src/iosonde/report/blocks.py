"""The blocks of a chapter. Each report format (HTML, PDF, Markdown) can lay out every kind of block."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeVar

from iosonde.charts.figure import Figure
from iosonde.findings.finding import Finding
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.tables import ResultTable

ROW_MAX: Final = 3
"""At most this many charts side by side are readable on a page 1,280 pixels wide."""


@dataclass(frozen=True)
class Paragraph:
    """An answer in words."""

    text: str


@dataclass(frozen=True)
class Answers:
    """The answers of a run, each shown as a separate sentence."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Glance:
    """A short list of the findings, with a link to each."""

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
        """The charts, spread evenly over as few rows of at most ``row_max`` charts as possible."""
        number = -(-len(self.figures) // row_max)
        ends = [round(len(self.figures) * row / number) for row in range(number + 1)] if number else []
        return tuple(self.figures[start:end] for start, end in pairwise(ends))


@dataclass(frozen=True)
class FactGroup:
    """Facts under one heading. Every value is text; a value that is not known is a dash."""

    title: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FactGroups:
    """Groups of facts, side by side where there is room."""

    groups: tuple[FactGroup, ...]


@dataclass(frozen=True)
class Listing:
    """A reference table with its own heading. ``content`` says in a few words what it lists."""

    title: str
    content: str
    table: ResultTable

    @property
    def heading(self) -> str:
        """The heading above the table."""
        return f"{self.title}: {self.content}"


@dataclass(frozen=True)
class Terms:
    """Terms with their definitions."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Key:
    """The units of a report, and the signs beside its numbers with their meanings."""

    units: str
    signs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notice:
    """A sentence shown instead of a part that could not be made."""

    sentence: str


Leaf = (
    Answers | Cards | FactGroup | Figure | Finding | Glance | Key | Listing | Notice | Paragraph | ResultTable | Terms
)  # fmt: skip


@dataclass(frozen=True)
class Folded:
    """Blocks that are folded on the page. The PDF omits them, unless ``on_paper`` is set."""

    summary: str
    blocks: tuple[Leaf, ...]
    on_paper: bool = False


Block = Leaf | Charts | FactGroups | Folded

_Kind = TypeVar("_Kind", bound=Leaf)


@dataclass(frozen=True)
class Chapter:
    """The blocks under one heading. ``lead`` introduces them; ``label`` is a short name for narrow places."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    lead: tuple[str, ...] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """Its name in a list of links."""
        return self.label or self.title

    @property
    def in_line(self) -> tuple[Leaf, ...]:
        """The blocks from top to bottom; side-by-side groups and folds are replaced by their contents."""
        return tuple(leaf for block in self.blocks for leaf in _leaves(block))

    def all_of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """All blocks of one kind, from top to bottom."""
        return tuple(leaf for leaf in self.in_line if isinstance(leaf, kind))

    def redrawn(self, change: Callable[[Figure], Figure]) -> "Chapter":
        """A copy of the chapter with ``change`` applied to each chart."""
        return replace(self, blocks=tuple(_redrawn(block, change) for block in self.blocks))


def notices(sentences: Sequence[str]) -> Iterator[Notice]:
    """A notice for each sentence."""
    return map(Notice, sentences)


def block_name(block: Leaf) -> str:
    """The name of a block in the notice that it could not be laid out."""
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
    """The text shown instead of a chart that failed or has nothing to draw."""
    return figure.failure or figure.nothing


def left_out_text(figure: Figure) -> str:
    """A sentence on what the chart omits; empty if it omits nothing."""
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
