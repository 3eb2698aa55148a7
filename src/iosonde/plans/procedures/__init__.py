"""Standard procedures: a TOML file each, in the same format as a user's, and the plans that follow from them."""

from iosonde.plans.procedures.build_procedures import procedures_plan
from iosonde.plans.procedures.read_procedures import ProcedureCampaign, load_procedures, read_procedures
from iosonde.plans.procedures.schema import procedures_schema

__all__ = ["ProcedureCampaign", "load_procedures", "procedures_plan", "procedures_schema", "read_procedures"]
