"""The writes that prepare the targets of a plan, by the form of preconditioning."""

from dataclasses import dataclass
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.campaign_file import DEFAULT_OVER_PROVISIONING_PERMILLE, CampaignTable
from iosonde.plans.timings import SLOW_BYTES_PER_S, amount_timing
from iosonde.records import Access, CellPlan, Data, Experiment, FastRandom, Step, Workload, in_order, one_stream
from iosonde.records.pattern import Shaped
from iosonde.units import exact_size
from iosonde.vocabulary import Precondition, WriteCache
from iosonde.workload_keys.keys import WRITE_CACHE

FILL_BLOCK_BYTES: Final = 1 << 20
# Smaller blocks would take a minute to simulate on a disk of many TB. The drive's state afterwards is the same.
LARGE_SPAN_BYTES: Final = 4 << 40
LARGE_FILL_BLOCK_BYTES: Final = 8 << 20
FILL_DEPTH: Final = 8
# SNIA PTS 2.0.2, 3.3: workload-independent preconditioning is twice the capacity in sequential writes of 128 KiB.
INDEPENDENT_BLOCK_BYTES: Final = 128 << 10
CAPACITIES: Final = 2
RANDOM_BLOCK_BYTES: Final = 4 << 10
# Small random writes of a slow drive. At the rate of large blocks, they would have ten times as many intervals.
SLOW_RANDOM_BYTES_PER_S: Final = 10**7
DEPTH: Final = 32
"""The queue depth of all forms but ``once``: enough for the write bandwidth of most drives with small blocks."""


@dataclass(frozen=True)
class TargetInfo:
    """The targets of a plan: the size of the test region on each, their number, and whether to precondition them.

    ``slow`` means that the targets are expected to be too slow for a campaign of minutes. ``is_device`` means that they
    are block devices, whose settings can be changed, and ``is_file`` that they are files, which cannot be purged.
    ``scale`` is that of simulated drives.
    """

    span_bytes: int
    fill: bool
    targets: int = 1
    slow: bool = False
    is_device: bool = False
    is_file: bool = False
    scale: int = 1


@dataclass(frozen=True)
class Preconditioning:
    """How to write the targets before they are measured, and the data.

    ``capacities`` is the amount of ``independent`` or ``random`` writes, in multiples of the test region.
    ``block_size_bytes`` is that of random writes. ``over_provisioning_permille`` and ``slc_cache_bytes`` are what
    ``fast-random`` assumes of the drive. ``write_cache`` is the setting of the drives' write caches meanwhile.
    """

    form: Precondition = Precondition.ONCE
    data: Data = Data.RANDOM
    verify: bool = False
    capacities: int = CAPACITIES
    block_size_bytes: int = RANDOM_BLOCK_BYTES
    over_provisioning_permille: int = DEFAULT_OVER_PROVISIONING_PERMILLE
    slc_cache_bytes: int = 0
    write_cache: WriteCache | None = None


def asked_preconditioning(campaign: CampaignTable) -> Preconditioning:
    """The preconditioning that a campaign file asks for."""
    given = {
        "capacities": campaign.precondition_capacities,
        "block_size_bytes": campaign.precondition_block_size,
        "over_provisioning_permille": campaign.over_provisioning,
        "slc_cache_bytes": campaign.slc_cache,
    }
    return Preconditioning(
        form=campaign.precondition or Precondition.ONCE,
        data=campaign.fill,
        verify=campaign.verify,
        write_cache=_write_cache(campaign),
        **{key: value for key, value in given.items() if value is not None},
    )


def _write_cache(campaign: CampaignTable) -> WriteCache | None:
    """The setting of all cells, as in SNIA PTS 2.0.2, 3.3; if they differ, the caches stay as they are."""
    asked: set[WriteCache | None] = set()
    for table in campaign.experiment:
        found = table.values(WRITE_CACHE)
        asked.update(found or {None})
    return asked.pop() if len(asked) == 1 else None


def preparation_steps(target: TargetInfo, asked: Preconditioning) -> tuple[Step, ...]:
    """The preconditioning steps: none unless the targets are to be written. Raises UsageError."""
    if not target.fill:
        return ()
    match asked.form:
        case Precondition.NONE:
            cells = []
        case Precondition.ONCE:
            cells = [fill_cell(target, asked.data, verify=asked.verify)]
        case Precondition.INDEPENDENT:
            amount_bytes = asked.capacities * target.span_bytes
            cells = [_write(target, asked, Access.SEQUENTIAL, INDEPENDENT_BLOCK_BYTES, amount_bytes)]
        case Precondition.RANDOM:
            amount_bytes = asked.capacities * target.span_bytes
            fill = fill_cell(target, asked.data, verify=asked.verify)
            cells = [fill, _write(target, asked, Access.RANDOM, asked.block_size_bytes, amount_bytes)]
        case Precondition.FAST_RANDOM:
            cells = [*_cache_writes(target, asked), _fast_random(target, asked)]
    return in_order(tuple(_with_cache(cell, asked.write_cache) for cell in cells))


