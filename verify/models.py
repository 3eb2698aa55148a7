"""Measures shipped models, to compare them with the published values of their drives, cell by cell."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from iosonde.plans.models import Model, load_model
from verify.cells import Cell, Figure, State, source_of
from verify.kept import MeasuredModel, SeenCell
from verify.simulated import SECOND_NS, Measured, SimulatedDrive

KIB: Final = 1024
FILL: Final[dict[str, Any]] = {
    "pattern": "sequential",
    "read_percent": 0,
    "block_size_bytes": 128 * KIB,
    "queue_depth": 32,
}
SCATTER: Final = FILL | {"pattern": "random", "block_size_bytes": 4 * KIB}
STEADY_FILLS: Final = 4
SMALL_PART: Final = 64
"""This part of a drive fits into its SLC cache, and lies in the outermost zone of a disk."""
SEED: Final = 7
ROUNDS: Final = 5
ROUND_BLOCKS: Final = tuple(size * KIB for size in (1024, 128, 64, 32, 16, 8, 4))
ROUND_NS: Final = 60 * SECOND_NS
"""TKperf's time for each block size, before division by the drive's scale."""
# These are shorter than the times of the sources, because a scaled-down drive and its SLC cache fill up sooner.
FRESH_NS: Final = SECOND_NS // 20
"""The warm-up, and the measurement after it. Without a warm-up, writes that only fill the write buffer would count."""
RECENT_NS: Final = SECOND_NS // 5
USUAL_NS: Final = 2 * SECOND_NS
SLOW_NS: Final = 60 * SECOND_NS
"""For drives with a few hundred operations per second, and for models with random service times."""
SPEND_NS: Final = 120 * SECOND_NS
"""Longer than a burst from full buckets."""

FIGURES: Final[dict[Figure, Callable[[Measured, int], float]]] = {
    Figure.IOPS: lambda seen, _: seen.service.count * SECOND_NS / seen.measured_ns,
    Figure.BANDWIDTH: lambda seen, block_bytes: seen.service.count * block_bytes * SECOND_NS / seen.measured_ns / 1e6,
    Figure.MEAN: lambda seen, _: seen.service.mean_ns / 1e3,
    Figure.MEDIAN: lambda seen, _: seen.service.quantile_ns(0.5) / 1e3,
    Figure.P95: lambda seen, _: seen.service.quantile_ns(0.95) / 1e3,
    Figure.P99: lambda seen, _: seen.service.quantile_ns(0.99) / 1e3,
}


def measure_model(name: str) -> MeasuredModel:
    """Measures every cell of the model's source, on drives in the state that the cell requires."""
    model = load_model(name)
    return MeasuredModel(name, model.parameters, tuple(_cells(model)))


def _cells(model: Model) -> Iterator[SeenCell]:
    # One measurement gives all figures of the same job.
    done: dict[tuple[object, ...], Measured] = {}
    for cell in source_of(model.name).cells:
        job = (cell.pattern, cell.read_percent, cell.block_size_bytes, cell.queue_depth, cell.state)
        if job not in done:
            done[job] = _measure(model, cell)
        yield SeenCell(cell.name, cell.figure, FIGURES[cell.figure](done[job], cell.block_size_bytes))


def _measure(model: Model, cell: Cell) -> Measured:
    part = SMALL_PART if cell.state in {State.RECENT, State.EDGE} else 1
    size_bytes = model.size_bytes // part // FILL["block_size_bytes"] * FILL["block_size_bytes"]
    span = {"span_bytes": size_bytes, "interval_ns": 10 * SECOND_NS}
    with SimulatedDrive(model.parameters, seed=1) as drive:
        _prepare(drive, model, cell.state, span)
        return drive.run(
            **span,
            pattern=cell.pattern,
            read_percent=cell.read_percent,
            block_size_bytes=cell.block_size_bytes,
            queue_depth=cell.queue_depth,
            warmup_ns=FRESH_NS if cell.state is State.FRESH else 0,
            measure_ns=_measure_ns(model, cell),
            seed=SEED,
        )


def _prepare(drive: SimulatedDrive, model: Model, state: State, span: dict[str, int]) -> None:
    fills = {State.FRESH: 0, State.EDGE: 0, State.ROUNDS: 2}.get(state, 1)
    if fills:
        drive.run(**span, **FILL, amount_bytes=fills * span["span_bytes"])
    if state is State.STEADY:
        drive.run(**span, **SCATTER, amount_bytes=STEADY_FILLS * span["span_bytes"])
    if state is State.SPENT:
        drive.run(**span, **(SCATTER | {"read_percent": 100}), measure_ns=SPEND_NS)
    if state is State.ROUNDS:
        for block_bytes in ROUND_BLOCKS * ROUNDS:
            writes = SCATTER | {"block_size_bytes": block_bytes}
            drive.run(**span, **writes, measure_ns=ROUND_NS // model.scale, seed=SEED)


def _measure_ns(model: Model, cell: Cell) -> int:
    if model.kind == "volume":
        return USUAL_NS
    if model.kind != "ssd":
        return SLOW_NS
    times = {State.FRESH: FRESH_NS, State.RECENT: RECENT_NS, State.ROUNDS: ROUND_NS // model.scale}
    return times.get(cell.state, USUAL_NS)
