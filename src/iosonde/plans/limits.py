"""The limits of a plan, checked before a target is opened. The engine has the same limits."""

from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.model_checks import check_duty, check_shape, checked_span
from iosonde.plans.verifying import check_account, check_data
from iosonde.records import CellPlan, NamespaceFacts, Plan, Sync, Workload
from iosonde.units import MILLISECOND_NS, exact_duration, exact_size, format_rate
from iosonde.workload_keys.bounds import (
    BLOCK_SIZE_BYTES_MAX,
    DURATION_NS_MAX,
    DURATION_NS_MIN,
    JOBS_MAX,
    QUEUE_DEPTH_MAX,
    RATE_PER_S_MAX,
    SECTOR_BYTES,
)

# Small enough to stay exact in every JSON reader.
CELLS_MAX: Final = 10_000
TURNS_MAX: Final = 100_000
SEED_MAX: Final = 2**53 - 1
REPEATS_MAX: Final = 1000
# A drive that needs more writes than this to reach steady state is worn by the preconditioning.
CAPACITIES_MAX: Final = 100
PRECISION_PERCENT_MIN: Final = 0.1
PRECISION_PERCENT_MAX: Final = 50.0
IN_FLIGHT_BYTES_MAX: Final = 4 << 30


def check_whole(value: object, flag: str, least: int, most: int) -> None:
    """Raises UsageError for a value that a flag does not accept, with the message of the command-line parser."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        bounds = f"a whole number from {least} to {most}"
        raise UsageError(f"{flag} {value!r} is not {bounds}", f"set {flag} to {bounds}")


def check_switch(value: object, flag: str) -> None:
    """Raises UsageError unless the value is True or False: a text such as "no" would be true."""
    if not isinstance(value, bool):
        raise UsageError(f"{flag} {value!r} is not True or False", f"set {flag} to True or False, without quotes")


def check_rate(rate_per_s: int) -> None:
    """Raises UsageError for a rate outside the range of open loops."""
    if not 1 <= rate_per_s <= RATE_PER_S_MAX:
        raise UsageError(
            f"--rate {format_rate(rate_per_s)} is not in the range 1 to {format_rate(RATE_PER_S_MAX)} operations "
            "per second",
            "use a rate such as 500 or 20k, or omit --rate to keep each queue full",
        )


def check_plan(plan: Plan, *, targets: int) -> None:
    """Raises UsageError for the first cell that cannot be measured on this many targets in the plan's test region."""
    for cell in plan.every_cell:
        if len(cell.streams) > 1:
            raise UsageError(
                f"{cell.cell} has {len(cell.streams)} streams, but iosonde supports only one stream per cell",
                "define a separate cell for each stream",
            )
    check_account(plan)
    for step in plan.writes_first:
        _check_sizes(step.cell.workload)
        checked_span(step.cell.cell, step.cell.workload, plan.span_bytes)
    for cell in plan.cells:
        _check_cell(cell, plan.span_bytes)
        check_data(cell)
        check_duty(cell)
        if cell.workload.targets > targets:
            raise UsageError(
                f"{cell.cell} needs {cell.workload.targets} targets, but only {targets} "
                f"{'was' if targets == 1 else 'were'} specified",
                "specify more targets, or reduce targets in the campaign file",
            )


def check_alignment(plan: Plan, offset_bytes: int) -> None:
    """Raises UsageError for a cell whose block size violates the alignment that direct I/O requires."""
    for cell in plan.every_cell:
        size = next((size for size in _sizes(cell.workload) if size % offset_bytes), None)
        if size is not None:
            raise UsageError(
                f"block size {size} B is not a multiple of {offset_bytes} B, as direct I/O on this target requires",
                f"set --block-size to a multiple of {offset_bytes} B, or use the page cache with --buffered",
            )


def check_transfers(plan: Plan, namespace: NamespaceFacts | None) -> None:
    """Raises UsageError for a cell whose blocks are too large for one NVMe command, with passthrough."""
    if namespace is None:
        return
    for cell in plan.every_cell:
        large = max(_sizes(cell.workload))
        if large > namespace.transfer_bytes_max:
            raise UsageError(
                f"{cell.cell}: block size {exact_size(large)} exceeds the drive's maximum data transfer size "
                f"({exact_size(namespace.transfer_bytes_max)}), and passthrough does not split commands",
                "use smaller blocks, or use --engine io_uring so that the kernel splits them",
            )


