"""Plans: cells with names, and the turns in which they are measured, each with a seed of its own."""

import hashlib
import random
from typing import Final

from iosonde.plans.lab import LAB_TIMING, QUICK_TIMING, REPEATS, lab_cells
from iosonde.records import Access, CellPlan, CellTurn, Experiment, Plan, Sync, Timing, Workload
from iosonde.units import SECOND_NS, format_size

FILL_BLOCK_BYTES: Final = 1 << 20
FILL_DEPTH: Final = 8
# Seeds stay below 2^53, so that every JSON reader keeps them exact.
SEED_BITS: Final = 53


def cell_name(workload: Workload) -> str:
    """The name of a workload, the same in every run: ``random-read-4KiB-qd8``, ``random-mix70-4KiB-qd16``."""
    kind = {100: "read", 0: "write"}.get(workload.read_percent, f"mix{workload.read_percent}")
    size = format_size(workload.block_size_bytes).replace(" ", "")
    name = f"{workload.pattern}-{kind}-{size}-qd{workload.queue_depth}"
    return name if workload.sync is Sync.NONE else f"{name}-{workload.sync}"


def lab_plan(*, quick: bool, seed: int, span_bytes: int, fill: bool) -> Plan:
    """The lab profile on a span of a target: every cell once a repeat, in an order drawn anew for each repeat."""
    timing = QUICK_TIMING if quick else LAB_TIMING
    cells = tuple(
        CellPlan(cell=cell_name(workload), experiments=experiments, workload=workload, timing=timing)
        for workload, experiments in lab_cells().items()
    )
    return Plan(
        profile="lab",
        quick=quick,
        seed=seed,
        repeats=REPEATS,
        span_bytes=span_bytes,
        fill=fill_cell(span_bytes) if fill else None,
        cells=cells,
        turns=_turns(cells, REPEATS, seed),
    )


def probe_plan(workload: Workload, timing: Timing, *, seed: int, span_bytes: int, fill: bool) -> Plan:
    """A plan of one cell, measured once with the very seed that was asked for."""
    cell = CellPlan(cell=cell_name(workload), experiments=(Experiment.PROBE,), workload=workload, timing=timing)
    return Plan(
        profile="probe",
        quick=False,
        seed=seed,
        repeats=1,
        span_bytes=span_bytes,
        fill=fill_cell(span_bytes) if fill else None,
        cells=(cell,),
        turns=(CellTurn(order=1, cell=cell.cell, repeat=1, seed=seed),),
    )


def fill_cell(span_bytes: int) -> CellPlan:
    """Writes every block of the span once: reads of blocks that were never written say nothing of a drive."""
    workload = Workload(
        pattern=Access.SEQUENTIAL, read_percent=0, block_size_bytes=FILL_BLOCK_BYTES, queue_depth=FILL_DEPTH
    )
    timing = Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=SECOND_NS // 2, amount_bytes=span_bytes)
    return CellPlan(cell="fill", experiments=(Experiment.FILL,), workload=workload, timing=timing)


def cell_seed(seed: int, cell: str, repeat: int) -> int:
    """The seed of one measurement: the run's seed, the cell and the repeat, hashed (BLAKE2b)."""
    digest = hashlib.blake2b(f"{seed}/{cell}/{repeat}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (64 - SEED_BITS)


def _turns(cells: tuple[CellPlan, ...], repeats: int, seed: int) -> tuple[CellTurn, ...]:
    turns: list[CellTurn] = []
    for repeat in range(1, repeats + 1):
        names = [cell.cell for cell in cells]
        random.Random(cell_seed(seed, "order", repeat)).shuffle(names)
        for name in names:
            turns.append(CellTurn(order=len(turns) + 1, cell=name, repeat=repeat, seed=cell_seed(seed, name, repeat)))
    return tuple(turns)
