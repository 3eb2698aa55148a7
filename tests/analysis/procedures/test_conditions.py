from collections.abc import Sequence
from typing import Any

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.records import (
    CellPlan,
    Censored,
    Experiment,
    Operation,
    PhasePlan,
    Procedure,
    Rounds,
    RunRecord,
    ShareTotals,
    SimulationFacts,
    TargetFacts,
    TargetShare,
    Timing,
)
from iosonde.vocabulary import PhaseRole, PurgeState, WriteCache
from tests.builders import SECOND_NS, cell_plan, cell_record, drive_state, target_facts, workload
from tests.procedure_builder import READ, TIMING, WRITE, operations, procedure_run, steady_procedure, write_rounds


def states(procedure: Procedure | None = None, cell: CellPlan = WRITE, **given: Any) -> dict[str, ConditionState]:
    rounds = given.pop("rounds", [{cell.cell: 100}] * 5)
    run = procedure_run(procedure or steady_procedure((cell,), (cell,)), rounds, (cell,), **given)
    [found] = procedures_of(run)
    return {each.name: each.state for each in conditions_of(run, found)}


def device(size_bytes: int = 8 * 2**30) -> TargetFacts:
    facts = target_facts("/dev/nvme0n1")
    assert facts.device is not None
    below = facts.device.model_copy(update={"size_bytes": size_bytes})
    return facts.model_copy(update={"kind": "device", "device": below, "file_system": None})


@pytest.mark.parametrize(
    ("purge", "state"),
    [
        (PurgeState.VERIFIED, ConditionState.VERIFIED),
        (PurgeState.SIMULATED, ConditionState.SIMULATED),
        (PurgeState.FAILED, ConditionState.FAILED),
        (PurgeState.SKIPPED, ConditionState.SKIPPED),
    ],
)
def test_the_purge_has_the_state_that_its_start_recorded(purge: PurgeState, state: ConditionState) -> None:
    assert states(purge=purge)["Purge"] is state


def test_what_was_not_verified_comes_first() -> None:
    found = list(states(rounds=write_rounds(100, 200, 300, 400, 500)).values())

    assert found == sorted(found, key=list(ConditionState).index)
    assert found[0] is ConditionState.FAILED


def test_a_write_cache_that_was_not_set_is_unknown() -> None:
    run = procedure_run(steady_procedure(), write_rounds(*[100] * 5), target=device())
    [found] = procedures_of(run)
    [cache] = [each for each in conditions_of(run, found) if each.name == "Write cache"]

    assert (cache.state, cache.reason) == (
        ConditionState.UNKNOWN,
        "it was not set; the kernel takes it for write back",
    )
    assert states()["Write cache"] is ConditionState.UNKNOWN


def test_a_write_cache_that_was_set_is_verified() -> None:
    set_off = cell_plan(workload(read_percent=0, write_cache=WriteCache.OFF), Experiment.PROCEDURE, timing=TIMING)

    assert states(cell=set_off, target=device())["Write cache"] is ConditionState.VERIFIED


def test_a_file_is_not_the_active_range_of_a_drive() -> None:
    assert states()["Active range"] is ConditionState.SKIPPED
    assert states(target=device())["Active range"] is ConditionState.VERIFIED
    assert states(target=device(16 * 2**30))["Active range"] is ConditionState.FAILED


def test_a_capacity_that_is_no_multiple_of_a_block_is_covered_by_all_of_its_whole_blocks() -> None:
    # The capacity of drives of 960 GB, as IDEMA LBA1-03 defines it, is 0.6 MiB more than whole blocks of 1 MiB.
    size_bytes = 960_197_124_096
    cell = cell_plan(workload(read_percent=0), Experiment.PROCEDURE, timing=TIMING)
    run = procedure_run(steady_procedure((cell,), (cell,)), write_rounds(100), (cell,), target=device(size_bytes))
    plan = run.header.plan.model_copy(update={"span_bytes": size_bytes >> 20 << 20})
    run = run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})
    found = {each.name: each for each in conditions_of(run, procedures_of(run)[0])}
    assert found["Active range"].state is ConditionState.VERIFIED
    assert found["Active range"].reason == "100 % of 894 GiB, from the start of the device"


@pytest.mark.parametrize(("size_gib", "state"), [(8, ConditionState.SIMULATED), (16, ConditionState.FAILED)])
def test_a_part_of_a_simulated_drive_is_not_its_active_range(size_gib: int, state: ConditionState) -> None:
    table = {"kind": "ssd", "capacity_bytes": 4 * size_gib * 2**30, "capacity_scale": 4}
    drive = SimulationFacts(model="sata-dc", title="SATA", table=table, seed=1, scale=4)
    facts = target_facts("sim:sata-dc").model_copy(update={"kind": "simulated", "simulation": drive})
    assert states(target=facts)["Active range"] is state


def test_compressible_data_does_not_follow_the_specification() -> None:
    easy = cell_plan(workload(read_percent=0, compressible_percent=50), Experiment.PROCEDURE, timing=TIMING)

    assert states()["Data pattern"] is ConditionState.VERIFIED
    assert states(cell=easy)["Data pattern"] is ConditionState.FAILED


