"""Tables and words as Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

NOTICE: Final = "<!-- Written by `make docs` from the code: change it there. -->"
_BOLD: Final = re.compile(r"\[bold\](.*?)\[/bold\]")


def page(title: str, lead: str, parts: Iterable[str], notice: str = NOTICE) -> str:
    """A whole page, with the notice that nobody should edit it."""
    return "\n\n".join([f"# {title}", notice, lead, *parts]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell would end it, and is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """A word as it is typed."""
    return f"`{text}`"


def from_help(text: str) -> str:
    """A help text: its marks for bold stand where something is typed, and a line break there is none here."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return _BOLD.sub(r"`\1`", "\n\n".join(paragraphs))


def first_sentence(text: str | None) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((text or "").split("\n\n")[0].split())