def _sizes(workload: Workload) -> tuple[int, ...]:
    mix = workload.block_sizes
    return (workload.block_size_bytes,) if mix is None else tuple(size for size, _ in mix.shares)


def _check_sizes(workload: Workload) -> None:
    for size in _sizes(workload):
        if size % SECTOR_BYTES or not SECTOR_BYTES <= size <= BLOCK_SIZE_BYTES_MAX:
            bounds = f"{SECTOR_BYTES} B to {exact_size(BLOCK_SIZE_BYTES_MAX)}"
            raise UsageError(
                f"block size {exact_size(size)} must be a multiple of {SECTOR_BYTES} B, from {bounds}",
                "use a size such as --block-size 4KiB",
            )


def _check_cell(cell: CellPlan, span_bytes: int) -> None:
    size, depth = cell.workload.block_size_bytes, cell.workload.queue_depth
    _check_sizes(cell.workload)
    amount_bytes = cell.timing.amount_bytes
    if amount_bytes is not None and amount_bytes < size:
        raise UsageError(
            f"{cell.cell}: amount {exact_size(amount_bytes)} is smaller than the block size {exact_size(size)}",
            "use a larger amount or smaller blocks",
        )
    span_bytes = checked_span(cell.cell, cell.workload, span_bytes)
    check_shape(cell, span_bytes)
    if cell.workload.sync is not Sync.NONE and not cell.workload.writes:
        raise UsageError(
            f"{cell.cell}: {cell.workload.sync} needs writes, but the workload has none",
            "add writes (--read below 100), or omit --sync",
        )
    if size > span_bytes:
        raise UsageError(
            f"block size {exact_size(size)} is larger than the test region of {exact_size(span_bytes)}",
            "use a smaller --block-size or a larger --size",
        )
    if not 1 <= depth <= QUEUE_DEPTH_MAX:
        raise UsageError(f"queue depth {depth} is not in the range 1 to {QUEUE_DEPTH_MAX}", "change --queue-depth")
    if not 1 <= cell.workload.jobs <= JOBS_MAX:
        raise UsageError(f"number of jobs {cell.workload.jobs} is not in the range 1 to {JOBS_MAX}", "change --jobs")
    in_flight = cell.workload.operations_in_flight
    if size * in_flight > IN_FLIGHT_BYTES_MAX:
        raise UsageError(
            f"{cell.cell}: {in_flight} blocks of {exact_size(size)} in flight exceed the limit of "
            f"{exact_size(IN_FLIGHT_BYTES_MAX)}",
            "reduce the queue depth, the number of jobs or the block size",
        )
    if size * cell.workload.jobs > span_bytes:
        raise UsageError(
            f"{cell.cell}: the test region of {exact_size(span_bytes)} is too small for {cell.workload.jobs} jobs with "
            f"a block size of {exact_size(size)}",
            "use fewer jobs or a larger --size",
        )
    for name, duration_ns in (("--duration", cell.timing.measure_ns), ("--warmup", cell.timing.warmup_ns)):
        least = DURATION_NS_MIN if name == "--duration" else 0
        if not least <= duration_ns <= DURATION_NS_MAX:
            raise UsageError(
                f"{name} {exact_duration(duration_ns)} is not in the range {least // MILLISECOND_NS} ms to 30 days",
                "use a time such as 5s",
            )


def check_cells(cells: int, name: str) -> None:
    """Raises UsageError if there are more cells than a plan may have."""
    if cells > CELLS_MAX:
        raise UsageError(f"{name} has {cells:,} cells; the maximum is {CELLS_MAX:,}", "use fewer values")


def check_turns(turns: int) -> None:
    """Raises UsageError if there are more trials than a plan may have."""
    if turns > TURNS_MAX:
        raise UsageError(
            f"the campaign has {turns:,} measurements; the maximum is {TURNS_MAX:,}",
            "use fewer values or fewer repeats",
        )