def _with_cache(cell: CellPlan, write_cache: WriteCache | None) -> CellPlan:
    workload = cell.workload.model_copy(update={"write_cache": write_cache})
    return cell.model_copy(update={"streams": one_stream(workload)})


def fill_block_bytes(span_bytes: int) -> int:
    """The block size of preconditioning writes: larger from 4 TiB on, if the test region is a multiple of it."""
    is_large = span_bytes >= LARGE_SPAN_BYTES and span_bytes % LARGE_FILL_BLOCK_BYTES == 0
    return LARGE_FILL_BLOCK_BYTES if is_large else FILL_BLOCK_BYTES


def fill_cell(target: TargetInfo, data: Data = Data.RANDOM, *, verify: bool = False) -> CellPlan:
    """Writes every block of the test region once. Reads of blocks that were never written do not measure the drive."""
    workload = Workload(
        pattern=Access.SEQUENTIAL,
        read_percent=0,
        block_size_bytes=fill_block_bytes(target.span_bytes),
        queue_depth=FILL_DEPTH,
        data=data,
        targets=target.targets,
        verify=verify,
    )
    return _cell("fill", workload, target.span_bytes)


def _fast_random(target: TargetInfo, asked: Preconditioning) -> CellPlan:
    """Modelled writes of all flash that the over-provisioning assumes, and then as much again as its spare part.

    The last writes are plainly random. They let the drive collect garbage by itself, and write the flash of a drive
    with up to twice the assumed over-provisioning. For the model, see ``FastRandom``.
    """
    size_bytes = asked.block_size_bytes
    if target.span_bytes % size_bytes:
        raise UsageError(
            f"precondition = {asked.form}: the test region of {exact_size(target.span_bytes)} is not a multiple of the "
            f"block size {exact_size(size_bytes)}, so its end would never be written",
            "set precondition_block_size to 4KiB, or change --size",
        )
    pattern = FastRandom(asked.over_provisioning_permille)
    return _write(target, asked, pattern, size_bytes, fast_random_bytes(pattern, target.span_bytes, size_bytes))


def fast_random_bytes(pattern: FastRandom, span_bytes: int, size_bytes: int) -> int:
    """The amount of modelled writes: all flash that the over-provisioning assumes, and its spare part once more."""
    blocks = span_bytes // size_bytes
    spare = -(-blocks * pattern.over_provisioning_permille // 1000)
    return (blocks + 2 * spare) * size_bytes


def _cache_writes(target: TargetInfo, asked: Preconditioning) -> list[CellPlan]:
    """Fills a write cache that the drive empties only while idle, such as the SLC cache of a client drive.

    The modelled writes overwrite all of these blocks, and land on the main flash. Otherwise the cache would keep the
    only copy of many blocks, and the main flash would have more spare space than in steady state.
    """
    cache_bytes = -(-asked.slc_cache_bytes // INDEPENDENT_BLOCK_BYTES) * INDEPENDENT_BLOCK_BYTES
    if not cache_bytes:
        return []
    if cache_bytes > target.span_bytes:
        raise UsageError(
            f"slc_cache {exact_size(cache_bytes)} is larger than the test region ({exact_size(target.span_bytes)})",
            "reduce slc_cache, or use a larger --size",
        )
    cell = _write(target, asked, Access.SEQUENTIAL, INDEPENDENT_BLOCK_BYTES, cache_bytes)
    workload = cell.workload.model_copy(update={"span_bytes": cache_bytes})
    return [_cell("write-cache", workload, cache_bytes)]


def _write(
    target: TargetInfo, asked: Preconditioning, pattern: Access | Shaped, size_bytes: int, amount_bytes: int
) -> CellPlan:
    workload = Workload(
        pattern=pattern,
        read_percent=0,
        block_size_bytes=size_bytes,
        queue_depth=DEPTH,
        data=asked.data,
        targets=target.targets,
        verify=asked.verify,
    )
    return _cell(asked.form.value, workload, amount_bytes)


def _cell(name: str, workload: Workload, amount_bytes: int) -> CellPlan:
    is_sequential = workload.pattern is Access.SEQUENTIAL
    slow_bytes_per_s = SLOW_BYTES_PER_S if is_sequential else SLOW_RANDOM_BYTES_PER_S
    timing = amount_timing(amount_bytes, slow_bytes_per_s)
    return CellPlan(cell=name, experiments=(Experiment.FILL,), streams=one_stream(workload), timing=timing)
