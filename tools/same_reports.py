"""Compares reports of stored runs with those of an older commit: ``python -m tools.same_reports COMMIT [RUN...]``.

Both versions write every text output, each in its own process. Pages and listings must be identical, except for white
space in HTML. Of tables, columns with the same name are compared, and of the JSON document, values at the same place. A
difference is an error. New or removed columns and keys are only listed. Numbers that differ by less than 1e-12 of their
value are equal, and the largest of these differences is listed.
"""

import csv
import difflib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any, Final

from tools.older_checkout import ROOT, older_checkout

LINES_SHOWN_MAX: Final = 8
# Lines of an HTML page can have many kilobytes.
WIDTH_SHOWN: Final = 160
# The schema versions in an output, which may differ.
VERSIONS: Final = re.compile(r'(record schema(?:</dt>\s*<dd>| \| )|"(?:schema|export)_version": ?)\d+')
NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
ROUNDED_MAX: Final = 1e-12
DIGITS_MIN: Final = 12
# Altair names a table by the hash of its content.
NAMED_BY_HASH: Final = re.compile(r"data-[0-9a-f]{32}")
# New and removed keys of the JSON document are listed to this depth, so that a moved branch is listed once.
PLACES_TOLD: Final = 4
SUFFIXES: Final = frozenset({".html", ".md", ".csv", ".json"})


def made_by(source: Path, run: Path, out: Path) -> dict[str, str]:
    """The outputs for a run by name, written by the checkout at ``source``."""
    out.mkdir(parents=True)
    environment = os.environ | {"PYTHONPATH": str(source / "src"), "COLUMNS": "160"}

    def iosonde(*words: str | Path) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "iosonde", *map(str, words)],
            env=environment, cwd=out, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return f"{done.stdout}\nexit code {done.returncode}\n"

    forms = {"show": iosonde("show", run, "--findings")}
    flags = ("--html", "page.html", "--markdown", "page.md", "--csv", "tables", "--json", "run.json")
    forms["report"] = iosonde("report", run, *flags)
    texts = (path for path in sorted(out.rglob("*")) if path.suffix in SUFFIXES)
    forms |= {str(path.relative_to(out)): compared(path) for path in texts}
    return {name: VERSIONS.sub(r"\1N", text) for name, text in forms.items()}


def compared(path: Path) -> str:
    """The text of a file for the comparison, with normalised white space in HTML."""
    text = path.read_text()
    return re.sub(r">\s*<", ">\n<", re.sub(r"\s+", " ", text)) if path.suffix == ".html" else text


def columns_of(text: str) -> dict[str, str]:
    """Each column of a table as text, by its name."""
    head, *rows = csv.reader(io.StringIO(text))
    return {name: "\n".join(column) for name, column in zip(head, zip(*rows, strict=True), strict=True)}


def values_of(document: Any, place: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - whatever JSON holds
    """Each value of a JSON document, by its place."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from values_of(value, f"{place}.{key}")
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from values_of(value, f"{place}[{index}]")
    else:
        yield place, repr(document)


def parts_of(name: str, text: str) -> dict[str, str]:
    """The parts of an output that are compared separately: columns, values, or the whole text."""
    if name.endswith(".csv"):
        return columns_of(text)
    if name.endswith(".json"):
        return dict(values_of(json.loads(text.replace(":N", ":0"))))
    return {"": text}


def distance(old: str, new: str) -> float:
    """The largest relative difference of unrounded numbers in two texts; infinite if anything else differs."""
    if old == new:
        return 0.0
    texts = [NAMED_BY_HASH.sub("data-N", text) for text in (old, new)]
    rests = {NUMBER.sub("N", text) for text in texts}
    if len(rests) > 1:
        return inf
    pairs = zip(*(NUMBER.findall(text) for text in texts), strict=True)
    return max((_apart(a, b) for a, b in pairs if a != b), default=0.0)


def _apart(old: str, new: str) -> float:
    # Numbers with few digits are compared as text: 1.5 and 1.50 differ.
    if "e" not in old + new and max(len(old), len(new)) < DIGITS_MIN:
        return inf
    a, b = float(old), float(new)
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def told(name: str, before: str, after: str) -> tuple[list[str], list[str]]:
    """The differences in one output, and the notes: rounding, and parts that only one side has."""
    old, new = parts_of(name, before), parts_of(name, after)
    distances = {part: distance(old[part], new[part]) for part in old.keys() & new.keys()}
    changed = [part for part, each in distances.items() if each > ROUNDED_MAX]
    lines = [line[:WIDTH_SHOWN] for part in changed[:LINES_SHOWN_MAX] for line in _difference(part, old, new)]
    kinds = {"gone": old.keys() - new.keys(), "new": new.keys() - old.keys()}
    rounded = max((each for each in distances.values() if each <= ROUNDED_MAX), default=0.0)
    return lines, [f"rounded otherwise, by {rounded:.0e} at most"] * bool(rounded) + [
        f"{sign}: {each}" for sign, found in kinds.items() for each in sorted({_branch(part) for part in found})
    ]


def _branch(part: str) -> str:
    return ".".join(re.sub(r"\[\d+\]", "[]", part).split(".")[:PLACES_TOLD])


def _difference(part: str, old: dict[str, str], new: dict[str, str]) -> list[str]:
    lines = list(difflib.unified_diff(old[part].splitlines(), new[part].splitlines(), lineterm="", n=0))
    return [part, *lines[2 : 2 + LINES_SHOWN_MAX]]


def differing(source: Path, named: Sequence[Path], folder: Path) -> int:
    """Prints which outputs for the runs differ from those of ``source``, and returns their number."""
    count, others = 0, set[str]()
    for run in named or sorted((source / "tests/fixtures/runs").iterdir()):
        before = made_by(source, run, folder / "before" / run.name)
        after = made_by(ROOT, run, folder / "after" / run.name)
        for name in sorted(before.keys() | after.keys()):
            lines, other = told(name, before.get(name, ""), after.get(name, ""))
            count += bool(lines)
            others |= {f"{name} {each}" for each in other}
            print(f"{'DIFFERS' if lines else 'same':8} {run.name} {name}", *lines, sep="\n")
    print(*sorted(others), sep="\n")
    return count


def main() -> None:
    """Compares the outputs. Exits with 1 if any of them differs."""
    commit, *named = sys.argv[1:]
    with older_checkout(commit) as source, tempfile.TemporaryDirectory() as folder:
        count = differing(source, [Path(each).resolve() for each in named], Path(folder))
    print(f"{count} forms differ")
    sys.exit(min(count, 1))


if __name__ == "__main__":
    main()
