"""A run with a cell of two streams: readers and a log writer."""

from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Experiment,
    Operation,
    OperationTotals,
    RunRecord,
    Stream,
    Workload,
)
from iosonde.vocabulary import Access, Sync
from tests.builders import TIMING, cell_record, run_record, totals_of, workload

READERS = workload(read_percent=100, queue_depth=8)
LOG = Workload(pattern=Access.SEQUENTIAL, read_percent=0, block_size_bytes=4096, queue_depth=1, sync=Sync.FDATASYNC)
MIXED = CellPlan(
    cell="mixed",
    experiments=(Experiment.MATRIX,),
    streams=(Stream(name="readers", workload=READERS), Stream(name="log", workload=LOG)),
    timing=TIMING,
)
REPEATS = 3


def alone(stream: Stream, name: str) -> CellPlan:
    """A cell of this stream alone."""
    return MIXED.model_copy(update={"cell": name, "streams": (Stream(workload=stream.workload),)})


def gave(stream: Stream, repeat: int) -> dict[Operation, OperationTotals]:
    """The totals of a stream in a repeat. Each stream has its own latencies and counts; latencies grow with repeats."""
    if stream.name == "readers":
        return {Operation.READ: totals_of([100_000 + repeat * 1000] * 4000)}
    writes, commits = totals_of([20_000 + repeat * 500] * 300), totals_of([900_000 + repeat * 9000] * 300)
    return {Operation.WRITE: writes, Operation.FLUSH: commits, Operation.COMMIT: commits}


def records_of(stream: Stream, plan: CellPlan) -> list[CellRecord]:
    """The repeats of a stream, as records of the cell of ``plan``."""
    return [
        cell_record(plan, gave(stream, repeat), repeat=repeat).model_copy(update={"order": repeat})
        for repeat in range(1, REPEATS + 1)
    ]


def mixed_run() -> RunRecord:
    """Three trials of both streams together, with one record for each stream of each trial."""
    turns = tuple(CellTurn(order=each, cell="mixed", repeat=each, seed=each) for each in range(1, REPEATS + 1))
    cells = [
        record.model_copy(update={"cell": "mixed", "stream": stream.name})
        for stream in MIXED.streams
        for record in records_of(stream, alone(stream, "mixed"))
    ]
    run = run_record([MIXED], sorted(cells, key=lambda each: each.order))
    plan = run.header.plan.model_copy(update={"turns": turns})
    return run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})


def separate_run() -> RunRecord:
    """The same figures, but with each stream as a separate cell."""
    plans = [alone(stream, f"mixed/{stream.name}") for stream in MIXED.streams]
    pairs = zip(MIXED.streams, plans, strict=True)
    return run_record(plans, [record for stream, plan in pairs for record in records_of(stream, plan)])
