"""Parses a model file into a checked model. An error has one line with its place in the file and its reason."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from iosonde.errors import UsageError
from iosonde.plans.models.drive_model import Model
from iosonde.plans.models.faults import FAULT_TABLES
from iosonde.plans.models.kinds import KINDS, Kind
from iosonde.plans.models.table import FAULTS_KEY, ModelTable
from iosonde.plans.validation_errors import lower_first, parse, shown
from iosonde.records import flattened

_TEXTS: Final = ("title", "about")
_LEAVES_OUT: Final = "leaves_out"
# The other keys of a file are parameters.
_SAID: Final = {*_TEXTS, _LEAVES_OUT, "sources"}
_BOUND_KINDS: Final = {
    "greater_than",
    "greater_than_equal",
    "less_than",
    "less_than_equal",
    "multiple_of",
    "finite_number",
}
_WAY_OUT: Final = "`iosonde sim show MODEL --toml` prints a complete model file"
KeyPath = tuple[int | str, ...]


def read_model(text: str, name: str, file: str) -> Model:
    """The model that a file describes. Raises UsageError with file, line, key, value, range and nearest key.

    ``name`` is the name on the command line. A user's file may omit the sources.
    """
    found = parse(text, file, _WAY_OUT)
    kind = _kind(found, text, file)
    texts = {key: _text(found, key, text, file) for key in _TEXTS}
    parameters = {key: value for key, value in found.items() if key not in _SAID}
    try:
        table = KINDS[kind].table.model_validate(parameters)
    except ValidationError as error:
        # Missing keys come last: a misspelt key is both unknown and missing.
        details = sorted(
            error.errors(include_url=False), key=lambda each: (each["type"] == "missing", line_of(text, each["loc"]))
        )
        raise _mistake(details[0], KINDS[kind], text, file) from error
    sources = _sources(found, table, text, file)
    return Model(name=name, table=table, sources=sources, leaves_out=_leaves_out(found, text, file), **texts)


def _kind(found: Mapping[str, Any], text: str, file: str) -> str:
    kinds = ", ".join(KINDS)
    if "kind" not in found:
        raise UsageError(f"{file}:1: kind is missing; it must be one of {kinds}", f'add kind = "{next(iter(KINDS))}"')
    kind = found["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        near = difflib.get_close_matches(str(kind), KINDS, n=1, cutoff=0.3)
        raise UsageError(
            f"{file}:{line_of(text, ('kind',))}: kind = {shown(kind)} is not one of {kinds}",
            f'did you mean "{near[0]}"?' if near else f"write one of {kinds}",
        )
    return kind


def _text(found: Mapping[str, Any], key: str, text: str, file: str) -> str:
    if key not in found:
        raise UsageError(
            f"{file}:1: {key} is missing; it must be a string", f'add {key} = "…" with a short description'
        )
    value = found[key]
    if not isinstance(value, str) or not value.strip():
        where = f"{file}:{line_of(text, (key,))}"
        raise UsageError(f"{where}: {key} = {shown(value)} is not a non-empty string", f'write {key} = "…"')
    return value


def _leaves_out(found: Mapping[str, Any], text: str, file: str) -> tuple[str, ...]:
    given = found.get(_LEAVES_OUT, [])
    if not isinstance(given, list) or not all(isinstance(each, str) and each.strip() for each in given):
        value = "a list with non-string values" if isinstance(given, list) else shown(given)
        raise UsageError(
            f"{file}:{line_of(text, (_LEAVES_OUT,))}: {_LEAVES_OUT} = {value} is not a list of strings",
            f'write {_LEAVES_OUT} = ["…"], with one sentence for each feature that the model omits',
        )
    return tuple(given)


def _sources(found: Mapping[str, Any], table: ModelTable, text: str, file: str) -> dict[str, str]:
    given = found.get("sources", {})
    if not isinstance(given, Mapping):
        raise UsageError(
            f"{file}:{line_of(text, ('sources',))}: sources = {shown(given)} is not a table", "write [sources]"
        )
    known = [key for key, _ in flattened(table.parameters()) if key != "kind"]
    for key, value in (sources := dict(flattened(given))).items():
        at = f"{file}:{line_of(text, ('sources', *key.split('.')))}"
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise UsageError(f"{at}: unknown key {key} in sources", f"did you mean {near}?")
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{at}: sources.{key} = {shown(value)} is not a string", "state the source of the value")
    return sources


def _mistake(details: ErrorDetails, kind: Kind, text: str, file: str) -> UsageError:
    tagged: KeyPath = details["loc"]
    place = _written(tagged)
    key = ".".join(str(part) for part in place)
    at = f"{file}:{line_of(text, place)}"
    context: dict[str, Any] = details.get("ctx", {})
    if details["type"] == "extra_forbidden":
        return _unknown_key(at, tagged, kind)
    if "hint" in context:
        # A rule about several values: the table's own message says which of them conflict.
        where = f"{key}: " if place else ""
        return UsageError(f"{at}: {where}{lower_first(details['msg'])}", str(context["hint"]))
    if details["type"].startswith("union_tag"):
        return _strange_fault(at, f"{key}.kind", details["input"])
    takes = _takes(kind.table, tagged)
    if details["type"] == "missing":
        return UsageError(f"{at}: {key} is missing; it must be {takes}", f"add {key}; {_WAY_OUT}")
    value = _short(details["input"])
    return UsageError(f"{at}: {key} = {value} is not {takes}", f"write {key.rpartition('.')[2]} = …, {takes}")


def _written(tagged: KeyPath) -> KeyPath:
    """The place of a value as written in the file: pydantic inserts a fault's kind after its number."""
    return (*tagged[:2], *tagged[3:]) if tagged[:1] == (FAULTS_KEY,) else tagged


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    return f"a list of {len(value)} items" if isinstance(value, list) else shown(value)


