"""The campaigns of the hand-made reports: each has every cell that the report's tables and plan name."""

from collections.abc import Iterable, Sequence

import pytest

from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.plans.procedures.read_procedures import read_procedures
from iosonde.records import Plan, Sync
from tests.house.checkout import ROOT

KIB = 1024
# Pattern, share of reads, KiB a block, depth: the rows of the tables, and what the plan around them promised.
Row = tuple[str, int, float, int]


def baseline() -> list[Row]:
    return [("random", 100, 4, 1), ("random", 0, 4, 1), ("sequential", 100, 128, 1), ("sequential", 0, 128, 1)]


def sweep(reads: Iterable[int], sizes: Iterable[int], depth: int) -> list[Row]:
    sizes = list(sizes)
    return [(pattern, read, size, depth) for pattern in ("random", "sequential") for read in reads for size in sizes]


DOCUMENTS: dict[str, tuple[int, Sequence[Row]]] = {
    # Its table leaves 8 KiB out and stops at depth 16; its plan says 4 to 256 KiB and depths up to 64.
    "seed-000": (
        3,
        baseline()
        + sweep([100], (4, 8, 16, 32, 64, 128, 256), 4)
        + [("random", read, 4, 4) for read in (100, 0, 70, 50)]
        + [("random", 100, 4, depth) for depth in (1, 2, 4, 8, 16, 32, 64)],
    ),
    # Tests 1 to 8 of its table, five times each.
    "seed-001": (
        5,
        [("random", 50, size, 64) for size in (4, 64, 128)]
        + [("random", read, 4, 64) for read in (100, 0)]
        + [("random", 50, 4, depth) for depth in (16, 256, 1024)],
    ),
    # One table, of the baselines; block sizes to beyond 2^19 and depths 4, 8, 16, 40 and 64 are in its text.
    "seed-002": (
        5,
        baseline()
        + sweep([100, 0], (4, 8, 16, 32, 64, 128, 256, 512, 1024), 1)
        + [("random", 100, 4, depth) for depth in (4, 8, 16, 40, 64)],
    ),
    # Baselines, 4 to 256 KiB at depth 8, mixes at depth 16, depths 1 to 32, and the tail at 8 and 64.
    "seed-003": (
        3,
        baseline()
        + sweep([100], (4, 8, 16, 32, 64, 128, 256), 8)
        + [("random", read, 4, 16) for read in (100, 30, 0)]
        + [("random", 100, 4, depth) for depth in (1, 2, 4, 8, 16, 32)]
        + [("random", 100, 4, depth) for depth in (8, 64)],
    ),
}


def plan_of(name: str) -> Plan:
    text = (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    return campaign_plan(read_campaign(text, name), TargetInfo(span_bytes=16 << 30, fill=True), quick=False, seed=1)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_row_of_a_document_is_a_cell_with_the_documents_repeats(name: str) -> None:
    repeats, rows = DOCUMENTS[name]
    plan = plan_of(name)
    asked = {
        (
            str(cell.workload.pattern),
            cell.workload.read_percent,
            cell.workload.block_size_bytes / KIB,
            cell.workload.queue_depth,
        )
        for cell in plan.cells
    }
    assert set(rows) <= asked
    assert plan.repeats == repeats


def test_document_001_has_no_cell_beyond_its_table() -> None:
    assert len(plan_of("seed-001").cells) == len(DOCUMENTS["seed-001"][1])


def test_document_000_measures_for_the_time_that_its_commands_say() -> None:
    timing = plan_of("seed-000").cells[0].timing
    assert (timing.warmup_ns, timing.measure_ns) == (5 * 10**9, 10 * 10**9)


def test_every_write_of_document_000_is_written_through_as_its_commands_ask() -> None:
    plan = plan_of("seed-000")
    assert {cell.workload.sync for cell in plan.cells if cell.workload.writes} == {Sync.DSYNC}
    assert {cell.workload.sync for cell in plan.cells if not cell.workload.writes} == {Sync.NONE}


def test_document_004_has_the_procedures_of_its_four_tests_with_its_jobs_and_depth() -> None:
    procedures = read_procedures((ROOT / "examples/seed-004.toml").read_text(encoding="utf-8"), "seed-004").procedure
    assert [each.name for each in procedures] == [
        "tkperf-iops",
        *(f"tkperf-tp-{size}" for size in ("1024k", "64k", "8k", "4k", "512")),
        "tkperf-lat",
        "tkperf-writesat",
    ]
    cells = {each.name: each.phase[-1].cells[0] for each in procedures}
    assert {name: (cell.values("jobs"), cell.values("queue_depth")) for name, cell in cells.items()} == {
        name: ([1], [1]) if name == "tkperf-lat" else ([4], [32]) for name in cells
    }
    assert cells["tkperf-iops"].values("read") == [100, 95, 65, 50, 35, 5, 0]
    assert len(cells["tkperf-iops"].values("block_size")) == 8
