"""Read-ahead, a read cache, and conflicts at channels or dies: named, not named, too few data."""

from typing import Any

import pytest

from iosonde.explanations import Mechanism
from iosonde.findings.finding import Confidence, Severity
from iosonde.records import Access, RunRecord, Workload
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload
from tests.explanations.marks import US, explained, explained_cells, on_device, scattered, thrice
from tests.sweep_builder import run_of_cells

RANDOM = workload(queue_depth=1)
SEQUENTIAL = workload(pattern=Access.SEQUENTIAL, queue_depth=1)
STRIDED = workload(pattern="strided:1MiB", queue_depth=1)
DEPTHS = (1, 2, 4, 8, 16, 32)


def sweep(latency_us: dict[int, float]) -> dict[Workload, list[float]]:
    return {workload(queue_depth=depth): thrice(each) for depth, each in latency_us.items()}


def test_sequential_reads_that_are_faster_show_read_ahead() -> None:
    found = explained_cells({RANDOM: thrice(100), SEQUENTIAL: thrice(20)})[Mechanism.READ_AHEAD]
    assert found.confidence is Confidence.LIKELY
    assert "take 5.0 times (95 % CI" in found.evidence[0].replace("5.00", "5.0")
    assert found.factor == pytest.approx(5, rel=0.01)


def test_equal_latencies_do_not_show_read_ahead() -> None:
    assert Mechanism.READ_AHEAD not in explained_cells({RANDOM: thrice(100), SEQUENTIAL: thrice(99)})


def test_a_difference_within_the_scatter_does_not_show_read_ahead() -> None:
    assert Mechanism.READ_AHEAD not in explained_cells({RANDOM: scattered(100), SEQUENTIAL: scattered(50)})


def test_a_single_repeat_does_not_show_read_ahead() -> None:
    assert Mechanism.READ_AHEAD not in explained_cells({RANDOM: [100_000.0], SEQUENTIAL: [20_000.0]})


def test_large_requests_do_not_show_read_ahead() -> None:
    large: dict[str, Any] = {"block_size_bytes": 1 << 20, "queue_depth": 1}
    cells = {workload(**large): thrice(900), workload(pattern=Access.SEQUENTIAL, **large): thrice(300)}
    assert Mechanism.READ_AHEAD not in explained_cells(cells)


def test_slow_strided_reads_are_further_evidence_of_read_ahead() -> None:
    found = explained_cells({RANDOM: thrice(100), SEQUENTIAL: thrice(20), STRIDED: thrice(98)})[Mechanism.READ_AHEAD]
    assert any("only adjacent data are faster" in each for each in found.evidence)


def test_fast_strided_reads_speak_against_read_ahead() -> None:
    found = explained_cells({RANDOM: thrice(100), SEQUENTIAL: thrice(20), STRIDED: thrice(20)})[Mechanism.READ_AHEAD]
    assert found.confidence is Confidence.POSSIBLE
    assert any("as fast as sequential reads" in each for each in found.against)


def test_a_contrast_above_depth_1_may_be_conflicts() -> None:
    found = explained_cells({workload(): thrice(100), workload(pattern=Access.SEQUENTIAL): thrice(20)})
    assert found[Mechanism.READ_AHEAD].confidence is Confidence.POSSIBLE


def test_seeks_may_explain_the_contrast_on_a_hard_disk() -> None:
    run = on_device(run_of_cells({RANDOM: thrice(10_000), SEQUENTIAL: thrice(20)}), rotational=True)
    found = explained(run)[Mechanism.READ_AHEAD]
    assert found.confidence is Confidence.POSSIBLE
    assert any("rotational" in each for each in found.against)


def test_a_small_region_that_is_faster_shows_a_read_cache() -> None:
    small = workload(queue_depth=1, span_bytes=64 << 20)
    found = explained_cells({RANDOM: thrice(100), small: thrice(10)})[Mechanism.READ_CACHE]
    assert found.confidence is Confidence.LIKELY
    assert "64 MiB and 100 GiB" in found.evidence[0]


def test_a_small_region_that_is_as_slow_shows_no_read_cache() -> None:
    small = workload(queue_depth=1, span_bytes=64 << 20)
    assert Mechanism.READ_CACHE not in explained_cells({RANDOM: thrice(100), small: thrice(97)})
    assert Mechanism.READ_CACHE not in explained_cells({RANDOM: scattered(100), small: scattered(40)})


def bimodal(fast: int, slow: int, slow_us: int = 100) -> RunRecord:
    plan = cell_plan(RANDOM)
    totals = totals_of([5 * US] * fast + [slow_us * US] * slow)
    return run_record([plan], [cell_record(plan, {plan.workload.subject: totals}, repeat=each) for each in range(3)])


def test_two_separate_latencies_may_show_a_read_cache() -> None:
    found = explained(bimodal(400, 600))[Mechanism.READ_CACHE]
    assert found.confidence is Confidence.POSSIBLE
    assert "40 % take about 5.0" in found.evidence[0].replace("5.01", "5.0").replace("5.00", "5.0")


@pytest.mark.parametrize(("fast", "slow", "slow_us"), [(990, 10, 100), (400, 600, 7), (30, 30, 100)])
def test_a_rare_tail_two_near_latencies_or_few_samples_show_no_read_cache(fast: int, slow: int, slow_us: int) -> None:
    assert Mechanism.READ_CACHE not in explained(bimodal(fast, slow, slow_us))


def random_servers(servers: int) -> dict[int, float]:
    """The latency in µs by depth if requests choose one of several servers of 100 µs at random (5.4 of Lazowska)."""
    return {depth: 100 * (servers + depth - 1) / servers for depth in DEPTHS}


def common_queue(servers: int) -> dict[int, float]:
    """The latency in µs by depth if requests wait in one queue for several servers of 100 µs."""
    return {depth: 100 * max(1.0, depth / servers) for depth in DEPTHS}


@pytest.mark.parametrize("servers", [4, 8, 16])
def test_throughput_that_approaches_its_limit_gradually_shows_conflicts(servers: int) -> None:
    found = explained_cells(sweep(random_servers(servers)))[Mechanism.DIE_CONFLICTS]
    assert found.confidence is Confidence.LIKELY
    assert "although the target is not saturated" in found.evidence[0]


@pytest.mark.parametrize("servers", [1, 4, 8, 1000])
def test_a_sharp_limit_or_none_shows_no_conflicts(servers: int) -> None:
    assert Mechanism.DIE_CONFLICTS not in explained_cells(sweep(common_queue(servers)))


def test_depths_with_too_much_scatter_show_no_conflicts() -> None:
    cells = {workload(queue_depth=depth): scattered(each) for depth, each in random_servers(8).items()}
    assert Mechanism.DIE_CONFLICTS not in explained_cells(cells)


def test_faster_sequential_reads_at_the_same_depth_are_further_evidence_of_conflicts() -> None:
    cells = sweep(random_servers(8))
    cells |= {workload(pattern=Access.SEQUENTIAL, queue_depth=8): thrice(100)}
    found = explained_cells(cells)[Mechanism.DIE_CONFLICTS]
    assert any("spread evenly" in each for each in found.evidence)


def test_cells_that_a_finding_makes_invalid_are_not_used() -> None:
    run = run_of_cells({RANDOM: thrice(100), SEQUENTIAL: thrice(20)})
    assert Mechanism.READ_AHEAD in explained(run)
    broken = finding(severity=Severity.INVALID, cells=("sequential-read-4KiB-qd1",))
    assert Mechanism.READ_AHEAD not in explained(run, [broken])
