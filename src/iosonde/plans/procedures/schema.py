"""The JSON Schema of a file of standard procedures, for editors."""

from typing import Any

from iosonde.plans.procedure_files import procedure_names
from iosonde.plans.procedures.read_procedures import DEFAULTS, USE, ProcedureCampaign


def procedures_schema() -> dict[str, Any]:
    """The JSON Schema of a campaign file with ``[[procedure]]`` tables (docs/procedures.schema.json).

    A table that uses a shipped procedure has its name and phases from there.
    """
    schema = ProcedureCampaign.model_json_schema()
    schema["title"] = "iosonde procedures"
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    tables = schema["$defs"]
    table, cells = tables["ProcedureTable"], tables["CellsTable"]
    table["properties"][USE] = {
        "enum": list(procedure_names()),
        "description": "The shipped procedure that this one is based on. The other keys replace its own.",
    }
    table["properties"][DEFAULTS] = {
        **cells,
        "title": "DefaultsTable",
        "description": "Values for the cells of all phases that do not have the key.",
    }
    # Cells have their keys from the defaults as well.
    cells.pop("required", None)
    table["properties"][DEFAULTS].pop("required", None)
    table["anyOf"] = [{"required": [USE]}, {"required": table.pop("required")}]
    return schema
