"""Reads TOML files written by hand, and reports errors in them."""

import re
import tomllib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iosonde.errors import UsageError
from iosonde.safe_files import read_regular

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

# A file written by hand has a page or two.
TEXT_BYTES_MAX = 1 << 20
DEPTH_MAX = 100
KEY_LENGTH_MAX = 1000
INTEGER_MAX = 1 << 63
SHOWN_MAX = 80
_ENDS_KEY = re.compile(r"[=\n\[\]{}#,]")


def read_text(name: str, noun: str, other: str) -> str:
    """The text of a user's file. Errors name its purpose (``noun``) and the alternative to a file (``other``).

    Raises UsageError.
    """
    path = Path(name)
    wanted = f"use {noun} (TOML)"
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "does not exist"
            raise UsageError(f"{name} {what}", f"{wanted}, or {other}")
        if path.stat().st_size > TEXT_BYTES_MAX:
            raise UsageError(f"{name} is too large for {noun}", wanted)
        # A file in /proc may look like a regular file and never end.
        return read_regular(path, bytes_max=TEXT_BYTES_MAX, follow=True).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{name} cannot be read: {error.strerror}", f"use {noun} that you have permission to read"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not a text file", f"use {noun} (TOML, encoded in UTF-8)") from error


def parse(text: str, file: str, whole: str) -> dict[str, Any]:
    """The content of a TOML file. ``whole`` is the hint where to find a complete file. Raises UsageError."""
    hint = f"shorten it; {whole}"
    if _parts_of_longest_key(text) > DEPTH_MAX:
        # tomllib takes time and memory proportional to the square of the number of parts.
        raise UsageError(f"{file} cannot be read: a key has more than {DEPTH_MAX} parts", hint)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(error, text, file, whole) from error
    except (RecursionError, ValueError) as error:
        # Python refuses to parse integers with thousands of digits.
        what = (
            "it is nested too deeply"
            if isinstance(error, RecursionError)
            else "it contains a number with too many digits"
        )
        raise UsageError(f"{file} cannot be read: {what}", hint) from error
    wrong = _beyond(found)
    if wrong:
        raise UsageError(f"{file} cannot be read: {wrong}", hint)
    return found


def _parts_of_longest_key(text: str) -> int:
    """The largest number of consecutive words separated only by dots."""
    most = parts = 0
    for each in text.split("."):
        word = each.strip()
        parts = parts + 1 if word and len(word) <= KEY_LENGTH_MAX and not _ENDS_KEY.search(word) else 0
        most = max(most, parts)
    return most


def _beyond(found: dict[str, Any]) -> str:
    """Why the content is refused: tables nested too deeply, or an integer beyond 64 bits; empty if it is accepted."""
    waiting: list[tuple[Any, int]] = [(found, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEPTH_MAX:
            return "it is nested too deeply"
        if isinstance(value, int) and not -INTEGER_MAX <= value < INTEGER_MAX:
            return "it contains an integer that exceeds 64 bits"
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting.extend((each, depth + 1) for each in inner)
    return ""


def load_tables(text: str, file: str, name: str, whole: str) -> dict[str, Any]:
    """The content of a file with a list of tables ``[[name]]``. Raises UsageError if it is a single table."""
    found = parse(text, file, whole)
    if isinstance(found.get(name), dict):
        line = next((n for n, each in enumerate(text.splitlines(), 1) if each.strip().startswith(f"[{name}]")), 1)
        raise UsageError(
            f"{file}:{line}: [{name}] is a single table, but a list of tables is required", f"write [[{name}]]"
        )
    return found


def first_validation_error(error: "ValidationError", line_of: Callable[[tuple[int | str, ...]], int]) -> "ErrorDetails":
    """The first error in a file. Missing keys come last: a misspelt key is both unknown and missing."""
    found = error.errors(include_url=False)
    return min(found, key=lambda each: (each["type"] == "missing", line_of(each["loc"])))


def line_of_key(text: str, name: str, number: int, key: str | None) -> int:
    """The line of a key in a table ``[[name]]``, by its number (from 0; -1 before the first), or of its header."""
    header, head, current = re.compile(rf"^\s*\[\[\s*{name}\s*\]\]"), 1, -1
    for line_number, line in enumerate(text.splitlines(), start=1):
        if header.match(line):
            current += 1
            head = line_number if current == number else head
        if key is not None and current == number and re.match(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return line_number
    return head


def syntax_error(error: tomllib.TOMLDecodeError, text: str, file: str, whole: str) -> UsageError:
    """The error that tomllib reported, with its line. ``whole`` is the hint where to find a complete file."""
    what, _, where = str(error).partition(" (at ")
    line = re.match(r"line (\d+)", where)
    number = int(line.group(1)) if line else text.count("\n") + 1
    return UsageError(
        f"{file}:{number}: not TOML: {lower_first(what)}",
        f"put strings in quotes, and use each key only once per table; {whole}",
    )


def shown(value: object) -> str:
    """A value as written in the file, shortened if it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) and not isinstance(value, StrEnum) else str(value)
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def lower_first(text: str) -> str:
    """The text with a lower-case first letter, for the middle of a line."""
    return text[:1].lower() + text[1:]
