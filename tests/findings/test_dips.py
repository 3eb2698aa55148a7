"""Findings about throughput that falls and rises again along a sweep."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from iosonde.analysis.dips import dips_of
from iosonde.records import Experiment, ExtentFacts, RunRecord
from iosonde.records.run import SessionEnd
from tests.builders import workload
from tests.findings.runs import only
from tests.sweep_builder import cells_of, run_of_cells

EVEN = (0.99, 1.0, 1.01, 0.995)


def by_depth(iops: Sequence[float], repeats: Sequence[float] = EVEN, **order: bool) -> RunRecord:
    """A sweep over doubling depths with these IOPS."""
    cells = {
        workload(queue_depth=1 << step): [1e9 * (1 << step) / (each * repeat) for repeat in repeats]
        for step, each in enumerate(iops)
    }
    return run_of_cells(cells, Experiment.QUEUE_DEPTH, **order)


def by_size(mb_per_s: Sequence[float], **device: Any) -> RunRecord:
    """A sweep over doubling block sizes from 64 KiB on with these bandwidths."""
    cells = {
        workload(block_size_bytes=65_536 << step): [8 * 1e3 * (65_536 << step) / (each * repeat) for repeat in EVEN]
        for step, each in enumerate(mb_per_s)
    }
    run = run_of_cells(cells)
    target = run.header.target
    assert target.device is not None
    changed = target.model_copy(update={"device": target.device.model_copy(update=device)})
    return run.model_copy(update={"header": run.header.model_copy(update={"target": changed})})


FIRES: dict[str, Callable[[], RunRecord]] = {"dip": lambda: by_depth((10_000, 20_000, 15_000, 30_000))}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("dip", lambda: by_depth((10_000, 20_000, 30_000, 30_000))),
    ("dip", lambda: by_depth((10_000, 20_000, 19_400, 30_000))),
    # Throughput that falls and stays low is no dip.
    ("dip", lambda: by_depth((10_000, 20_000, 15_000, 15_000))),
    # One repeat does not show how far repeats differ.
    ("dip", lambda: by_depth((10_000, 20_000, 15_000, 30_000), (1.0,))),
    ("dip", lambda: by_depth((10_000, 20_000, 15_000, 30_000), (0.6, 1.0, 1.5, 0.8))),
    ("dip", lambda: by_size((500, 600, 700, 700))),
]


def test_a_dip_names_the_cells_on_both_sides_and_its_depth() -> None:
    found = only(FIRES["dip"](), "dip")
    assert found.cells == ("random-read-4KiB-qd4",)
    assert found.statement.startswith(
        "Throughput of random-read-4KiB-qd4 is at least 25 % below that of depth 2 and of depth 8, on either side"
    )
    assert found.statement.endswith("None of the checked reasons explains it.")


def test_blocks_that_the_kernel_splits_are_a_possible_reason() -> None:
    split = only(by_size((500, 600, 400, 700), request_size_bytes_max=131_072), "dip")
    assert "Possible reason: the kernel splits blocks larger than 128 KiB." in split.statement
    other = only(by_size((500, 600, 400, 700), request_size_bytes_max=1 << 20), "dip")
    assert "the kernel splits" not in other.statement


def test_repeats_that_follow_one_another_are_a_possible_reason() -> None:
    found = only(by_depth((10_000, 20_000, 15_000, 30_000, 31_000, 32_000), in_turn=False), "dip")
    assert "its repeats were measured one after another" in found.statement


def test_the_deepest_of_several_dips_is_described() -> None:
    deep = by_depth((10_000, 20_000, 18_000, 30_000, 15_000, 40_000))
    assert only(deep, "dip").cells == ("random-read-4KiB-qd16",)


def test_noise_makes_a_dip_in_at_most_one_of_twenty_flat_sweeps() -> None:
    seed, dips, campaigns = 7, 0, 300
    draw = random.Random(seed)
    for _ in range(campaigns):
        cells = {
            workload(queue_depth=1 << step): [1e9 * (1 << step) / (20_000 * draw.gauss(1, 0.1)) for _ in range(4)]
            for step in range(8)
        }
        dips += bool(dips_of(cells_of(cells, Experiment.QUEUE_DEPTH)))
    assert dips / campaigns <= 0.05, (seed, dips)


def with_extents(run: RunRecord, facts: ExtentFacts | None) -> RunRecord:
    return run.model_copy(update={"end": SessionEnd(finished=True, extents=(facts,))})


def test_blocks_larger_than_the_mean_extent_of_the_file_are_a_possible_reason() -> None:
    dipping = by_size((500, 600, 400, 700), request_size_bytes_max=None)
    fragmented = ExtentFacts(count=1000, bytes=1000 * 150_000, bytes_max=1 << 20)
    found = only(with_extents(dipping, fragmented), "dip")
    assert "Possible reason: blocks are larger than the mean extent of the file (146 KiB)." in found.statement
    assert "1,000, the largest 1 MiB" in dict(found.evidence).values()


def test_a_file_in_few_extents_is_no_reason_for_a_dip() -> None:
    dipping = by_size((500, 600, 400, 700), request_size_bytes_max=None)
    whole = ExtentFacts(count=2, bytes=1 << 30, bytes_max=1 << 29)
    for facts, told in ((whole, "2, the largest 512 MiB"), (None, "unknown")):
        found = only(with_extents(dipping, facts), "dip")
        assert "extent" not in found.statement
        assert told in dict(found.evidence).values()
