"""The lines of tables and keys in a file of procedures."""

import re

from iosonde.plans.procedure_files import HEADER

Place = tuple[int | str, ...]
"""The names of nested tables, those in a list with their number, and then the key."""


def line_of(text: str, place: Place) -> int:
    """The line of a key, or of the header of the innermost table that the file has for it."""
    steps = _steps(place)
    names, numbers = [name for name, _ in steps], [number for _, number in steps]
    counts: dict[str, int] = {}
    lines = text.splitlines()
    found, depth_found = 1, 0
    for number, line in enumerate(lines, start=1):
        header = HEADER.match(line)
        if not header:
            continue
        table = header.group(1)
        counts = {name: count for name, count in counts.items() if not name.startswith(f"{table}.")}
        counts[table] = counts.get(table, -1) + 1
        path = table.split(".")
        here = [counts.get(".".join(path[: each + 1]), 0) for each in range(len(path))]
        if path == names[: len(path)] and here == numbers[: len(path)] and len(path) > depth_found:
            found, depth_found = number, len(path)
    rest = steps[depth_found:]
    return _key_line(lines, found if depth_found else 0, rest) or found


def _steps(place: Place) -> list[tuple[str, int]]:
    """The names of a place, each with its number in its list; 0 for a single table or a value."""
    steps: list[tuple[str, int]] = []
    for part in place:
        if isinstance(part, int):
            if steps:
                steps[-1] = (steps[-1][0], part)
        else:
            steps.append((part, 0))
    return steps


def _key_line(lines: list[str], header: int, rest: list[tuple[str, int]]) -> int:
    """The line of a key below a header, or of the inline table that has it; 0 if it is absent."""
    if not rest:
        return 0
    (key, number), *inner = rest
    for at, line in enumerate(lines[header:], start=header + 1):
        if HEADER.match(line):
            return 0
        if re.match(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return _inline_line(lines, at, number) if inner else at
    return 0


def _inline_line(lines: list[str], start: int, number: int) -> int:
    """The line on which the table of this number begins, of a list of inline tables."""
    opened = 0
    for at, line in enumerate(lines[start - 1 :], start=start):
        opened += line.count("{")
        if opened > number:
            return at
    return start
