"""The memory for the engine's I/O buffers, calculated as the engine does it (engine/src/pattern/payload.rs)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iosonde.records import CellPlan, Engine, Plan, Workload
from iosonde.vocabulary import EngineChoice

PAGE_BYTES: Final = 4096
# Random data for writes: the total for all slots of a cell, the minimum per slot, the minimum for a worker with one
# slot, and the maximum for all such workers together.
POOL_BYTES: Final = 2 << 20
POOL_BYTES_MIN: Final = 16 << 10
POOL_BYTES_ALONE: Final = 128 << 10
POOLS_BYTES_MAX: Final = 64 << 20
# Duplicates repeat after this many bytes.
DUPLICATE_BYTES: Final = 128 << 10
# The engine's memory besides its buffers, for any workload (`make bench` shows it). With hundreds of threads, the
# histograms of each take THREAD_BYTES: 256 psync threads took 350 KiB each. With a rate, each kind of operation has
# four histograms instead of one.
BESIDE_BYTES_MIN: Final = 64 << 20
THREAD_BYTES: Final = 512 << 10
OPEN_LOOP_THREAD_BYTES: Final = 2 << 20


@dataclass(frozen=True)
class Buffers:
    """The I/O buffers of all workers of one cell, and an upper bound of the engine's other memory."""

    cell: str
    buffer_bytes: int
    beside_bytes: int


def largest_buffers(plan: Plan, choice: EngineChoice) -> Buffers | None:
    """The cell with the largest buffers, over all engines that may measure it; None if no cell has buffers.

    fio has buffers of its own. If fio measures, only the preconditioning writes of iosonde's engine count.
    """
    found = [
        Buffers(cell.cell, buffer_bytes(cell.workload, engine), _beside_bytes(cell.workload, engine))
        for cell, engine in _measured(plan, choice)
    ]
    return max(found, key=lambda buffers: buffers.buffer_bytes, default=None)


def buffer_bytes(workload: Workload, engine: Engine) -> int:
    """The size of the buffers of all workers of a workload. psync has a thread per operation in flight."""
    threads_each = _threads_each(workload, engine)
    slots = workload.queue_depth // threads_each
    size = slots * _slot_bytes(workload, slots)
    if workload.writes and workload.duplicates_percent:
        size += DUPLICATE_BYTES + _whole(workload.block_size_bytes)
    return max(_whole(size), PAGE_BYTES) * workload.jobs * threads_each * workload.targets


def _threads_each(workload: Workload, engine: Engine) -> int:
    return workload.queue_depth if engine is Engine.PSYNC else 1


def _beside_bytes(workload: Workload, engine: Engine) -> int:
    threads = workload.jobs * workload.targets * _threads_each(workload, engine)
    return max(BESIDE_BYTES_MIN, threads * (OPEN_LOOP_THREAD_BYTES if workload.is_open_loop else THREAD_BYTES))


def _measured(plan: Plan, choice: EngineChoice) -> Iterator[tuple[CellPlan, Engine]]:
    """Each cell with each engine that may measure it. Whether io_uring is available is unknown before the run."""
    if choice is EngineChoice.SIMULATION:
        return
    unknown = choice in {EngineChoice.AUTO, EngineChoice.FIO}
    own = (Engine.IO_URING, Engine.PSYNC) if unknown else (Engine(choice.value),)
    writes = tuple(step.cell for step in plan.writes_first)
    cells = () if choice is EngineChoice.FIO else plan.cells
    yield from ((cell, engine) for cell in (*writes, *cells) for engine in own)


def _slot_bytes(workload: Workload, slots: int) -> int:
    reserve = _whole(workload.block_size_bytes)
    pool = _pool_bytes(workload.operations_in_flight, slots)
    return (reserve if workload.reads else 0) + (reserve + pool if workload.writes else 0)


def _pool_bytes(in_flight: int, slots: int) -> int:
    alone = min(POOL_BYTES_ALONE, POOLS_BYTES_MAX // in_flight) if slots == 1 else 0
    return _whole(max(POOL_BYTES // in_flight, alone, POOL_BYTES_MIN))


def _whole(size_bytes: int) -> int:
    """Rounds up to whole pages."""
    return -(-size_bytes // PAGE_BYTES) * PAGE_BYTES
