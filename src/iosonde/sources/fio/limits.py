"""Refuses workloads that fio cannot run as requested, before anything is touched."""

from collections.abc import Iterator
from typing import Final

from iosonde.errors import UsageError
from iosonde.records import (
    Access,
    Arrivals,
    BlockSizes,
    CellPlan,
    HotSpots,
    Pareto,
    Permutation,
    Plan,
    Runs,
    Strided,
    Sync,
    Workload,
    Zipf,
)
from iosonde.records.workload import ALL_READS
from iosonde.units import MILLISECOND_NS, exact_duration

# fio calculates in whole microseconds: at 100,000 operations/s it submits 5 % more, at 600,000 three times as many.
POISSON_PER_S_MAX: Final = 100_000
PERCENT_PERMILLE: Final = 10
MICROSECOND_NS: Final = 1_000
# Above this many blocks the weights of fio's zipf are wrong (lib/zipf.c, ZIPF_MAX_GEN).
RANKS_MAX: Final = 10_000_000
HARMONIC_PERMILLE: Final = 1_000


def check_fio_can(plan: Plan) -> None:
    """Raises UsageError for the first cell of a plan that fio cannot measure as requested."""
    for cell in plan.cells:
        reason = next(_reasons(cell, plan.span_bytes), None)
        if reason is not None:
            raise UsageError(
                f"{cell.cell}: {reason}",
                "omit --engine fio; the iosonde engine (--engine auto) can measure this cell",
            )


def percents_of(mix: BlockSizes) -> tuple[tuple[int, int], ...] | None:
    """The block sizes of a mix with their shares in whole percent, as fio needs; None if a share is not whole."""
    whole = sum(weight for _, weight in mix.shares)
    shares = [(size, *divmod(ALL_READS * weight, whole)) for size, weight in mix.shares]
    if any(rest for _, _, rest in shares):
        return None
    return tuple((size, percent) for size, percent, _ in shares)


def _reasons(cell: CellPlan, span_bytes: int) -> Iterator[str]:
    workload = cell.workload
    yield from _of_shape(workload)
    yield from _of_flushes(workload)
    yield from _of_pace(workload)
    yield from _of_content(workload)
    share_bytes = workload.block_size_bytes * workload.jobs
    amount_bytes = cell.timing.amount_bytes
    if amount_bytes is not None and amount_bytes % share_bytes:
        yield "each fio job transfers only whole blocks, so the amount of data must be a multiple of jobs x block size"
    if cell.timing.limit_ns is not None:
        yield "iosonde gives fio no time limit for an amount of data"
    if cell.timing.decide_ns is not None:
        yield "fio cannot end a trial when its samples are steady"
    # Seen in fio 3.33: its time is already over at the end of such a ramp, and it reports no latency.
    if amount_bytes is None and cell.timing.warmup_ns >= cell.timing.measure_ns:
        yield "fio can exit before the measurement starts if the warm-up is not shorter than the duration"
    if any(time_ns % MILLISECOND_NS for time_ns in (cell.timing.warmup_ns, cell.timing.measure_ns)):
        yield "fio reports times in milliseconds, so the warm-up and the duration must be whole milliseconds"
    used_bytes = span_bytes - workload.offset_bytes if workload.span_bytes is None else workload.span_bytes
    if isinstance(workload.pattern, Zipf) and used_bytes > RANKS_MAX * workload.block_size_bytes:
        yield f"fio computes zipf from the first {RANKS_MAX:,} ranks only, and this test region has more blocks"


def _of_shape(workload: Workload) -> Iterator[str]:
    mix, pattern = workload.block_sizes, workload.pattern
    if workload.trim_percent:
        yield "fio can trim block devices, but not files"
    if mix is not None and percents_of(mix) is None:
        yield "fio accepts block-size shares only as whole percentages"
    match pattern:
        case Strided():
            yield "fio accesses the same blocks in each pass of a strided pattern"
        case Permutation() if workload.jobs > 1:
            yield "each fio job accesses every block; fio does not divide the blocks among the jobs"
        case Permutation() if mix is not None:
            yield "fio shortens blocks in a permutation if block sizes are mixed"
        case Access.SEQUENTIAL | Runs() if workload.reads and workload.writes:
            yield "fio uses separate offsets for sequential reads and writes; iosonde uses a shared one"
        case Zipf() | Pareto() | HotSpots():
            yield from _of_skew(pattern)
        case _:
            pass


def _of_content(workload: Workload) -> Iterator[str]:
    if workload.write_cache is not None:
        yield "fio does not set the write cache of a drive"
    if workload.verify:
        yield "fio does not write the checksums that iosonde verifies"
    if workload.compressible_percent or workload.duplicates_percent:
        yield "fio defines compressible and duplicate data differently from iosonde"


def _of_skew(pattern: Zipf | Pareto | HotSpots) -> Iterator[str]:
    match pattern:
        case Zipf(exponent_permille, _) if exponent_permille == HARMONIC_PERMILLE:
            yield "fio's zipf does not support an exponent of exactly 1"
        case Zipf(_, scattered) | Pareto(_, scattered) if not scattered:
            yield "fio always scatters the hot blocks of zipf and pareto"
        case HotSpots(_, True):
            yield "fio's zones are contiguous and cannot be scattered"
        case HotSpots(zones) if any(share % PERCENT_PERMILLE for zone in zones for share in zone):
            yield "fio accepts zones only as whole percentages"
        case HotSpots(zones) if any(not accesses for accesses, _ in zones):
            yield "fio does not support zones without accesses"
        case _:
            pass


def _of_flushes(workload: Workload) -> Iterator[str]:
    if workload.sync is not Sync.FDATASYNC:
        return
    if workload.reads:
        yield "fio also flushes after reads if reads and writes are mixed"
    if workload.queue_depth > 1:
        yield "fio's flushes do not wait for earlier writes at a queue depth above 1"


def _of_pace(workload: Workload) -> Iterator[str]:
    if workload.think_ns is not None and workload.think_ns % MICROSECOND_NS:
        yield "fio accepts think time only in whole microseconds"
    if workload.on_ns is not None and workload.off_ns is not None:
        yield f"fio has no duty cycle ({exact_duration(workload.on_ns)} on, {exact_duration(workload.off_ns)} off)"
    rate_per_s = workload.rate_per_s
    if rate_per_s is None:
        return
    shares = [percent for percent in (workload.read_percent, workload.write_percent) if percent]
    if any(rate_per_s * percent % (ALL_READS * workload.jobs) for percent in shares):
        yield "fio requires an integer rate per job and direction, and this rate does not divide evenly"
    if workload.arrivals is Arrivals.POISSON and rate_per_s > POISSON_PER_S_MAX * workload.jobs:
        yield f"fio's Poisson arrivals are inaccurate above {POISSON_PER_S_MAX:,} operations per second per job"
