"""Reads ``docs/seeds.md``: its documents, the rows of their tables, and what each row refers to in a report."""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tests.docs.test_links import MARKDOWN
from tests.house.checkout import ROOT

PAGE: Final = ROOT / "docs/seeds.md"
HEADS: Final = ("Lines", "In the document", "In our report", "What the data say", "Status")
MISSING_HEADS: Final = ("Missing", "Needed for", "Comes with", "As long as")
STATUSES: Final = ("shown", "corrected", "missing")

_REFERENCE: Final = re.compile(r"(chapter|chart|table|column|text|JSON|finding|option) `([^`]+)`")
_LINES: Final = re.compile(r"(\d+)(?:-(\d+))?")
_DOCUMENT: Final = re.compile(r"Document (\d{3})")
_LENGTH: Final = re.compile(r"(\d+) lines")
_OTHER_LINES: Final = re.compile(r"Other lines: ([\d, -]+)\.")
_SIGN: Final = re.compile(r"(no option|no JSON|no chapter|still) `([^`]+)`")
_ARITHMETIC: Final = re.compile(r"`([-+*/(). 0-9e]*\d[-+*/(). 0-9e]*[-+*/][-+*/(). 0-9e]*) = ([0-9,.]+)`")


@dataclass(frozen=True)
class Reference:
    """Something in the report of a campaign: ``kind`` is the kind of thing and ``name`` a literal part of it."""

    kind: str
    name: str


@dataclass(frozen=True)
class Row:
    """What a document has on some of its lines, and where the report has it."""

    lines: frozenset[int]
    place: str
    references: tuple[Reference, ...]
    links: bool
    status: str
    lacks: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A section of the page: the number of lines, the lines without a row, the rows, and the command of the run."""

    number: str
    length: int
    others: frozenset[int]
    rows: tuple[Row, ...]
    command: str


@dataclass(frozen=True)
class Missing:
    """Something that iosonde does not do yet.

    ``signs`` show that this is still true: what must not be there (``no option X``), or what must be (``still X``).
    """

    name: str
    signs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Table:
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class _Section:
    title: str
    text: str
    tables: tuple[_Table, ...]
    fences: tuple[str, ...]


@cache
def _sections() -> tuple[_Section, ...]:
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(_section(part) for part in parts[1:])


def _section(text: str) -> _Section:
    tokens = MARKDOWN.parse(text)
    rows: list[list[str]] = []
    tables: list[_Table] = []
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append(tokens[at + 1].content)
        elif token.type == "table_close":
            tables.append(_Table(tuple(rows[0]), tuple(map(tuple, rows[1:]))))
    fences = tuple(token.content for token in tokens if token.type == "fence")
    return _Section(text.partition("\n")[0], text, tuple(tables), fences)


def documents() -> tuple[Document, ...]:
    """The documents of the page in their order."""
    return tuple(_document(each) for each in _sections() if _DOCUMENT.match(each.title))


def _document(section: _Section) -> Document:
    number, length = _DOCUMENT.match(section.title), _LENGTH.search(section.text)
    others = _OTHER_LINES.search(section.text)
    assert number is not None, section.title
    assert length is not None, f"{section.title}: no number of lines"
    rows = [row for table in section.tables for row in rows_of(table.heads, table.rows)]
    return Document(
        number=number[1],
        length=int(length[1]),
        others=_lines(others[1]) if others else frozenset(),
        rows=tuple(rows),
        command=section.fences[0],
    )


def rows_of(heads: tuple[str, ...], rows: Sequence[Sequence[str]]) -> Iterator[Row]:
    """The rows of a table of a document."""
    assert heads == HEADS
    for lines, _, place, _, status in rows:
        kind, _, lacks = status.partition(": ")
        yield Row(
            lines=_lines(lines),
            place=place,
            references=tuple(Reference(*found) for found in _REFERENCE.findall(place)),
            links="](" in place,
            status=kind,
            lacks=tuple(lacks.split(", ")) if lacks else (),
        )


def _lines(text: str) -> frozenset[int]:
    return frozenset(line for first, last in _LINES.findall(text) for line in range(int(first), int(last or first) + 1))


def missing() -> tuple[Missing, ...]:
    """What the page lists as missing."""
    (table,) = (table for each in _sections() if each.title == "What is missing" for table in each.tables)
    assert table.heads == MISSING_HEADS
    return tuple(Missing(name, tuple(_SIGN.findall(signs))) for name, _, _, signs in table.rows)


def calculations() -> tuple[tuple[str, str], ...]:
    """Each calculation of the page as an expression and its printed result."""
    return tuple((expression, result) for expression, result in _ARITHMETIC.findall(PAGE.read_text(encoding="utf-8")))


_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def value_of(expression: str) -> float:
    """The value of an expression of numbers and + - * / **."""
    return _value(ast.parse(expression, mode="eval").body)


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left), _value(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
    message = f"not arithmetic: {ast.unparse(node)}"
    raise ValueError(message)


def holds(path: str, data: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether a JSON path leads to a value: ``cells[].operations.*.iops``, with any element and any key."""
    names = path.replace("[]", ".[]").split(".")
    return any(found is not None for found in _found(names, data))


def _found(names: Sequence[str], data: Any) -> Iterator[Any]:  # noqa: ANN401 - JSON
    if not names:
        yield data
        return
    name, *rest = names
    if name == "[]":
        inside = data if isinstance(data, list) else []
    elif name == "*":
        inside = list(data.values()) if isinstance(data, dict) else []
    else:
        inside = [data[name]] if isinstance(data, dict) and name in data else []
    for each in inside:
        yield from _found(rest, each)


@dataclass(frozen=True)
class Evidence:
    """The report of a campaign as Markdown and as JSON, and the options of all commands."""

    markdown: str
    data: Any
    options: str

    def lacks(self, row: Row) -> list[str]:
        """The references of a row that lead nowhere. Charts, tables and texts belong to the last chapter named."""
        gone, within = [], self.markdown
        for each in row.references:
            if each.kind == "chapter":
                within = self._chapter(each.name)
                found = bool(within)
            else:
                found = self._has(each, within)
            if not found:
                gone.append(f"{each.kind} {each.name}")
        return gone

    def _chapter(self, title: str) -> str:
        parts = re.split(r"^## ", self.markdown, flags=re.MULTILINE)
        return next((part for part in parts if part.partition("\n")[0] == title), "")

    def _has(self, each: Reference, within: str) -> bool:
        lines = within.splitlines()
        found = {
            "chart": lambda: f"### {each.name}" in lines,
            "table": lambda: any(line.startswith(each.name) for line in lines),
            "column": lambda: any(_is_column(cell, each.name) for line in lines for cell in line.split("|")[1:-1]),
            "text": lambda: each.name in within,
            "JSON": lambda: holds(each.name, self.data),
            "finding": lambda: any(finding["id"] == each.name for finding in self.data["findings"]),
            "option": lambda: each.name in self.options,
        }
        return found[each.kind]()


def _is_column(cell: str, name: str) -> bool:
    """Whether a cell of a table is the head of a column, with or without a unit."""
    return cell.strip() == name or cell.strip().startswith(f"{name} (")
