"""Findings about the achieved queue depth and arrival rate of a cell."""

from collections.abc import Callable
from typing import Any

from iosonde.findings import Severity
from iosonde.records import CellRecord, Engine, FaultKind, RunRecord, Workload
from tests.builders import engine_facts, workload
from tests.findings.runs import (
    FULL_COUNT,
    MS,
    SECOND_NS,
    by_fio,
    commits,
    error,
    only,
    repeat,
    run_of,
    three,
    under_way,
)
from tests.judging import findings_of
from tests.pace_builder import paced_repeat, paced_run


def cold(asked: Workload | None = None, **others: Any) -> list[CellRecord]:
    """Three repeats without a warm-up."""
    repeats = [repeat(number, asked, **others) for number in (1, 2, 3)]
    return [each.model_copy(update={"timing": each.timing.model_copy(update={"warmup_ns": 0})}) for each in repeats]


FIRES: dict[str, Callable[[], RunRecord]] = {
    # A quarter more operations than queue depth 8 allows, which the edges of the measurement do not explain.
    "littles-law-off": lambda: run_of(*three(count=FULL_COUNT * 5 // 4)),
    "depth-not-reached": lambda: run_of(*three(queue_depth_achieved=7.0)),
    "too-few-operations": lambda: run_of(*three(count=9)),
    "cold-queue": lambda: run_of(*cold(count=400)),
    "saturated": lambda: paced_run(*(paced_repeat(each, count=4_700, waiting_ns=300 * MS) for each in (1, 2, 3))),
    "submitted-late": lambda: paced_run(*(paced_repeat(each, host_lag_ns=MS // 5) for each in (1, 2, 3))),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("saturated", lambda: by_fio(rate_per_s=5_000_000, arrivals="constant")),
    ("depth-not-reached", lambda: run_of(*three(queue_depth_achieved=7.3))),
    ("too-few-operations", lambda: run_of(*three(count=10))),
    ("cold-queue", lambda: run_of(*three(count=400))),
    ("cold-queue", lambda: run_of(*cold(count=801))),
    ("cold-queue", lambda: run_of(*cold(count=400), header={"target": {"kind": "null"}})),
    ("cold-queue", lambda: run_of(*cold(workload(burst_operations=64, think_ns=10**7), count=400))),
    ("depth-not-reached", lambda: run_of(*commits(Engine.IO_URING, achieved=0.8))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT * 101 // 100))),
    # An operation in flight for the last fifth of the measurement counts in the queue depth, but in no latency.
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT * 39 // 40, censored=under_way(SECOND_NS)))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT // 2, faults=(error(FaultKind.RETRY),)))),
    ("littles-law-off", by_fio),
    ("littles-law-off", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    ("littles-law-off", lambda: run_of(*three(count=FULL_COUNT // 2), header={"target": {"kind": "null"}})),
    (
        "depth-not-reached",
        lambda: run_of(*three(asked=workload(burst_operations=64, think_ns=10**7), queue_depth_achieved=1.0)),
    ),
    ("saturated", lambda: paced_run(*(paced_repeat(each, count=4_980, waiting_ns=5 * MS) for each in (1, 2, 3)))),
    # All of the lag is waiting for a free slot in the queue: the target is slow, not the engine.
    ("submitted-late", lambda: paced_run(*(paced_repeat(each, lag_ns=9 * MS) for each in (1, 2, 3)))),
    ("depth-not-reached", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    ("depth-not-reached", lambda: run_of(*three(queue_depth_achieved=2.0), header={"target": {"kind": "null"}})),
]


def test_what_would_decide_about_a_depth_is_another_way_than_the_one_taken() -> None:
    def told(engine: Engine) -> str:
        short = three(queue_depth_achieved=2.0, engine=engine_facts(engine))
        return only(run_of(*short), "depth-not-reached").deciding_test

    assert told(Engine.PSYNC) == "Run the cell again with --engine io_uring."
    assert told(Engine.IO_URING) == "Run the cell again with more CPUs, or with more jobs at a lower queue depth."


def test_a_queue_that_is_far_from_full_makes_the_figure_invalid_and_names_the_cell() -> None:
    half_empty = only(run_of(*three(queue_depth_achieved=2.3)), "depth-not-reached")
    assert half_empty.severity is Severity.INVALID
    assert "random-read-4KiB-qd8 achieved a queue depth of 2.3 instead of 8" in half_empty.statement


def test_a_saturated_cell_names_both_rates_and_how_far_it_was_behind() -> None:
    found = only(FIRES["saturated"](), "saturated")
    assert found.severity is Severity.INVALID
    assert "completed 940 of 1,000 operations per second and was 300 ms behind schedule at the end" in found.statement
    assert found.evidence[0] == (
        "random-read-4KiB-rate1k",
        "94.0 % of the arrival rate achieved, about 300 operations waiting at the end",
    )


def test_an_engine_that_was_late_is_named_with_its_own_part_of_the_response() -> None:
    found = only(FIRES["submitted-late"](), "submitted-late")
    assert "the engine's p99 lag is 200 µs and the p99 response time is 1,000 µs" in found.statement


def test_a_queue_that_began_empty_is_told_with_the_warm_up_that_it_needs() -> None:
    found = only(run_of(*cold(count=400)), "cold-queue")
    assert found.statement == (
        "In 1 cell, the warm-up was too short for the queue depth. In random-read-4KiB-qd8 (queue depth "
        "8, warm-up 0 ms), only 400 operations completed during the measurement. Throughput and mean latency can be "
        "too low by up to 2 %."
    )
    assert found.deciding_test == "Run again with a warm-up of at least 200 ms."


def test_a_large_error_is_invalid_and_a_smaller_one_of_another_cell_is_doubtful() -> None:
    run = run_of(*cold(count=8), *(each for each in cold(workload(queue_depth=16), count=400)))
    found = [each for each in findings_of(run) if each.id == "cold-queue"]
    assert [(each.severity, each.cells) for each in found] == [
        (Severity.INVALID, ("random-read-4KiB-qd8",)),
        (Severity.DOUBTFUL, ("random-read-4KiB-qd16",)),
    ]


def test_repeats_of_a_few_operations_are_doubtful_though_they_agree() -> None:
    found = only(run_of(*three(count=3)), "too-few-operations")
    assert "repeat 1, only 3 operations completed" in found.statement
    assert found.severity is Severity.DOUBTFUL
