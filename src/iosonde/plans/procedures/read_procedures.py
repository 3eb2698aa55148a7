"""Parses a campaign file with ``[[procedure]]`` tables. An error has one line with its place in the file."""

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import About, is_printable
from iosonde.plans.procedure_files import HEADER, LIST, PACKAGE, procedure_names
from iosonde.plans.procedures.tables import CellsTable, PhaseTable, ProcedureTable, SteadyTable, check_names
from iosonde.plans.read_campaign import campaign_error
from iosonde.plans.shipped_files import file_name, shipped_text
from iosonde.plans.validation_errors import first_validation_error, load_tables
from iosonde.vocabulary import OnError, PurgeMethod

USE: Final = "use"
DEFAULTS: Final = "defaults"
_WHOLE: Final = "docs/guides/procedures.md has a complete file"


class ProcedureCampaign(BaseModel):
    """A campaign file of standard procedures."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="Name of the campaign.", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    about: About = Field(
        default=(),
        description="Purpose of the campaign, or a table with facts for the report.",
        json_schema_extra={"default": ""},
    )
    purge: PurgeMethod | None = Field(default=None, description="How block devices are purged before each procedure.")
    power_command: Annotated[str, AfterValidator(is_printable)] | None = Field(
        default=None, description="Shell command that prints the measured power in watts.", min_length=1
    )
    on_error: OnError = Field(default=OnError.CONTINUE, description="After an operation failed: continue, or stop.")
    procedure: list[ProcedureTable] = Field(min_length=1, description="The procedures, in order.")

    @model_validator(mode="after")
    def _names_differ(self) -> "ProcedureCampaign":
        check_names(LIST, "procedures", [each.name for each in self.procedure])
        return self


def load_procedures(name: str) -> ProcedureCampaign:
    """The shipped procedures of that name. Raises UsageError."""
    return read_procedures(shipped_text(PACKAGE, name), file_name(name))


def read_procedures(text: str, file: str) -> ProcedureCampaign:
    """The campaign that a file describes. Raises UsageError with file, line, key and value."""
    found = load_tables(text, file, LIST, _WHOLE)
    tables = found.get(LIST)
    # A table may become several procedures; an error belongs to the table.
    sources: list[int] = []
    if isinstance(tables, list):
        expanded = [_expanded(table, file) for table in tables]
        found[LIST] = [each for several in expanded for each in several]
        sources = [number for number, several in enumerate(expanded) for _ in several]

    def line_of(place: tuple[int | str, ...]) -> int:
        match place:
            case (first, int(number), *rest) if first == LIST:
                return _line_of(text, (LIST, sources[number], *rest))
        return _line_of(text, place)

    try:
        return ProcedureCampaign.model_validate(found)
    except ValidationError as error:
        details = first_validation_error(error, line_of)
        line = line_of(details["loc"])
        if details["type"] == "extra_forbidden":
            raise _unknown_key(f"{file}:{line}", details["loc"]) from error
        raise campaign_error(details, file, line) from error


def _unknown_key(at: str, place: tuple[int | str, ...]) -> UsageError:
    tables: dict[str, type[BaseModel]] = {
        "cells": CellsTable,
        "steady": SteadyTable,
        "phase": PhaseTable,
        LIST: ProcedureTable,
    }
    names = [each for each in place if isinstance(each, str)]
    table = next((each for each in reversed(names[:-1]) if each in tables), "")
    known = list((tables[table] if table else ProcedureCampaign).model_fields)
    near = difflib.get_close_matches(names[-1], known, n=1, cutoff=0.5)
    meant = f"did you mean {near[0]}? " if near else ""
    where = f"a table {table}" if table else "the campaign"
    return UsageError(f"{at}: unknown key {names[-1]} in {where}", f"{meant}valid keys: {', '.join(known)}")


def _expanded(table: Any, file: str) -> list[Any]:  # noqa: ANN401 - anything that a TOML file can hold
    """The procedures of a table: itself, or with ``use`` those of a shipped file, with the table's keys instead.

    ``defaults`` are values for the cells of all phases that do not have the key.
    """
    if not isinstance(table, dict):
        return [table]
    own = {key: value for key, value in table.items() if key not in {USE, DEFAULTS}}
    defaults = table.get(DEFAULTS, {})
    if not isinstance(defaults, dict):
        raise UsageError(f"{file}: {DEFAULTS} is not a table", f"write [{LIST}.{DEFAULTS}], and its keys below")
    if USE not in table:
        return [_with_defaults(own, defaults)]
    name = table[USE]
    if name not in procedure_names():
        raise UsageError(
            f"{file}: use = {name!r} is not a shipped procedure", f"use one of {', '.join(procedure_names())}"
        )
    shipped = load_tables(shipped_text(PACKAGE, name), file_name(name), LIST, _WHOLE)[LIST]
    if len(shipped) > 1 and "name" in own:
        raise UsageError(
            f"{file}: {name} has {len(shipped)} procedures, so they cannot have one name", "omit name after use"
        )
    if own.get("is_like") is False and any(each.get("is_like") for each in shipped):
        raise UsageError(f"{file}: {name} is a short form, so it remains PTS-like", "omit is_like = false")
    merged = [{**each, **own, DEFAULTS: {**each.get(DEFAULTS, {}), **defaults}} for each in shipped]
    return [each for base in merged for each in _expanded(base, file)]


def _with_defaults(table: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    phases = table.get("phase")
    if not defaults or not isinstance(phases, list):
        return table
    return {**table, "phase": [_phase_with(phase, defaults) for phase in phases]}


def _phase_with(phase: Any, defaults: Mapping[str, Any]) -> Any:  # noqa: ANN401 - anything that a TOML file can hold
    if not isinstance(phase, dict) or not isinstance(phase.get("cells"), list):
        return phase
    return {**phase, "cells": [{**defaults, **each} if isinstance(each, dict) else each for each in phase["cells"]]}


def _line_of(text: str, place: tuple[int | str, ...]) -> int:
    """The line of a key, or of the header of the innermost table that the file has for it."""
    names = [each for each in place if isinstance(each, str)]
    numbers = [each for each in place if isinstance(each, int)]
    counts: dict[str, int] = {}
    line_found, inside = 1, not numbers
    for line_number, line in enumerate(text.splitlines(), start=1):
        header = HEADER.match(line)
        if header:
            table = header.group(1)
            counts = {name: count for name, count in counts.items() if not name.startswith(f"{table}.")}
            counts[table] = counts.get(table, -1) + 1
            path = table.split(".")
            depth = len(path)
            here = [counts.get(".".join(path[: each + 1]), 0) for each in range(depth)]
            inside = path == names[:depth] and here == numbers[:depth]
            line_found = line_number if inside else line_found
        elif inside and names and re.match(rf"^\s*{re.escape(names[-1])}\s*=", line):
            return line_number
    return line_found
