"""From a request to a checked list of cells, with their cost in time and bytes written. Pure: opens no target."""

from iosonde.plans.buffers import Buffers, largest_buffers
from iosonde.plans.build import QUICK_TIMING, campaign_plan, cell_seed, probe_plan
from iosonde.plans.campaign_file import CampaignTable, campaign_schema
from iosonde.plans.cost import (
    ASSUMED_WRITE_BYTES_PER_S,
    CELL_OVERHEAD_NS,
    Cost,
    cell_overhead_ns,
    plan_cost,
    preparation_ns,
    timed,
    trials_at_most,
    turn_duration_ns,
)
from iosonde.plans.limits import (
    PRECISION_PERCENT_MAX,
    PRECISION_PERCENT_MIN,
    SEED_MAX,
    check_alignment,
    check_plan,
    check_switch,
    check_transfers,
    check_whole,
)
from iosonde.plans.names import cell_name
from iosonde.plans.precision import (
    DEFAULT_BUDGET_NS,
    ROUNDING_NS,
    first_timing,
    timing_between,
    turn_cost_ns,
)
from iosonde.plans.preconditioning import Preconditioning, TargetInfo
from iosonde.plans.preparing_plan import preconditioning_of, preparation_plan
from iosonde.plans.probe_request import choice_of, probe_request
from iosonde.plans.profiles import (
    DATA_SHEET_PROFILE,
    DEFAULT_PROFILE,
    PROFILES,
    PURPOSES,
    SLOW_FORMS,
    load_profile,
)
from iosonde.plans.read_campaign import read_campaign
from iosonde.plans.remaining import LongestRest, Remaining, remaining
from iosonde.plans.verifying import account_bytes, is_verified, verified_step_bytes

__all__ = [
    "ASSUMED_WRITE_BYTES_PER_S",
    "CELL_OVERHEAD_NS",
    "DATA_SHEET_PROFILE",
    "DEFAULT_BUDGET_NS",
    "DEFAULT_PROFILE",
    "PRECISION_PERCENT_MAX",
    "PRECISION_PERCENT_MIN",
    "PROFILES",
    "PURPOSES",
    "QUICK_TIMING",
    "ROUNDING_NS",
    "SEED_MAX",
    "SLOW_FORMS",
    "Buffers",
    "CampaignTable",
    "Cost",
    "LongestRest",
    "Preconditioning",
    "Remaining",
    "TargetInfo",
    "account_bytes",
    "campaign_plan",
    "campaign_schema",
    "cell_name",
    "cell_overhead_ns",
    "cell_seed",
    "check_alignment",
    "check_plan",
    "check_switch",
    "check_transfers",
    "check_whole",
    "choice_of",
    "first_timing",
    "is_verified",
    "largest_buffers",
    "load_profile",
    "plan_cost",
    "preconditioning_of",
    "preparation_ns",
    "preparation_plan",
    "probe_plan",
    "probe_request",
    "read_campaign",
    "remaining",
    "timed",
    "timing_between",
    "trials_at_most",
    "turn_cost_ns",
    "turn_duration_ns",
    "verified_step_bytes",
]