def test_steady_state_is_verified_if_it_was_reached() -> None:
    assert states()["Steady state"] is ConditionState.VERIFIED
    assert states(rounds=write_rounds(100, 200, 300, 400, 500))["Steady state"] is ConditionState.FAILED


def test_a_gap_within_the_window_fails_and_one_before_it_does_not() -> None:
    assert states(gaps_s={3: 11})["No gap in the window"] is ConditionState.FAILED
    six = [{WRITE.cell: 100}] * 6
    assert states(rounds=six, gaps_s={2: 11})["No gap in the window"] is ConditionState.VERIFIED


def test_the_time_in_which_operations_completed_after_a_trial_is_no_gap() -> None:
    left = Censored(count=8, age_ns_min=0, age_ns_max=SECOND_NS, latency_ns_max=45 * SECOND_NS, drain_ns=44 * SECOND_NS)
    slow = cell_record(WRITE, operations(WRITE, 100), censored=left)

    assert states(rounds=write_rounds(*[slow] * 5), gaps_s={3: 53})["No gap in the window"] is ConditionState.VERIFIED
    assert states(rounds=write_rounds(*[slow] * 5), gaps_s={3: 55})["No gap in the window"] is ConditionState.FAILED


def test_the_time_in_which_operations_completed_is_told_if_it_is_longer_than_a_gap_may_be() -> None:
    left = Censored(count=8, age_ns_min=0, age_ns_max=SECOND_NS, latency_ns_max=45 * SECOND_NS, drain_ns=44 * SECOND_NS)
    rounds = write_rounds(*[cell_record(WRITE, operations(WRITE, 100), censored=left)] * 5)
    run = procedure_run(steady_procedure(), rounds, gaps_s={3: 46})
    [found] = procedures_of(run)
    [reason] = [each.reason for each in conditions_of(run, found) if each.name == "No gap in the window"]

    assert reason == (
        "no gap of more than 10.0 s; the longest was 2.0 s; operations in flight at the end of a trial took up to "
        "44.0 s to complete"
    )


def test_a_drive_that_reports_nothing_leaves_link_and_temperature_unknown() -> None:
    found = states(target=device())

    assert found["Link"] is ConditionState.UNKNOWN
    assert found["Temperature"] is ConditionState.UNKNOWN


@pytest.mark.parametrize(("written", "state"), [(100, ConditionState.VERIFIED), (99, ConditionState.FAILED)])
def test_preconditioning_is_verified_by_the_bytes_that_were_written(written: int, state: ConditionState) -> None:
    amount = Timing(warmup_ns=0, measure_ns=0, interval_ns=SECOND_NS, amount_bytes=100 * 4096)
    fill = cell_plan(workload(read_percent=0, queue_depth=2), Experiment.PROCEDURE, timing=amount)
    [rounds] = steady_procedure().phases
    before = PhasePlan(name="fill", role=PhaseRole.PRECONDITIONING, cells=(fill.cell,), stop=Rounds(rounds=1))
    run = procedure_run(
        steady_procedure(phases=(before, rounds)),
        [{fill.cell: written}, *write_rounds(*[100] * 5)],
        (fill, WRITE),
        phase=["fill", *["rounds"] * 5],
    )
    [found] = procedures_of(run)

    assert {each.name: each.state for each in conditions_of(run, found)}["Preconditioning"] is state


@pytest.mark.parametrize(("first", "state"), [("fill", ConditionState.UNKNOWN), ("read", ConditionState.VERIFIED)])
def test_modelled_preconditioning_of_a_drive_that_was_written_to_is_unknown(first: str, state: ConditionState) -> None:
    amount = Timing(warmup_ns=0, measure_ns=0, interval_ns=SECOND_NS, amount_bytes=100 * 4096)
    asked = workload(read_percent=0, pattern="fast-random:15")
    modelled = cell_plan(asked, Experiment.PROCEDURE, timing=amount)
    cells = {"fill": cell_plan(workload(read_percent=0, queue_depth=2), Experiment.PROCEDURE), "read": READ}
    phases = [
        PhasePlan(name=name, role=role, cells=(plan.cell,), stop=Rounds(rounds=1))
        for name, role, plan in (
            ("before", PhaseRole.ROUNDS, cells[first]),
            ("modelled", PhaseRole.PRECONDITIONING, modelled),
        )
    ]
    run = procedure_run(
        steady_procedure(phases=(*phases, *steady_procedure().phases)),
        [{cells[first].cell: 100}, {modelled.cell: 100}, *write_rounds(*[100] * 5)],
        (cells[first], modelled, WRITE),
        phase=["before", "modelled", *["rounds"] * 5],
        purge=PurgeState.SIMULATED,
    )
    [found] = procedures_of(run)

    assert {each.name: each.state for each in conditions_of(run, found)}["Preconditioning"] is state


def test_a_procedure_without_preconditioning_says_so() -> None:
    assert states()["Preconditioning"] is ConditionState.SKIPPED


