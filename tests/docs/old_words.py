"""Obsolete words, and the texts that must not contain them."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.house.checkout import ROOT, files_under, name_of

OLD_WORDS: Final = {
    r"hand(s|ed|ing)? (it |them |operations |commands )?over\b": "submit",
    r"whatever (becomes|comes)": "independent of",
    r"broken?[ -]off|breaks? off|broke off": "interrupted, failed",
    r"lea?(ve|ves|ft|ving)( \S+){0,4} away\b": "omit",
    r"\banew\b": "again",
    r"set aside": "discarded",
    r"\bgravest\b": "most severe",
    r"operations? wanted|wanted (moment|a second)|was wanted": "arrival, intended start",
    r"\bnobody knows|nobody could know": "unknown",
    r"held against": "compared with, checked against",
    r"behind the last of which": "after every N",
    r"t(ell|ells|old|elling)( \S+){0,4} apart": "distinguish",
    r"\bto the letter\b": "exactly",
    r"g(ive|ives|iven|ave|iving) up\b": "abandon, close",
    r"g(o|oes|one|oing) on with|went on with": "resume, continue",
    r"\bonce more\b": "again",
    r"takes? back\b|taken back|took back": "reap",
    r"\bunder way\b": "in flight",
    r"\bbeside\b": "next to, with",
    r"\bwhoever\b|\bwhosoever\b": "name the subject",
    r"\bput up with\b": "tolerate",
    r"\bfoolish": "invalid",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bmeanwhile\b": "in the meantime",
    r"\bmoments?\b": "time",
    r"\basked\b": "requested",
    r"\d ?us\b|^ us\b|\(us\)": "µs",
}
"""Regular expressions of obsolete words, which ignore case, and what to write instead."""

DOCSTRINGS_SHOWN: Final = ("src/iosonde/cli/", "src/iosonde/api/")
"""Where users read docstrings: in the help of commands and in the reference of the Python functions."""


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """The texts in a file that users read, each with its line number."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return _of_python(text, docstrings=name_of(path).startswith(DOCSTRINGS_SHOWN))
    return {".md": _of_markdown, ".ipynb": _of_notebook}.get(path.suffix, _of_lines)(text)


def old_words_of(text: str) -> list[str]:
    """Each obsolete word in a text, with what to write instead."""
    hits = ((re.search(word, text, flags=re.IGNORECASE), instead) for word, instead in OLD_WORDS.items())
    return [f"{hit[0]!r}, say: {instead}" for hit, instead in hits if hit is not None]


def old_words_in(path: Path) -> list[str]:
    """Each obsolete word in a file with its line, and what to write instead."""
    return [f"{name_of(path)}:{line}: {found}" for line, text in texts_of(path) for found in old_words_of(text)]


def files_with_texts() -> list[Path]:
    """Pages, examples, and the sources of help texts, messages and reports."""
    front = [path for path in files_under(suffixes=(".md",)) if path.parent == ROOT and path.name != "CHANGELOG.md"]
    docs = files_under("docs", "examples", suffixes=(".md", ".toml", ".ipynb"))
    return [*front, *docs, *files_under("src", suffixes=(".py", ".j2", ".typ", ".js", ".toml"))]


def _of_lines(text: str) -> Iterator[tuple[int, str]]:
    yield from enumerate(text.splitlines(), start=1)


def _of_markdown(text: str) -> Iterator[tuple[int, str]]:
    """The lines, without code, link addresses and quoted program output (``>`` and ``*…*``)."""
    fenced = False
    for number, line in _of_lines(text):
        fence = line.startswith("```")
        fenced ^= fence
        if not (fence or fenced or line.startswith(">")):
            prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)
            yield number, re.sub(r"(?<!\*)\*(?!\*)[^*]+\*(?!\*)", "", prose)


def _of_notebook(text: str) -> Iterator[tuple[int, str]]:
    for number, cell in enumerate(json.loads(text)["cells"], start=1):
        if cell["cell_type"] == "markdown":
            yield number, "".join(cell["source"])


def _of_python(text: str, *, docstrings: bool) -> Iterator[tuple[int, str]]:
    """The strings with more than one word. Single words are keys."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and not docstrings:
            node.value.value = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
