"""Draw texts at random for review: messages, findings, captions and paragraphs of the docs, equally many of each.

    python -m tools.draw_texts --count 400 --seed 7 [--commit COMMIT]

Reviewers mark each text in which they would write a phrase differently. The same seed draws the same texts of a commit.
"""

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from tools.older_checkout import ROOT, older_checkout

KINDS: Final = {
    "finding": ("src/iosonde/findings",),
    "caption": ("src/iosonde/charts", "src/iosonde/report"),
    "message": ("src/iosonde/",),
    "paragraph": ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "docs"),
}
"""The places of the texts of each kind. A file belongs to the first kind with a matching place."""

WORDS_MIN: Final = 4
_GENERATED: Final = ("docs/reference", "docs/man", "docs/models")
_WORD: Final = re.compile(r"\b[A-Za-z]{2,}\b")
_NO_PROSE: Final = re.compile(r"^(#|\||```|!\[|<|\s*$)")


def main() -> int:
    """Prints the texts, each with its number, kind and place."""
    parser = argparse.ArgumentParser(prog="python -m tools.draw_texts", description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit", help="draw from an older commit")
    given = parser.parse_args()
    with nullcontext(ROOT) if given.commit is None else older_checkout(given.commit) as source:
        drawn = list(draw(source, given.count, given.seed))
    for number, (kind, place, text) in enumerate(drawn, start=1):
        print(f"{number}. [{kind}, {place}] {text}")
    return 0


def draw(source: Path, count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """The kind, place and text of each drawn text. Raises ValueError if there are too few."""
    drawing = random.Random(seed)
    for number, kind in enumerate(KINDS):
        size = count * (number + 1) // len(KINDS) - count * number // len(KINDS)
        texts = sorted(set(_texts(source, kind)))
        for place, text in sorted(drawing.sample(texts, size)):
            yield kind, place, text


def _texts(source: Path, kind: str) -> Iterator[tuple[str, str]]:
    for path in sorted(_files(source)):
        name = path.relative_to(source).as_posix()
        if kind != next((each for each, places in KINDS.items() if name.startswith(places)), None):
            continue
        found = _of_python(path.read_text("utf-8")) if path.suffix == ".py" else _of_markdown(path.read_text("utf-8"))
        for line, text in found:
            if len(_WORD.findall(re.sub(r"\{[^}]*\}", "", text))) >= WORDS_MIN:
                yield f"{name}:{line}", text


def _files(source: Path) -> Iterator[Path]:
    yield from (source / "src/iosonde").rglob("*.py")
    yield from source.glob("*.md")
    yield from (path for path in (source / "docs").rglob("*.md") if not _is_generated(path.relative_to(source)))


def _is_generated(path: Path) -> bool:
    return path.as_posix().startswith(_GENERATED)


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    """All strings except docstrings, with their lines. The expressions of an f-string are in braces."""
    tree = ast.parse(text)
    skipped = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    skipped |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())
        elif isinstance(node, ast.JoinedStr):
            parts = (each.value if isinstance(each, ast.Constant) else _in_braces(each) for each in node.values)
            yield node.lineno, " ".join("".join(map(str, parts)).split())


def _in_braces(part: ast.expr) -> str:
    return f"{{{ast.unparse(part.value if isinstance(part, ast.FormattedValue) else part)}}}"


def _of_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs and list items, without code, tables and headings."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not _NO_PROSE.match(line):
            yield number, line.strip()


if __name__ == "__main__":
    sys.exit(main())
