"""From what a user asks to a checked list of cells, with their cost in time and wear. Pure: touches nothing."""

from iosonde.plans.build import QUICK_TIMING, Ground, campaign_plan, probe_plan, timing_of
from iosonde.plans.campaign_file import CampaignTable, campaign_schema
from iosonde.plans.cost import ASSUMED_WRITE_BYTES_PER_S, Cost, cell_duration_ns, cell_overhead_ns, plan_cost
from iosonde.plans.limits import (
    COUNT_MAX,
    JOBS_MAX,
    OPEN_LOOP_DEPTH,
    QUEUE_DEPTH_MAX,
    SEED_MAX,
    TARGETS_MAX,
    check_alignment,
    check_plan,
    check_rate,
    check_whole,
)
from iosonde.plans.names import cell_name
from iosonde.plans.profiles import PROFILES, load_profile
from iosonde.plans.read_campaign import read_campaign
from iosonde.plans.verifying import account_bytes, is_verified, verified_step_bytes

__all__ = [
    "ASSUMED_WRITE_BYTES_PER_S",
    "COUNT_MAX",
    "JOBS_MAX",
    "OPEN_LOOP_DEPTH",
    "PROFILES",
    "QUEUE_DEPTH_MAX",
    "QUICK_TIMING",
    "SEED_MAX",
    "TARGETS_MAX",
    "CampaignTable",
    "Cost",
    "Ground",
    "account_bytes",
    "campaign_plan",
    "campaign_schema",
    "cell_duration_ns",
    "cell_name",
    "cell_overhead_ns",
    "check_alignment",
    "check_plan",
    "check_rate",
    "check_whole",
    "is_verified",
    "load_profile",
    "plan_cost",
    "probe_plan",
    "read_campaign",
    "timing_of",
    "verified_step_bytes",
]
