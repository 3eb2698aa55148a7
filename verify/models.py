"""Shipped models against what they are shaped after, cell by cell."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from iosonde.plans.models import Model, load_model
from verify.simulated import SECOND_NS, Measured, SimulatedDrive

KIB: Final = 1024
FILL_BLOCK_BYTES: Final = 128 * KIB
RANDOM_READ: Final[dict[str, Any]] = {"pattern": "random", "read_percent": 100, "block_size_bytes": 4 * KIB}
RANDOM_WRITE: Final = RANDOM_READ | {"read_percent": 0}
SEQUENTIAL_READ: Final[dict[str, Any]] = {
    "pattern": "sequential",
    "read_percent": 100,
    "block_size_bytes": 128 * KIB,
}
SEQUENTIAL_WRITE: Final = SEQUENTIAL_READ | {"read_percent": 0}
DATA_SHEET: Final = "data sheet"
FRESH_PART: Final = 16
"""A sixteenth of the drive fits into its SLC cache."""


@dataclass(frozen=True)
class Figure:
    """What a cell is judged by: its name, its unit, and where it comes from."""

    unit: str
    of: Callable[[Measured, int], float]


IOPS: Final = Figure("IOPS", lambda seen, _: seen.service.count * SECOND_NS / seen.measured_ns)
BANDWIDTH: Final = Figure(
    "MB/s", lambda seen, block_bytes: seen.service.count * block_bytes * SECOND_NS / seen.measured_ns / 1e6
)
MEAN: Final = Figure("us, mean", lambda seen, _: seen.service.mean_ns / 1e3)
MEDIAN: Final = Figure("us, median", lambda seen, _: seen.service.quantile_ns(0.5) / 1e3)


@dataclass(frozen=True)
class Cell:
    """One cell of a source, on the first ``span_part``-th of the drive.

    ``fills`` is how many times that is written at random after it was filled once; None leaves it fresh.
    """

    name: str
    job: dict[str, Any]
    queue_depth: int
    figure: Figure
    expected: float
    source: str
    fills: int | None = 0
    why: str = ""
    span_part: int = 1


CELLS: Final[dict[str, tuple[Cell, ...]]] = {
    "sata-dc": (
        Cell("4 KiB random read, depth 1", RANDOM_READ, 1, MEAN, 111, "report on this drive"),
        Cell("4 KiB random write, depth 1", RANDOM_WRITE, 1, MEAN, 41, "report on this drive"),
        Cell("4 KiB random read, depth 32", RANDOM_READ, 32, IOPS, 97_000, DATA_SHEET),
        Cell("4 KiB random write, depth 32, steady", RANDOM_WRITE, 32, IOPS, 30_000, DATA_SHEET, 4),
        Cell("128 KiB sequential read, depth 32", SEQUENTIAL_READ, 32, BANDWIDTH, 560, DATA_SHEET),
        Cell(
            "128 KiB sequential write, depth 32, fresh",
            SEQUENTIAL_WRITE,
            32,
            BANDWIDTH,
            510,
            DATA_SHEET,
            None,
            "the model's media are as fast as the link; nothing is known of what takes the rest",
        ),
    ),
    "client-nvme": (
        Cell(
            "4 KiB random read, depth 1, of fresh data",
            RANDOM_READ,
            1,
            MEDIAN,
            31,
            "report on this drive",
            span_part=FRESH_PART,
        ),
        Cell("128 KiB sequential read, depth 32", SEQUENTIAL_READ, 32, BANDWIDTH, 6900, DATA_SHEET),
        Cell(
            "4 KiB random read, depth 256, of fresh data",
            RANDOM_READ,
            256,
            IOPS,
            800_000,
            DATA_SHEET,
            span_part=FRESH_PART,
        ),
        Cell("128 KiB sequential write, depth 32, fresh", SEQUENTIAL_WRITE, 32, BANDWIDTH, 5000, DATA_SHEET, None),
    ),
    "enterprise-nvme": (
        Cell("4 KiB random read, depth 256", RANDOM_READ, 256, IOPS, 1_000_000, "data sheets of the class"),
        Cell(
            "4 KiB random write, depth 256, steady",
            RANDOM_WRITE,
            256,
            IOPS,
            180_000,
            "data sheets of the class",
            4,
        ),
        Cell("128 KiB sequential read, depth 64", SEQUENTIAL_READ, 64, BANDWIDTH, 6900, "data sheets of the class"),
        Cell(
            "128 KiB sequential write, depth 64, fresh",
            SEQUENTIAL_WRITE,
            64,
            BANDWIDTH,
            4000,
            "data sheets of the class",
            None,
        ),
    ),
    "usb-stick": (
        Cell("4 KiB random read, depth 1", RANDOM_READ, 1, MEAN, 841, "report on such a stick"),
        Cell(
            "4 KiB random write, depth 1",
            RANDOM_WRITE,
            1,
            MEAN,
            2821,
            "report on such a stick",
            why="sticks map blocks and not pages, and copy a block for a small write; the model maps pages",
        ),
        Cell("128 KiB sequential read, depth 1", SEQUENTIAL_READ, 1, BANDWIDTH, 68.5, "report on such a stick"),
        Cell("128 KiB sequential write, depth 1", SEQUENTIAL_WRITE, 1, BANDWIDTH, 15.9, "report on such a stick"),
    ),
    "disk-7200": (
        Cell("4 KiB random read, depth 1", RANDOM_READ, 1, IOPS, 82, "half a turn and a mean seek of 8 ms", None),
        Cell("4 KiB random read, depth 32", RANDOM_READ, 32, IOPS, 185, "reviews of the class: 170 to 200", None),
        Cell("128 KiB sequential read, depth 1", SEQUENTIAL_READ, 1, BANDWIDTH, 250, "data sheets of the class", None),
    ),
}
"""A report on a drive is one of the five that iosonde was made after."""


@dataclass(frozen=True)
class Compared:
    """A cell of a source beside the same cell of the model."""

    model: str
    cell: Cell
    seen: float


def compare_models() -> Iterator[Compared]:
    """Runs every cell on a drive of its own that is prepared as the cell asks."""
    for name, cells in CELLS.items():
        model = load_model(name)
        for cell in cells:
            yield Compared(name, cell, _measure(model, cell))


def _measure(model: Model, cell: Cell) -> float:
    size_bytes = model.size_bytes // cell.span_part // FILL_BLOCK_BYTES * FILL_BLOCK_BYTES
    span = {"span_bytes": size_bytes, "interval_ns": 10 * SECOND_NS}
    with SimulatedDrive(model.parameters, seed=1) as drive:
        if cell.fills is not None:
            drive.run(**span, **SEQUENTIAL_WRITE, queue_depth=32, amount_bytes=size_bytes)
        if cell.fills:
            drive.run(**span, **RANDOM_WRITE, queue_depth=32, amount_bytes=cell.fills * size_bytes)
        # A small drive is soon full, and its SLC cache sooner: what shows a fresh one must be short.
        measure_ns = SECOND_NS // 20 if cell.fills is None else 2 * SECOND_NS
        measure_ns = 60 * SECOND_NS if model.kind == "disk" else measure_ns
        seen = drive.run(**span, **cell.job, queue_depth=cell.queue_depth, measure_ns=measure_ns, seed=7)
    return cell.figure.of(seen, int(cell.job["block_size_bytes"]))
