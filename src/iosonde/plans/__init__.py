"""From what a user asks to a checked list of cells, with their cost in time and wear. Pure: touches nothing."""

from iosonde.plans.build import cell_name, lab_plan, probe_plan
from iosonde.plans.cost import ASSUMED_WRITE_BYTES_PER_S, Cost, cell_duration_ns, plan_cost
from iosonde.plans.lab import LAB_TIMING, QUICK_TIMING, lab_cells
from iosonde.plans.limits import check_alignment, check_plan

__all__ = [
    "ASSUMED_WRITE_BYTES_PER_S",
    "LAB_TIMING",
    "QUICK_TIMING",
    "Cost",
    "cell_duration_ns",
    "cell_name",
    "check_alignment",
    "check_plan",
    "lab_cells",
    "lab_plan",
    "plan_cost",
    "probe_plan",
]
