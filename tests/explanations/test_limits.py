"""Limits of bandwidth and of commands, and throttling: named, not named, too few data."""

import pytest

from iosonde.explanations import Mechanism
from iosonde.findings.finding import Confidence
from iosonde.records import Access, RunRecord, Workload
from tests.builders import drive_state, finding, workload
from tests.explanations.marks import explained, explained_cells, scattered, thrice
from tests.sweep_builder import run_of_cells

KIB = 1 << 10
SIZES = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
DEPTHS = (1, 2, 4, 8, 16, 32)
LIMIT_BYTES_PER_S = 550e6


def sized(size: int, pattern: Access = Access.RANDOM) -> Workload:
    return workload(pattern=pattern, block_size_bytes=size, queue_depth=8)


def limited_us(size: int, bytes_per_s: float = LIMIT_BYTES_PER_S) -> float:
    """The latency at depth 8 of a drive of 80 µs behind a link."""
    return max(80.0, 8 * size / bytes_per_s * 1e6)


def both_patterns(bytes_per_s: float = LIMIT_BYTES_PER_S, sequential: float = 1.0) -> dict[Workload, list[float]]:
    random = {sized(size): thrice(limited_us(size, bytes_per_s)) for size in SIZES}
    return random | {
        sized(size, Access.SEQUENTIAL): thrice(limited_us(size, sequential * bytes_per_s)) for size in SIZES
    }


def test_the_same_bandwidth_at_large_sizes_of_both_patterns_shows_a_limit() -> None:
    found = explained_cells(both_patterns())[Mechanism.LINK_LIMIT]
    assert found.confidence is Confidence.LIKELY
    assert any("order of access does not matter" in each for each in found.evidence)
    assert any("SATA at 6 Gbit/s" in each for each in found.evidence)


def test_a_limit_that_is_of_no_common_link_names_none() -> None:
    found = explained_cells(both_patterns(bytes_per_s=200e6))[Mechanism.LINK_LIMIT]
    assert not any("delivers about this bandwidth" in each for each in found.evidence)


def test_bandwidth_that_still_grows_shows_no_limit() -> None:
    assert Mechanism.LINK_LIMIT not in explained_cells(both_patterns(bytes_per_s=1e12))


def test_one_pattern_alone_makes_a_limit_possible() -> None:
    found = explained_cells({sized(size): thrice(limited_us(size)) for size in SIZES})[Mechanism.LINK_LIMIT]
    assert found.confidence is Confidence.POSSIBLE


def test_another_bandwidth_of_sequential_reads_speaks_against_a_link() -> None:
    found = explained_cells(both_patterns(sequential=0.6))[Mechanism.LINK_LIMIT]
    assert found.confidence is Confidence.POSSIBLE
    assert any("which a link does not explain" in each for each in found.against)


def test_writes_and_scattered_reads_show_no_limit_of_the_link() -> None:
    writes = {workload(read_percent=0, block_size_bytes=size): thrice(limited_us(size)) for size in SIZES}
    assert Mechanism.LINK_LIMIT not in explained_cells(writes)
    assert Mechanism.LINK_LIMIT not in explained_cells({sized(size): scattered(limited_us(size)) for size in SIZES})


def commanded(iops: float = 50_000) -> dict[Workload, list[float]]:
    """A sweep over depths that ends at a rate of commands, and large reads whose bandwidth is higher."""
    depths = {workload(queue_depth=depth): thrice(max(100.0, depth / iops * 1e6)) for depth in DEPTHS}
    return depths | {sized(256 * KIB): thrice(max(100.0, 8 / iops * 1e6))}


def test_iops_that_no_longer_grow_below_the_best_bandwidth_show_a_limit_of_commands() -> None:
    found = explained_cells(commanded())[Mechanism.COMMAND_LIMIT]
    assert found.confidence is Confidence.LIKELY
    assert "reach 50,000 IOPS" in found.evidence[0].replace("50,004", "50,000").replace("50,003", "50,000")


def test_iops_that_grow_with_the_depth_show_no_limit_of_commands() -> None:
    assert Mechanism.COMMAND_LIMIT not in explained_cells(commanded(iops=1e9))


def test_a_sweep_at_the_best_bandwidth_shows_no_limit_of_commands() -> None:
    cells = commanded()
    del cells[sized(256 * KIB)]
    assert Mechanism.COMMAND_LIMIT not in explained_cells(cells)


def test_scattered_depths_show_no_limit_of_commands() -> None:
    cells = commanded()
    loose = {asked: scattered(100) for asked in cells}
    assert Mechanism.COMMAND_LIMIT not in explained_cells(loose)


def test_a_busy_host_is_told_against_a_limit_of_commands() -> None:
    run = run_of_cells(commanded())
    busy = finding("host-limited", cells=("random-read-4KiB-qd32",))
    assert any("host-limited" in each for each in explained(run, [busy])[Mechanism.COMMAND_LIMIT].against)


def throttled(each_ns: int) -> RunRecord:
    run = run_of_cells({workload(): thrice(100)})
    cells = tuple(
        record.model_copy(update={"drives": (drive_state(throttled_ns=number * each_ns),)})
        for number, record in enumerate(run.cells)
    )
    return run.model_copy(update={"cells": cells})


def test_a_counter_of_throttling_that_rises_shows_throttling() -> None:
    found = explained(throttled(2 * 10**9))[Mechanism.THROTTLING]
    assert "2 s of throttling" in found.evidence[0].replace("2.0 s", "2 s")


@pytest.mark.parametrize("each_ns", [0, 1_000_000])
def test_a_counter_that_hardly_rises_shows_no_throttling(each_ns: int) -> None:
    assert Mechanism.THROTTLING not in explained(throttled(each_ns))


def test_a_drive_without_counters_shows_no_throttling() -> None:
    assert Mechanism.THROTTLING not in explained_cells({workload(): thrice(100)})
