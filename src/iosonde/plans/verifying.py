"""What it takes to verify a plan: which blocks are judged as one, and the memory that their account needs."""

from math import gcd
from typing import Final

from iosonde.errors import UsageError
from iosonde.records import CellPlan, Data, Plan, Workload
from iosonde.units import format_size

# A word for each block; the engine holds the same bound.
STEP_ACCOUNT_BYTES: Final = 8
STEPS_MAX: Final = 1 << 27
# Each sector of 512 bytes keeps the 32 of its seal.
COMPRESSIBLE_PERCENT_MAX: Final = 90


def is_verified(plan: Plan) -> bool:
    """Whether the targets are read back and compared with what was written."""
    return any(cell.workload.verify for cell in plan.cells)


def verified_step_bytes(plan: Plan) -> int:
    """The bytes that are judged as one: the largest that goes into every block that is written, and every offset."""
    return gcd(*(step for cell in plan.every_cell if cell.workload.verify for step in _steps_of(cell.workload)))


def _steps_of(workload: Workload) -> tuple[int, ...]:
    mix = workload.block_sizes
    sizes = (workload.block_size_bytes,) if mix is None else tuple(size for size, _ in mix.shares)
    return (*sizes, workload.offset_bytes)


def account_bytes(plan: Plan) -> int:
    """What the account of one target's blocks takes, in memory and in the run directory."""
    return plan.span_bytes // verified_step_bytes(plan) * STEP_ACCOUNT_BYTES


def read_back_bytes(plan: Plan, cell: CellPlan) -> int:
    """What is read after a cell: all of every target that the plan uses, where the cell is to be verified."""
    return plan.span_bytes * max(each.workload.targets for each in plan.every_cell) if cell.workload.verify else 0


def check_account(plan: Plan) -> None:
    """Raises UsageError where the account would be too large."""
    if not is_verified(plan):
        return
    step_bytes = verified_step_bytes(plan)
    if plan.span_bytes // step_bytes > STEPS_MAX:
        raise UsageError(
            f"verifying {format_size(plan.span_bytes)} in blocks of {format_size(step_bytes)} needs a write ledger of "
            f"{format_size(account_bytes(plan))}, more than the limit of {format_size(STEPS_MAX * STEP_ACCOUNT_BYTES)}",
            "use larger blocks or a smaller --size, or omit verify",
        )


def check_data(cell: CellPlan) -> None:
    """Raises UsageError for data that cannot be had, or not verified."""
    workload = cell.workload
    compressible, duplicates = workload.compressible_percent, workload.duplicates_percent
    if compressible and workload.data is not Data.RANDOM:
        raise UsageError(
            f"{cell.cell}: compressible needs random data, but data is {workload.data}",
            "set only one of them: data = compressible means compressible = 50, and compressible = 100 is mostly zeros",
        )
    if duplicates and workload.data is Data.ZEROS:
        raise UsageError(
            f"{cell.cell}: duplicates cannot be combined with zeros: blocks of zeros are already identical",
            "omit duplicates",
        )
    if not workload.verify:
        return
    if not workload.changes:
        raise UsageError(
            f"{cell.cell}: verify needs writes, but the workload has none",
            "add writes (--read below 100), or omit --verify",
        )
    if workload.data is Data.ZEROS or duplicates or compressible > COMPRESSIBLE_PERCENT_MAX:
        asked = f"{duplicates} % duplicates" if duplicates else f"{compressible} % compressible"
        raise UsageError(
            f"{cell.cell}: {'zeros' if workload.data is Data.ZEROS else asked} cannot be verified, because "
            "verification writes a unique header to each sector",
            f"use data without duplicates and at most {COMPRESSIBLE_PERCENT_MAX} % compressible",
        )