def test_steady_state_of_an_interrupted_run_is_unknown_and_not_failed() -> None:
    run = procedure_run(steady_procedure(), [{WRITE.cell: 100}, {WRITE.cell: 200}])
    interrupted = run.model_copy(update={"finished": False})
    (rounds,) = procedures_of(interrupted)
    (found,) = [each for each in conditions_of(interrupted, rounds) if each.name == "Steady state"]
    assert (found.state, found.reason) == (
        ConditionState.UNKNOWN,
        "not decided: the run ended after 2 of at most 25 rounds",
    )


def simulated_run(*drives: dict[str, int]) -> RunRecord:
    """A run of one trial for each state of its drive afterwards."""
    table = {"kind": "ssd", "capacity_bytes": 2**33, "capacity_scale": 1}
    drive = SimulationFacts(model="sata-dc", title="SATA", table=table, seed=1, scale=1)
    facts = target_facts("sim:sata-dc").model_copy(update={"kind": "simulation", "simulation": drive})
    rounds = [
        {WRITE.cell: cell_record(WRITE, operations(WRITE, 100), drives=(drive_state(**each),))} for each in drives
    ]
    return procedure_run(steady_procedure(), rounds, target=facts)


@pytest.mark.parametrize(
    ("drives", "state", "reason"),
    [
        # The first trial has a change as well: a simulated drive begins with 0.
        ([{"throttled_ns": 8 * SECOND_NS}], ConditionState.FAILED, "throttled for 8.0 s"),
        ([{"throttled_ns": SECOND_NS}, {"throttled_ns": 3 * SECOND_NS}], ConditionState.FAILED, "throttled for 3.0 s"),
        ([{"throttled_ns": 0}], ConditionState.SIMULATED, "did not throttle"),
    ],
)
def test_a_simulated_drive_throttled_for_as_long_as_its_counter_says(
    drives: list[dict[str, int]], state: ConditionState, reason: str
) -> None:
    run = simulated_run(*drives)
    [found] = procedures_of(run)
    thermal = next(each for each in conditions_of(run, found) if each.name == "Temperature")

    assert thermal.state is state
    assert reason in thermal.reason


def of_two(run: RunRecord, first: TargetFacts, second: TargetFacts, shares: Sequence[Sequence[int]] = ()) -> RunRecord:
    """The run on two targets, on which each of its trials has these counts."""
    header = run.header.model_copy(update={"target": first, "more_targets": (second,)})
    if not shares:
        return run.model_copy(update={"header": header})

    def share(count: int) -> TargetShare:
        totals = ShareTotals(count=count, bytes=count * 4096, latency_ns_sum=count * 1000, latency_ns_max=1000)
        return TargetShare(operations={Operation.WRITE: totals})

    cells = [
        cell.model_copy(update={"targets": tuple(map(share, counts))})
        for cell, counts in zip(run.cells, shares, strict=True)
    ]
    return run.model_copy(update={"header": header, "cells": tuple(cells)})


def condition(run: RunRecord, name: str) -> tuple[ConditionState, str]:
    [found] = [each for each in conditions_of(run, procedures_of(run)[0]) if each.name == name]
    return found.state, found.reason


def test_the_active_range_is_that_of_the_target_it_covers_least() -> None:
    run = procedure_run(steady_procedure(), write_rounds(100))
    small, large = device(), device(16 * 2**30).model_copy(update={"path": "/dev/nvme1n1"})
    wanted = (ConditionState.FAILED, "/dev/nvme1n1: 100 % of 8 GiB, on a device of 16 GiB")

    assert condition(of_two(run, small, large), "Active range") == wanted
    assert condition(of_two(run, large, small), "Active range") == wanted
    assert condition(of_two(run, small, small), "Active range")[0] is ConditionState.VERIFIED


def test_targets_that_are_steady_only_together_are_not_steady() -> None:
    falling = [[200 - each, 800 + each] for each in (0, 20, 40, 60, 80)]
    run = procedure_run(steady_procedure(), write_rounds(*[1000] * 5))
    both = (target_facts("/srv/a"), target_facts("/srv/b"))

    assert condition(of_two(run, *both, falling), "Steady state") == (
        ConditionState.FAILED,
        "reached in round 5 by the sum of all targets, but /srv/a alone not reached after 5 rounds",
    )
    assert condition(of_two(run, *both, [[200, 800]] * 5), "Steady state") == (
        ConditionState.VERIFIED,
        "reached in round 5",
    )


def test_an_unreadable_part_of_the_journal_decides_nothing() -> None:
    fill = PhasePlan(name="fill", role=PhaseRole.PRECONDITIONING, cells=(READ.cell,), stop=Rounds(rounds=1))
    procedure = steady_procedure()
    procedure = procedure.model_copy(update={"phases": (fill, *procedure.phases)})
    damaged = procedure_run(procedure, write_rounds(100, 200, 300)).model_copy(update={"damage": "at byte 7"})

    assert condition(damaged, "Steady state") == (
        ConditionState.UNKNOWN,
        "not decided: part of the journal is unreadable",
    )
    assert condition(damaged, "Preconditioning") == (ConditionState.UNKNOWN, "part of the journal is unreadable")
