"""Every finding has a run that triggers it. A run without findings and near misses do not trigger it."""

from collections.abc import Callable

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import RULES, Case, Severity
from iosonde.records import RunRecord
from tests.findings import (
    test_device,
    test_dips,
    test_drift,
    test_engine,
    test_fio,
    test_frequency,
    test_health,
    test_host,
    test_io_errors,
    test_link,
    test_load,
    test_mix,
    test_precision,
    test_procedures,
    test_repeats,
    test_run,
    test_tail,
    test_target,
    test_throughput,
    test_verification,
)
from tests.findings.runs import ids, only, run_of, sound, three
from tests.judging import findings_of

FIRES: dict[str, Callable[[], RunRecord]] = {
    **test_device.FIRES,
    **test_dips.FIRES,
    **test_drift.FIRES,
    **test_engine.FIRES,
    **test_fio.FIRES,
    **test_frequency.FIRES,
    **test_health.FIRES,
    **test_host.FIRES,
    **test_io_errors.FIRES,
    **test_link.FIRES,
    **test_load.FIRES,
    **test_mix.FIRES,
    **test_precision.FIRES,
    **test_procedures.FIRES,
    **test_repeats.FIRES,
    **test_run.FIRES,
    **test_tail.FIRES,
    **test_target.FIRES,
    **test_throughput.FIRES,
    **test_verification.FIRES,
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    *test_device.NEAR_MISSES,
    *test_dips.NEAR_MISSES,
    *test_drift.NEAR_MISSES,
    *test_engine.NEAR_MISSES,
    *test_fio.NEAR_MISSES,
    *test_frequency.NEAR_MISSES,
    *test_health.NEAR_MISSES,
    *test_host.NEAR_MISSES,
    *test_io_errors.NEAR_MISSES,
    *test_link.NEAR_MISSES,
    *test_load.NEAR_MISSES,
    *test_mix.NEAR_MISSES,
    *test_precision.NEAR_MISSES,
    *test_procedures.NEAR_MISSES,
    *test_repeats.NEAR_MISSES,
    *test_run.NEAR_MISSES,
    *test_tail.NEAR_MISSES,
    *test_target.NEAR_MISSES,
    *test_throughput.NEAR_MISSES,
    *test_verification.NEAR_MISSES,
]


def test_a_sound_run_has_nothing_to_be_said_of_it() -> None:
    assert findings_of(sound()) == ()


@pytest.mark.parametrize("identity", FIRES)
def test_each_finding_is_found_where_its_reason_is(identity: str) -> None:
    found = only(FIRES[identity](), identity)
    assert found.statement.endswith(".")
    assert found.advice.endswith(".")


@pytest.mark.parametrize(("identity", "run"), NEAR_MISSES)
def test_a_near_miss_does_not_set_it_off(identity: str, run: Callable[[], RunRecord]) -> None:
    assert identity not in ids(run())


@pytest.mark.parametrize("identity", FIRES)
def test_a_finding_comes_alone_where_its_reason_is_alone(identity: str) -> None:
    companions = {
        "buffered-io": set(),
        "device-times-differ": {"written-unknown"},
        "drift": {"repeats-differ"},
        "engine-by-cell": {"volatile-write-cache"},
        "waiting-not-counted": {"measured-by-fio"},
        **{
            each: {"littles-law-off"}
            for each in ("repeats-differ", "precision-missed", "not-established", "cold-queue")
        },
        "state-left": {"littles-law-off", "repeats-discarded"},
        "nothing-completed": {"not-established"},
        "too-few-operations": {"cold-queue", "littles-law-off"},
        "reads-of-holes": {"volatile-write-cache", "mix-not-kept"},
        "mix-not-kept": {"volatile-write-cache"},
        "preconditioning-failed": {"volatile-write-cache"},
        "slowest-by-operation": {"volatile-write-cache"},
    }
    found = ids(FIRES[identity]())
    assert found - companions.get(identity, set()) <= {identity}, found


def test_every_rule_is_set_off_by_some_run_here() -> None:
    cases = [Case.of(RunAnalysis(make())) for make in FIRES.values()]
    silent = [rule.__name__ for rule in RULES if not any(list(rule(case)) for case in cases)]
    assert silent == []


def test_a_wide_interval_is_a_fact_and_no_doubt_and_a_missing_one_is_a_doubt() -> None:
    assert only(FIRES["precision-missed"](), "precision-missed").severity is Severity.NOTE
    assert only(FIRES["repeats-differ"](), "repeats-differ").severity is Severity.NOTE
    assert only(FIRES["not-established"](), "not-established").severity is Severity.DOUBTFUL


def test_findings_come_most_severe_first() -> None:
    run = run_of(*three(queue_depth_achieved=2.0), header={"host": {"virtual_machine": "QEMU"}}, quick=True)
    assert [finding.severity for finding in findings_of(run)] == [Severity.INVALID, Severity.DOUBTFUL, Severity.NOTE]
