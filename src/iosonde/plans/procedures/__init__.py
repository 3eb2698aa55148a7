"""Standard procedures: a TOML file each, in the same format as a user's, and the plans that follow from them."""

from iosonde.plans.procedures.build_procedures import procedures_plan
from iosonde.plans.procedures.read_procedures import (
    ProcedureCampaign,
    has_procedures,
    load_procedures,
    procedure_names,
    read_procedures,
)

__all__ = [
    "ProcedureCampaign",
    "has_procedures",
    "load_procedures",
    "procedure_names",
    "procedures_plan",
    "read_procedures",
]
