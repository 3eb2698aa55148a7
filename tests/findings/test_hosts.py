"""A run whose targets are on two hosts: each host is judged by its own facts, and named."""

from typing import Any

import pytest

from iosonde.records import RunRecord
from tests.builders import engine_hello, host_facts, target_facts
from tests.findings.runs import sound
from tests.judging import findings_of

GIB = 2**30


def two_hosts(target: dict[str, Any] | None = None, engine: dict[str, Any] | None = None, **facts: Any) -> RunRecord:
    """A sound run on the hosts bench-01 and bench-02; the arguments change the second host, its target and engine."""
    run = sound()
    second = host_facts().model_copy(update={"hostname": "bench-02", **facts})
    far = target_facts(span_bytes=100 * GIB).model_copy(update={"host": 1, "path": "/far/file", **(target or {})})
    hello = engine_hello().model_copy(update=engine or {})
    changed = {"more_hosts": (second,), "more_targets": (far,), "more_hellos": (hello,)}
    return run.model_copy(update={"header": run.header.model_copy(update=changed)})


def statements(run: RunRecord, rule: str) -> list[str]:
    return [finding.statement for finding in findings_of(run) if finding.id == rule]


def test_a_run_on_two_sound_hosts_has_no_findings_about_hosts() -> None:
    rules = {"one-cpu", "cpu-quota", "slow-clock", "virtual-disk", "debug-build"}
    assert not rules & {finding.id for finding in findings_of(two_hosts())}


@pytest.mark.parametrize(
    ("rule", "facts", "said"),
    [
        ("one-cpu", {"cpus_allowed": 1}, "The run on bench-02 is limited to one CPU"),
        ("cpu-quota", {"cpu_quota": 2.0}, "A cgroup CPU quota limits the run on bench-02 to 2.00 of 16 CPUs"),
        ("virtual-disk", {"virtual_machine": "QEMU"}, "The host bench-02 is a virtual machine (QEMU)"),
        ("slow-clock", {"engine": {"clock_read_ns": 900}}, "takes 900 ns on bench-02."),
    ],
)
def test_a_finding_about_one_of_two_hosts_names_it(rule: str, facts: dict[str, Any], said: str) -> None:
    [statement] = statements(two_hosts(**facts), rule)
    assert said in statement


def test_a_host_without_a_target_on_storage_does_not_count_its_cpus() -> None:
    assert not statements(two_hosts({"kind": "null"}, cpus_allowed=1), "one-cpu")


def test_a_debug_engine_on_one_of_two_hosts_makes_the_run_invalid() -> None:
    [statement] = statements(two_hosts(engine={"build_profile": "debug"}), "debug-build")
    assert "debug build" in statement


def test_the_span_on_a_host_is_held_against_the_memory_of_that_host() -> None:
    run = two_hosts({"direct": False}, memory_bytes=200 * GIB)
    first = run.header.target.model_copy(update={"direct": False})
    run = run.model_copy(update={"header": run.header.model_copy(update={"target": first})})
    [statement] = statements(run, "span-fits-cache")
    assert "The test region (100 GiB) fits in the available memory (200 GiB)" in statement


def test_a_host_that_names_no_engine_has_the_first_ones() -> None:
    run = two_hosts()
    alone = run.header.model_copy(update={"more_hellos": ()})
    assert [engine for _, engine in alone.engines] == [alone.hello, alone.hello]
