"""Findings about the host."""

from collections.abc import Callable
from typing import Any

from iosonde.records import ClockPair, Engine, RunRecord
from tests.builders import cpu_use, engine_facts
from tests.findings.runs import MS, SECOND_NS, granted, only, repeat, run_of, sound, stolen, three
from tests.pace_builder import paced_repeat, paced_run


def clocks(engine_ns: int, raw_ns: int, wall_ns: int) -> dict[str, Any]:
    return {
        "clock_start": ClockPair(engine_ns=0, wall_ns=0, raw_ns=0),
        "clock_end": ClockPair(engine_ns=engine_ns, wall_ns=wall_ns, raw_ns=raw_ns),
    }


def on_node(node: int, cpus_near: tuple[int, ...]) -> dict[str, Any]:
    return {"target": {"device": {"numa_node": node}, "cpus_near": cpus_near}}


FIRES: dict[str, Callable[[], RunRecord]] = {
    "cpu-quota": lambda: sound(header={"host": {"cpu_quota": 2.0}}),
    "one-cpu": lambda: sound(header={"host": {"cpus_allowed": 1}}),
    "clock-drift": lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS + MS, SECOND_NS))),
    "slow-clock": lambda: sound(
        header={"hello": {"clock_read_ns": 1_140}, "host": {"clock_source": "acpi_pm"}},
    ),
    "wall-clock-set": lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS, -60 * SECOND_NS))),
    "host-limited": lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS))),
    "busy-by-design": lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="iopoll"))),
    "far-from-device": lambda: run_of(*three(), header=on_node(1, (2, 3))),
    "steal": lambda: run_of(*three(cpu=stolen(0.03))),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("cpu-quota", lambda: sound(header={"host": {"cpu_quota": 16.0}})),
    ("one-cpu", lambda: sound(header={"host": {"cpus_allowed": 1}, "target": {"kind": "null"}})),
    ("clock-drift", lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS + MS // 10, SECOND_NS)))),
    ("clock-drift", lambda: run_of(*three(clock_start=None, clock_end=None))),
    ("slow-clock", lambda: sound(header={"hello": {"clock_read_ns": 200}, "host": {"clock_source": "kvm-clock"}})),
    ("slow-clock", lambda: sound(header={"hello": {"clock_read_ns": None}, "host": {"clock_source": "hpet"}})),
    ("host-limited", lambda: run_of(*three(cpu=None))),
    ("wall-clock-set", lambda: run_of(*three(**clocks(SECOND_NS, SECOND_NS, SECOND_NS + MS)))),
    (
        "host-limited",
        lambda: paced_run(
            *(paced_repeat(each).model_copy(update={"cpu": cpu_use(round(4.8 * SECOND_NS))}) for each in (1, 2, 3))
        ),
    ),
    ("busy-by-design", lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="sqpoll")))),
    ("host-limited", lambda: run_of(*three(cpu_ns=round(4.8 * SECOND_NS), **granted(poll_mode="iopoll")))),
    ("far-from-device", lambda: run_of(*three(), header=on_node(0, (0, 1)))),
    ("far-from-device", lambda: run_of(*three(), header=on_node(0, ()))),
    ("host-limited", lambda: run_of(*three(cpu_ns=round(4.4 * SECOND_NS)))),
    ("host-limited", lambda: run_of(*three(cpu_ns=5 * SECOND_NS, engine=engine_facts(Engine.NULL)))),
    ("steal", lambda: run_of(*three(cpu=stolen(0.01)))),
    ("steal", lambda: run_of(*three(), repeat(4, cpu=stolen(0.5)))),
]


def test_a_busy_thread_is_told_with_user_and_system_apart() -> None:
    found = only(run_of(*three(cpu_ns=round(4.8 * SECOND_NS))), "host-limited")
    assert (
        "In random-read-4KiB-qd8, the engine thread was busy for 96 % (24 % user, 72 % system) of the time"
        in found.statement
    )


def test_the_evidence_begins_with_the_trial_that_the_statement_tells_of() -> None:
    shares = (0.03, 0.05, 0.04)
    found = only(run_of(*(repeat(number, cpu=stolen(share)) for number, share in enumerate(shares, 1))), "steal")
    assert "reached 5.0 %" in found.statement
    assert [value.rpartition("repeat ")[2] for _, value in found.evidence] == ["2: 5.0 %", "3: 4.0 %", "1: 3.0 %"]
