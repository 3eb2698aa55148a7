"""Words for mistakes in a file of procedures."""

import difflib
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from iosonde.errors import UsageError
from iosonde.plans.other_tools.hints import key_hint
from iosonde.plans.procedure_files import LIST
from iosonde.plans.procedures.file_places import Place
from iosonde.plans.procedures.tables import (
    CellsTable,
    PhaseTable,
    PointsTable,
    ProcedureTable,
    SteadyTable,
    TrackedQuantity,
    TrackTable,
)
from iosonde.plans.validation_errors import shown

TABLES: Final[dict[str, type[BaseModel]]] = {
    "cells": CellsTable,
    "track": TrackTable,
    "steady": SteadyTable,
    "points": PointsTable,
    "phase": PhaseTable,
    LIST: ProcedureTable,
}
HEADERS: Final = {
    "cells": "[[procedure.phase.cells]]",
    "track": 'track = [{ read = 0, quantity = "iops" }]',
    "steady": "[procedure.phase.steady]",
    "points": "[procedure.phase.points]",
    "phase": "[[procedure.phase]]",
    LIST: "[[procedure]]",
}
"""How each table is written."""

_EXAMPLES: Final = {
    "latency_max": 'latency_max = "5ms"',
    "phase": "a [[procedure.phase]] table",
    "cells": "a [[procedure.phase.cells]] table",
    "quantity": 'quantity = "iops"',
    "read": "read = 0",
    "name": 'name = "mine"',
}
_NEAR: Final = 0.5


def unknown_key(at: str, place: Place, value: object, campaign: type[BaseModel]) -> UsageError:
    """A key that its table does not have. ``campaign`` is the model of the whole file."""
    names = [each for each in place if isinstance(each, str)]
    key, table = names[-1], _table(names[:-1])
    known = list(TABLES.get(table, campaign).model_fields)
    if key == "experiment" and not table:
        return UsageError(f"{at}: a file has either [[{LIST}]] or [[experiment]] tables, not both", "write two files")
    slip = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
    foreign = key_hint(key, value, known) if table == "cells" and not slip else None
    near = slip or difflib.get_close_matches(key, known, n=1, cutoff=_NEAR)
    owners = [HEADERS[name] for name, model in TABLES.items() if key in model.model_fields]
    if HEADERS.get(key, "").startswith("["):
        foreign = f"write {HEADERS[key]}"
    elif owners and not slip and not foreign:
        foreign = f"{key} belongs to {' or '.join(owners)}"
    meant = f"{foreign}; " if foreign else f"did you mean {near[0]}? " if near else ""
    return UsageError(f"{at}: unknown key {key} in {_where(table)}", f"{meant}valid keys: {', '.join(known)}")


def table_error(at: str, details: ErrorDetails) -> UsageError | None:
    """Words for a missing key, a number out of range and a value of another kind; None for other mistakes."""
    names = [each for each in details["loc"] if isinstance(each, str)]
    key, table = (names[-1] if names else ""), _table(names[:-1])
    kind = details["type"]
    if not table:
        return None
    if kind == "missing":
        return UsageError(f"{at}: {_where(table)} has no {key}", f"add {_EXAMPLES.get(key, key)}")
    value = shown(details["input"])
    if kind in {"greater_than_equal", "less_than_equal"} and (bounds := _bounds(table, key)):
        return UsageError(f"{at}: {key} = {value} is not in the range {bounds}", f"{key} accepts {bounds}")
    if kind == "literal_error":
        return UsageError(
            f"{at}: {key} = {value} cannot be tracked", f"use one of {', '.join(get_args(TrackedQuantity))}"
        )
    return _kind_error(at, kind, key, value)


def _kind_error(at: str, kind: str, key: str, value: str) -> UsageError | None:
    """A value of another kind than the key has."""
    if kind in {"model_type", "dict_type", "model_attributes_type"} and key in HEADERS:
        return UsageError(f"{at}: {key} is not a table", f"write {HEADERS[key]}")
    if kind == "list_type" and key in HEADERS:
        return UsageError(f"{at}: {key} is a single table, but a list of tables is required", f"write {HEADERS[key]}")
    if kind == "bool_type" and key == "purge":
        return UsageError(
            f"{at}: {key} = {value} is not true or false",
            "name the method at the top of the file, before the first table; here purge says whether to purge",
        )
    return None


def _table(names: list[str]) -> str:
    """The innermost table among some names; empty at the top of the file."""
    return next((each for each in reversed(names) if each in TABLES), "")


def _where(table: str) -> str:
    """A table as errors name it: by its header, if it has one."""
    return {"": "the campaign", "track": "track"}.get(table) or HEADERS[table]


def _bounds(table: str, key: str) -> str:
    field = TABLES[table].model_fields.get(key)
    limits: dict[str, Any] = {}
    for each in field.metadata if field else ():
        limits |= {name: getattr(each, name) for name in ("ge", "le") if hasattr(each, name)}
    match limits:
        case {"ge": least, "le": most}:
            return f"{least} to {most}"
        case {"ge": least}:
            return f"{least} or more"
    return ""
