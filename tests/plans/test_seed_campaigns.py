"""The campaigns of the hand-made reports: each has every cell that the report's tables and plan name."""

from collections.abc import Iterable, Sequence

import pytest

from iosonde.plans import TargetInfo, campaign_plan, read_campaign
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
    # The tables of IOPS, throughput and latency. TKperf's window has five rounds.
    "seed-004-cells": (
        5,
        [
            ("random", read, size, 32)
            for read in (100, 95, 65, 50, 35, 5, 0)
            for size in (0.5, 4, 8, 16, 32, 64, 128, 1024)
        ]
        + [("sequential", read, size, 32) for read in (100, 0) for size in (0.5, 4, 8, 64, 1024)]
        + [("random", read, size, 1) for read in (100, 65, 0) for size in (0.5, 4, 8)],
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


def test_document_004_has_56_cells_of_iops_in_the_order_of_its_loop_and_no_cell_beyond_its_tables() -> None:
    plan = plan_of("seed-004-cells")
    assert len(plan.experiments[0].cells) == 7 * 8
    assert {cell.workload.jobs for cell in plan.cells if cell.workload.queue_depth == 32} == {4}
    # The write saturation is the only other cell.
    assert len(plan.cells) == len(DOCUMENTS["seed-004-cells"][1]) + 1
    assert [turn.cell for turn in plan.turns][:2] == ["random-read-1MiB-qd32-jobs4", "random-read-128KiB-qd32-jobs4"]
    assert plan.cells[0].timing.measure_ns == 60 * 10**9