def _strange_fault(at: str, key: str, fault: object) -> UsageError:
    kinds = ", ".join(FAULT_TABLES)
    found = fault.get("kind") if isinstance(fault, Mapping) else None
    if found is None:
        return UsageError(f"{at}: {key} is missing; it must be one of {kinds}", "add the kind of fault")
    near = difflib.get_close_matches(str(found), FAULT_TABLES, n=1, cutoff=0.0)[0]
    return UsageError(f"{at}: {key} = {shown(found)} is not one of {kinds}", f'did you mean "{near}"?')


def _unknown_key(at: str, tagged: KeyPath, kind: Kind) -> UsageError:
    *before, key = (str(part) for part in _written(tagged))
    known = list(_table_at(kind.table, tagged[:-1]).model_fields)
    if not before:
        known = [each for each in known if each != FAULTS_KEY] + [*_TEXTS, _LEAVES_OUT, FAULTS_KEY, "sources"]
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
    where = ".".join(before) if before else "the model"
    return UsageError(f"{at}: unknown key {key} in {where}", f"did you mean {near[0]}? valid keys: {', '.join(known)}")


def _table_at(table: type[BaseModel], place: Sequence[int | str]) -> type[BaseModel]:
    """The table at a place within another table."""
    for part in place:
        if part in FAULT_TABLES:
            table = FAULT_TABLES[str(part)]
        elif isinstance(part, str) and part in table.model_fields:
            inner = _tables_in(table.model_fields[part].annotation)
            table = inner[0] if inner else table
    return table


def _tables_in(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any annotation of a field
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in getattr(annotation, "__args__", ()) for found in _tables_in(part)]


def _takes(table: type[BaseModel], place: KeyPath) -> str:
    """The values that a key accepts, in words: a range, choices, or a type."""
    key = next((part for part in reversed(place) if isinstance(part, str)), "")
    schema = _table_at(table, place[:-1]).model_json_schema()
    about: dict[str, Any] = schema["properties"].get(key, {})
    choices = [each for each in about.get("anyOf", ()) if each.get("type") != "null"]
    about = choices[0] if choices else about
    if about.get("type") == "array" and isinstance(place[-1], int):
        about = about["items"]
    if "$ref" in about:
        about = schema["$defs"][about["$ref"].rpartition("/")[2]]
    return _in_words(about)


def _in_words(about: Mapping[str, Any]) -> str:
    if "enum" in about:
        return f"one of {', '.join(map(str, about['enum']))}"
    least, most = about.get("minimum"), about.get("maximum")
    above, below = about.get("exclusiveMinimum"), about.get("exclusiveMaximum")
    noun = {"integer": "a whole number", "number": "a number", "string": "a string", "boolean": "true or false"}.get(
        about.get("type", ""), "a table"
    )
    if about.get("type") == "array":
        noun = f"a list of at most {about['maxItems']} items" if "maxItems" in about else "a list"
    if "multipleOf" in about:
        noun = f"a multiple of {about['multipleOf']}"
    bounds = [f"from {least}"] if least is not None else [f"above {above}"] if above is not None else []
    bounds += [f"to {most}"] if most is not None else [f"below {below}"] if below is not None else []
    return " ".join([noun, *bounds])


_HEAD_LINE: Final = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(#.*)?$")
_KEY_LINE: Final = re.compile(r"^\s*([A-Za-z0-9_.\"' -]+?)\s*=")


def line_of(text: str, place: Sequence[int | str]) -> int:
    """The line of a key; without one, that of its table's header, or the first line of the file."""
    *tables, key = [part for part in place if isinstance(part, str)] or [""]
    table, wanted = ".".join(tables), ".".join([*tables, key])
    item = next((part for part in place if isinstance(part, int)), 0)
    found, current, items, is_wanted = 1, "", {"": 0}, True
    for number, line in enumerate(text.splitlines(), start=1):
        if head := _HEAD_LINE.match(line):
            current = _bare(head[2])
            items[current] = items.get(current, -1) + 1
            # In a list of tables, only the one with the wanted number counts.
            is_wanted = head[1] == "[" or items[current] == item
            if is_wanted and current == wanted:
                return number
            found = number if is_wanted and current == table else found
        elif is_wanted and (written := _KEY_LINE.match(line)):
            full = f"{current}.{_bare(written[1])}".lstrip(".")
            if full == wanted:
                return number
            # An inline table.
            found = number if full == table else found
    return found


def _bare(key: str) -> str:
    return re.sub(r"[ \"']", "", key)
