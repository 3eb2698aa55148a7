"""The verification of a plan: the block size of its checks, and the memory of its write ledger."""

from math import gcd
from typing import Final

from iosonde.errors import UsageError
from iosonde.records import CellPlan, Data, Plan, Workload
from iosonde.units import format_size

# One 8-byte entry per block. The engine has the same limit.
STEP_ACCOUNT_BYTES: Final = 8
STEPS_MAX: Final = 1 << 27
# Each sector of 512 bytes contains a header of 32 bytes that cannot be compressed.
COMPRESSIBLE_PERCENT_MAX: Final = 90


def is_verified(plan: Plan) -> bool:
    """Whether the targets are read back and compared with what was written."""
    return any(cell.workload.verify for cell in plan.cells)


def verified_step_bytes(plan: Plan) -> int:
    """The block size of checks: the greatest common divisor of the block sizes and offsets of all verified cells."""
    return gcd(*(step for cell in plan.every_cell if cell.workload.verify for step in _steps_of(cell.workload)))


def _steps_of(workload: Workload) -> tuple[int, ...]:
    mix = workload.block_sizes
    sizes = (workload.block_size_bytes,) if mix is None else tuple(size for size, _ in mix.shares)
    return (*sizes, workload.offset_bytes)


def account_bytes(plan: Plan) -> int:
    """The size of one target's write ledger, in memory and in the run directory."""
    return plan.span_bytes // verified_step_bytes(plan) * STEP_ACCOUNT_BYTES


def read_back_bytes(plan: Plan, cell: CellPlan) -> int:
    """The bytes that are read back after a cell: the test region of all used targets, or 0 without verification."""
    return plan.span_bytes * max(each.workload.targets for each in plan.every_cell) if cell.workload.verify else 0


def check_account(plan: Plan) -> None:
    """Raises UsageError if the write ledger would be too large."""
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
    """Raises UsageError for data that cannot be generated, or cannot be verified."""
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
            f"use data that contains no duplicates and is at most {COMPRESSIBLE_PERCENT_MAX} % compressible",
        )
