"""The glossary: reads docs/glossary.toml, and generates docs/glossary.md from it."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

TABLE: Final = Path(__file__).resolve().parents[1] / "docs/glossary.toml"
FIELDS: Final = {
    "fio": "fio",
    "snia": "SNIA",
    "diskspd": "DiskSpd",
    "kernel": "kernel",
    "statistics": "statistics",
}
"""Whose terms the column *elsewhere* lists: the key in the table, and the name on the page."""
HEAD: Final = (
    "# Glossary\n\n"
    "This page defines the terms that iosonde uses in its interface, records, reports and documentation. The column "
    "*in iosonde* lists the flags (`--rate`), campaign keys (`rate =`) and table columns (`rate_per_s`) for each term. "
    "The column *elsewhere* lists the equivalent terms in fio, the SNIA Performance Test Specification, DiskSpd, the "
    "Linux kernel and NVMe (*kernel*), and statistics. [numbers.md](numbers.md) defines the reported values, and "
    "[concepts.md](concepts.md) explains the concepts.\n\n"
    "`make docs` generates this page from `docs/glossary.toml`.\n"
)


class Term(BaseModel):
    """A term of the field, and the names in iosonde that use it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    group: str
    term: str
    meaning: str
    flags: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """Columns of the tables; ``*`` stands for any text."""
    headings: tuple[str, ...] = ()
    """Sections of the report, by their id."""
    fio: str = ""
    snia: str = ""
    diskspd: str = ""
    kernel: str = ""
    statistics: str = ""

    @property
    def in_iosonde(self) -> str:
        """Flags, keys and columns, as Markdown."""
        names = (*self.flags, *(f"{key} =" for key in self.keys), *self.columns)
        return ", ".join(f"`{name}`" for name in names)

    @property
    def elsewhere(self) -> str:
        """The terms of other tools and fields, as Markdown."""
        called = ((name, getattr(self, field)) for field, name in FIELDS.items())
        return "; ".join(f"{name}: {text}" for name, text in called if text)


def read_glossary(text: str) -> tuple[Term, ...]:
    """The terms of a table. Raises ValidationError for an unknown key."""
    return tuple(Term.model_validate(row) for row in tomllib.loads(text)["term"])


def glossary() -> tuple[Term, ...]:
    """The terms of docs/glossary.toml."""
    return read_glossary(TABLE.read_text(encoding="utf-8"))


def glossary_page() -> str:
    """The text of docs/glossary.md."""
    return "\n".join([HEAD, *_sections(glossary())])


def _sections(terms: Iterable[Term]) -> Iterator[str]:
    for group, members in groupby(terms, key=lambda each: each.group):
        yield f"## {group}\n"
        yield "| term | meaning | in iosonde | elsewhere |"
        yield "| --- | --- | --- | --- |"
        rows = sorted(members, key=lambda each: each.term.casefold())
        yield from (f"| {each.term} | {each.meaning} | {each.in_iosonde} | {each.elsewhere} |" for each in rows)
        yield ""


PAGES: Final[dict[str, Callable[[], str]]] = {"glossary.md": glossary_page}
