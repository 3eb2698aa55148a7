"""Reads a file of expected values. Errors name the file, the line and the key."""

import difflib
import re
from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from iosonde.errors import UsageError
from iosonde.expectations.conditions import ConditionsTable
from iosonde.expectations.file import ExpectationsTable, ExpectationTable
from iosonde.plans.validation_errors import first_validation_error, line_of_key, load_tables, lower_first, shown

WHOLE_FILE: Final = "see examples/expectations/ for complete files"
_EXAMPLES: Final = {
    "name": 'name = "data sheet"',
    "metric": 'metric = "latency_ns_p99"',
    "expect": "an [[expect]] table in double brackets, followed by its keys",
}
CONDITIONS: Final = "conditions"
KeyPath = tuple[int | str, ...]


def read_expectations(text: str, file: str) -> ExpectationsTable:
    """The expected values in a file. Raises UsageError with file, line, key, value and the nearest valid name."""
    found = load_tables(text, file, "expect", WHOLE_FILE)
    try:
        return ExpectationsTable.model_validate(found)
    except ValidationError as error:
        raise _mistake(first_validation_error(error, lambda place: _line_of(text, place)), text, file) from error


def line_of_expectation(text: str, number: int, key: str) -> int:
    """The line of a key of the expected value with this number (from 0)."""
    return _line_of(text, ("expect", number, key))


def _mistake(details: ErrorDetails, text: str, file: str) -> UsageError:
    place: KeyPath = details["loc"]
    context: dict[str, Any] = details.get("ctx", {})
    key, kind = str(context.get("key", "")) or _key_of(place), details["type"]
    at = f"{file}:{_line_of(text, (*place, key) if 'key' in context else place)}"
    table = f"expectation {place[1] + 1}" if len(place) > 1 and isinstance(place[1], int) else "the file"
    if kind == "extra_forbidden":
        in_conditions = CONDITIONS in place[:-1]
        table = "the conditions" if in_conditions else table
        of_place = ExpectationTable if place[0] == "expect" else ExpectationsTable
        known = list((ConditionsTable if in_conditions else of_place).model_fields)
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
        return UsageError(
            f"{at}: unknown key {key} in {table}", f"did you mean {near[0]}? valid keys: {', '.join(known)}"
        )
    if kind == "missing":
        return UsageError(f"{at}: {table} has no {key}", f"add {_EXAMPLES.get(key, key)}")
    if kind == "agree":
        return UsageError(f"{at}: {table}: {details['msg']}", str(context["hint"]))
    reason = f"is not {context['expected']}" if kind == "enum" else lower_first(details["msg"])
    return UsageError(f"{at}: {key} = {shown(details['input'])} {reason}", _hint(kind, context, details["input"]))


def _hint(kind: str, context: dict[str, Any], value: object) -> str:
    if "hint" in context:
        return str(context["hint"])
    if kind == "enum":
        allowed = re.findall(r"'([^']+)'", str(context["expected"]))
        near = difflib.get_close_matches(str(value), allowed, n=1, cutoff=0.3)
        return f'did you mean "{near[0]}"?' if near else f"write one of {', '.join(allowed)}"
    return f"docs/guides/expectations.md lists all keys; {WHOLE_FILE}"


def _key_of(place: KeyPath) -> str:
    return next(iter(_keys_of(place)), "expect")


def _keys_of(place: Sequence[int | str]) -> list[str]:
    """The keys of a path, without the names of tables: ``conditions`` only if it has no key of its own."""
    # The path of a union continues with the names of its variants.
    keys = [part for part in place if isinstance(part, str) and part != "expect"]
    return keys[1:] if len(keys) > 1 and keys[0] == CONDITIONS else keys


def _line_of(text: str, place: Sequence[int | str]) -> int:
    """The line of a key; without the key, the line of its table header, or the first line of the file."""
    table = place[1] if len(place) > 1 and place[0] == "expect" and isinstance(place[1], int) else -1
    keys = _keys_of(place)
    # The keys of an inline table are on the line of the table.
    is_inline = CONDITIONS in place and not re.search(r"^\s*\[+(expect\.)?conditions\]", text, re.MULTILINE)
    return line_of_key(text, "expect", table, CONDITIONS if is_inline else keys[0] if keys else None)
