"""Pages, tables and texts as Markdown."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

NOTICE: Final = "<!-- Written by `make docs` from the code: change it there. -->"
_BOLD: Final = re.compile(r"\[bold\](.*?)\[/bold\]")


def page(title: str, lead: str, parts: Iterable[str], notice: str = NOTICE) -> str:
    """A whole page, with a notice not to edit it."""
    return "\n\n".join([f"# {title}", notice, lead, *parts]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Bars within a cell are escaped, because a bar ends the cell."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """The text as code."""
    return f"`{text}`"


def from_help(text: str) -> str:
    """A help text as Markdown: bold text becomes code, and single line breaks are removed."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return _BOLD.sub(r"`\1`", "\n\n".join(paragraphs))


def first_sentence(text: str | None) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((text or "").split("\n\n")[0].split())
