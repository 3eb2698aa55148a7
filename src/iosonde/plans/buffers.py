"""The memory that the engine's I/O buffers take: the same sum as it does itself (engine/src/pattern/payload.rs)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iosonde.records import CellPlan, Engine, Plan, Workload
from iosonde.vocabulary import EngineChoice

PAGE_BYTES: Final = 4096
# Random data that all slots of a cell share out among themselves, the least that one gets, what a worker of one slot
# gets at least, and what all such workers get together at most.
POOL_BYTES: Final = 2 << 20
POOL_BYTES_MIN: Final = 16 << 10
POOL_BYTES_ALONE: Final = 128 << 10
POOLS_BYTES_MAX: Final = 64 << 20
# After so many bytes a duplicate begins again.
DUPLICATE_BYTES: Final = 128 << 10
# What the engine takes beside its buffers, whatever it measures (`make bench` shows it); and, where it has hundreds of
# threads, what each of them takes for its histograms: 256 of psync were seen with 350 KiB each. With a rate, each class
# of operations has four histograms instead of one.
BESIDE_BYTES_MIN: Final = 64 << 20
THREAD_BYTES: Final = 512 << 10
OPEN_LOOP_THREAD_BYTES: Final = 2 << 20


@dataclass(frozen=True)
class Buffers:
    """The I/O buffers of one cell, all its workers together, and what the engine takes beside them at most."""

    cell: str
    buffer_bytes: int
    beside_bytes: int


def largest_buffers(plan: Plan, choice: EngineChoice) -> Buffers | None:
    """The cell whose buffers take the most, by the engines that may measure it; None where there is no data.

    Where fio measures, its buffers are its own, and the engine only fills.
    """
    found = [
        Buffers(cell.cell, buffer_bytes(cell.workload, engine), _beside_bytes(cell.workload, engine))
        for cell, engine in _measured(plan, choice)
    ]
    return max(found, key=lambda buffers: buffers.buffer_bytes, default=None)


def buffer_bytes(workload: Workload, engine: Engine) -> int:
    """What the buffers of all workers of a workload take. Only psync has a thread for each operation in flight."""
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
    """Each cell with each engine that may measure it. Whether io_uring can be had is not known beforehand."""
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
    """In whole pages."""
    return -(-size_bytes // PAGE_BYTES) * PAGE_BYTES
