"""Parses a campaign file with ``[[procedure]]`` tables. An error has one line with its place in the file."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import About, is_printable
from iosonde.plans.procedure_files import LIST, PACKAGE, procedure_names
from iosonde.plans.procedures.file_errors import table_error, unknown_key
from iosonde.plans.procedures.file_places import Place
from iosonde.plans.procedures.file_places import line_of as line_of_place
from iosonde.plans.procedures.tables import ProcedureTable, check_names
from iosonde.plans.read_campaign import campaign_error
from iosonde.plans.shipped_files import file_name, shipped_text
from iosonde.plans.validation_errors import first_validation_error, load_tables
from iosonde.vocabulary import OnError, PurgeMethod

USE: Final = "use"
DEFAULTS: Final = "defaults"
UNCHANGING: Final = frozenset({"name", "title", "open_points"})
"""Keys without an effect on the measurement."""

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
    return read_procedures(shipped_text(PACKAGE, name), file_name(name), is_shipped=True)


def read_procedures(text: str, file: str, *, is_shipped: bool = False) -> ProcedureCampaign:
    """The campaign that a file describes. Raises UsageError with file, line, key and value.

    If a user's file changes a shipped procedure, the procedure's ``specification`` names the changes. A file that
    ``is_shipped`` itself has variants, such as the client forms, which are no changes.
    """
    found = load_tables(text, file, LIST, _WHOLE)
    tables = found.get(LIST)
    # A table may become several procedures; an error belongs to the table.
    sources: list[int] = []
    if isinstance(tables, list):
        expanded = [
            _expanded(table, _At(file, text, number, is_shipped=is_shipped)) for number, table in enumerate(tables)
        ]
        found[LIST] = [each for several in expanded for each in several]
        sources = [number for number, several in enumerate(expanded) for _ in several]

    def line_of(place: Place) -> int:
        match place:
            case (first, int(number), *rest) if first == LIST:
                return line_of_place(text, (LIST, sources[number], *rest))
        return line_of_place(text, place)

    try:
        return ProcedureCampaign.model_validate(found)
    except ValidationError as error:
        details = first_validation_error(error, line_of)
        context = details.get("ctx", {})
        twice = (context["key"], context["number"]) if "number" in context else ()
        line = line_of((*details["loc"], *twice))
        at = f"{file}:{line}"
        if details["type"] == "extra_forbidden":
            raise unknown_key(at, details["loc"], details["input"], ProcedureCampaign) from error
        raise table_error(at, details) or campaign_error(details, file, line) from error


@dataclass(frozen=True)
class _At:
    """A ``[[procedure]]`` table of a file, by its number from 0."""

    file: str
    text: str
    number: int
    is_shipped: bool

    def place(self, key: str) -> str:
        """File and line of a key of the table."""
        return f"{self.file}:{line_of_place(self.text, (LIST, self.number, key))}"


def _expanded(table: Any, at: _At) -> list[Any]:  # noqa: ANN401 - anything that a TOML file can hold
    """The procedures of a table: itself, or with ``use`` those of a shipped file, with the table's keys instead.

    ``defaults`` are values for the cells of all phases that do not have the key.
    """
    if not isinstance(table, dict):
        return [table]
    own = {key: value for key, value in table.items() if key not in {USE, DEFAULTS}}
    defaults = table.get(DEFAULTS, {})
    if not isinstance(defaults, dict):
        raise UsageError(f"{at.place(DEFAULTS)}: {DEFAULTS} is not a table", f"write [{LIST}.{DEFAULTS}], and its keys")
    if USE not in table:
        return [_with_defaults(own, defaults)]
    name = table[USE]
    if name not in procedure_names():
        near = difflib.get_close_matches(str(name), procedure_names(), n=1)
        meant = f'did you mean "{near[0]}"? ' if near else ""
        raise UsageError(
            f"{at.place(USE)}: use = {name!r} is not a shipped procedure",
            f"{meant}use one of {', '.join(procedure_names())}",
        )
    shipped = load_tables(shipped_text(PACKAGE, name), file_name(name), LIST, _WHOLE)[LIST]
    if own.get("is_like") is False and any(each.get("is_like") for each in shipped):
        raise UsageError(f"{at.place('is_like')}: {name} is a short form, so it remains PTS-like", "omit is_like")
    merged = []
    for each in shipped:
        mine = own | ({"name": f"{own['name']}-{each['name']}"} if "name" in own and len(shipped) > 1 else {})
        merged.append({**each, **mine, DEFAULTS: {**each.get(DEFAULTS, {}), **defaults}})
    inside = replace(at, is_shipped=True)
    found = [each for base in merged for each in _expanded(base, inside)]
    if at.is_shipped:
        return found
    unchanged = [each for base in shipped for each in _expanded(base, inside)]
    return [_with_changes(each, base, own, defaults) for each, base in zip(found, unchanged, strict=True)]


def _with_changes(
    table: dict[str, Any], unchanged: Mapping[str, Any], own: Iterable[str], defaults: Iterable[str]
) -> dict[str, Any]:
    """The table, whose specification names the keys that differ from those of the shipped procedure."""
    changed = [each for each in own if each not in UNCHANGING and table.get(each) != unchanged.get(each)]
    if "phase" not in changed and table.get("phase") != unchanged.get("phase"):
        changed += defaults
    specification = table.get("specification")
    if not changed or not specification or "specification" in own:
        return table
    return {**table, "specification": f"{specification}, with changes ({', '.join(changed)})"}


def _with_defaults(table: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    phases = table.get("phase")
    if not defaults or not isinstance(phases, list):
        return table
    return {**table, "phase": [_phase_with(phase, defaults) for phase in phases]}


def _phase_with(phase: Any, defaults: Mapping[str, Any]) -> Any:  # noqa: ANN401 - anything that a TOML file can hold
    if not isinstance(phase, dict) or not isinstance(phase.get("cells"), list):
        return phase
    return {**phase, "cells": [{**defaults, **each} if isinstance(each, dict) else each for each in phase["cells"]]}
