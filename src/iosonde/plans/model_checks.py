"""Checks that the settings of a workload can be combined, and that its region fits into the test region."""

from iosonde.errors import UsageError
from iosonde.records import CellPlan, Experiment, FastRandom, Permutation, Strided, Sync, Workload
from iosonde.records.workload import ALL_READS
from iosonde.units import exact_duration, exact_size
from iosonde.workload_keys.bounds import DURATION_NS_MAX, DURATION_NS_MIN, SECTOR_BYTES


def checked_span(cell: str, workload: Workload, whole_bytes: int) -> int:
    """The bytes that a workload uses on each target. Raises UsageError if they exceed the test region."""
    offset_bytes = workload.offset_bytes
    if offset_bytes % SECTOR_BYTES:
        raise UsageError(
            f"{cell}: offset {exact_size(offset_bytes)} is not a multiple of {SECTOR_BYTES} B",
            f"use a multiple of {SECTOR_BYTES} B, such as 1GiB",
        )
    span_bytes = whole_bytes - offset_bytes if workload.span_bytes is None else workload.span_bytes
    if offset_bytes >= whole_bytes:
        raise UsageError(
            f"{cell}: offset {exact_size(offset_bytes)} is not within the test region ({exact_size(whole_bytes)})",
            "use a smaller offset, or a larger --size",
        )
    if span_bytes <= 0:
        raise UsageError(f"{cell}: the span is {exact_size(span_bytes)}", "use a span of at least the block size")
    if offset_bytes + span_bytes > whole_bytes:
        used = f"{exact_size(span_bytes)} at offset {exact_size(offset_bytes)}"
        raise UsageError(
            f"{cell}: {used} exceeds the test region ({exact_size(whole_bytes)})",
            "use a smaller span or offset, or a larger --size",
        )
    return span_bytes


def check_shape(plan: CellPlan, span_bytes: int) -> None:
    """Raises UsageError for settings that cannot be combined."""
    cell, workload = plan.cell, plan.workload
    if isinstance(workload.pattern, FastRandom) and Experiment.PROCEDURE not in plan.experiments:
        raise UsageError(
            f"{cell}: {workload.pattern} is a preconditioning write, not a workload to measure",
            f'set precondition = "{workload.pattern.word}" in a campaign file, and measure pattern random',
        )
    read, trim = workload.read_percent, workload.trim_percent
    if read + trim > ALL_READS:
        raise UsageError(
            f"{cell}: {read} % reads and {trim} % trims add up to more than {ALL_READS} %",
            "reduce one of them; operations that are neither reads nor trims are writes",
        )
    if workload.flush_every > 1 and workload.sync is not Sync.FDATASYNC:
        raise UsageError(
            f"{cell}: flushing after every {workload.flush_every} writes requires fdatasync", "set sync to fdatasync"
        )
    if workload.burst_operations is not None and workload.is_open_loop:
        raise UsageError(f"{cell}: rate and bursts cannot be combined", "omit one of them")
    _check_pattern(cell, workload, span_bytes)


def check_duty(cell: CellPlan) -> None:
    """Raises UsageError for a duty cycle that cannot be kept, or that leaves nothing to measure."""
    name, workload, timing = cell.cell, cell.workload, cell.timing
    on_ns, off_ns = workload.on_ns, workload.off_ns
    if on_ns is None or off_ns is None:
        return
    if workload.is_open_loop or workload.burst_operations is not None:
        other = "a rate" if workload.is_open_loop else "bursts"
        raise UsageError(f"{name}: on-time and off-time cannot be combined with {other}", "omit one of them")
    for key, value in (("on-time", on_ns), ("off-time", off_ns)):
        if not DURATION_NS_MIN <= value <= DURATION_NS_MAX:
            raise UsageError(
                f"{name}: {key} {exact_duration(value)} is not in the range "
                f"{exact_duration(DURATION_NS_MIN)} to {exact_duration(DURATION_NS_MAX)}",
                "use a time such as 5s",
            )
    starts_off = not workload.submits_at(timing.warmup_ns)
    if timing.amount_bytes is None and starts_off and timing.measure_ns <= _to_next(timing.warmup_ns, on_ns + off_ns):
        raise UsageError(
            f"{name}: the measurement lies within an off-time", "use a longer duration, or another warm-up"
        )


def _to_next(time_ns: int, period_ns: int) -> int:
    """The time to the start of the next period."""
    return period_ns - time_ns % period_ns


def _check_pattern(cell: str, workload: Workload, span_bytes: int) -> None:
    pattern, size = workload.pattern, workload.block_size_bytes
    if isinstance(pattern, FastRandom) and span_bytes % size:
        raise UsageError(
            f"{cell}: the region of {exact_size(span_bytes)} is not a multiple of the block size {exact_size(size)}, "
            "so its end would never be written",
            "use another block size, or change --size",
        )
    if isinstance(pattern, FastRandom | Permutation | Strided) and workload.block_sizes is not None:
        raise UsageError(
            f"{cell}: {pattern} accesses each block once, so it needs a single block size",
            "use one block size, or pattern random",
        )
    if isinstance(pattern, Strided):
        most = span_bytes // size // max(workload.jobs, 1) * size
        if pattern.stride_bytes % size or not size <= pattern.stride_bytes <= most:
            raise UsageError(
                f"{cell}: stride {exact_size(pattern.stride_bytes)} must be a multiple of the block size "
                f"({exact_size(size)}) and at most {exact_size(most)}",
                "use another stride or another block size",
            )
