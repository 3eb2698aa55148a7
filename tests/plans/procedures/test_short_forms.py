"""Short forms of standard procedures: modelled preconditioning, tracking cells alone until steady, and one matrix."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, check_plan
from iosonde.plans.procedure_files import procedure_names
from iosonde.plans.procedures import load_procedures, procedures_plan, read_procedures
from iosonde.records import CellPlan, FastRandom, Plan, Rounds, SteadyState, Workload
from iosonde.units import SECOND_NS
from iosonde.vocabulary import PhaseRole

GIB = 1 << 30
OWN = """name = "own"
[[procedure]]
name = "first"
[[procedure.phase]]
name = "fill"
role = "preconditioning"
[[procedure.phase.cells]]
fast_random = true
read = 0
block_size = "4KiB"
queue_depth = 32
"""


def plan_of(text: str, span_bytes: int = GIB, *, time_scale: int = 1) -> Plan:
    campaign = read_procedures(text, "own.toml") if "\n" in text else load_procedures(text)
    return procedures_plan(campaign, TargetInfo(span_bytes, fill=True), seed=1, time_scale=time_scale)


def filling(plan: Plan) -> CellPlan:
    name = plan.procedures[0].phases[0].cells[0]
    return next(cell for cell in plan.cells if cell.cell == name)


@pytest.mark.parametrize("test", ["iops", "tp", "lat", "cbw", "dirth"])
@pytest.mark.parametrize("mode", ["", "-client"])
def test_a_short_form_has_the_cells_of_the_full_form_and_is_marked(test: str, mode: str) -> None:
    full, short = (plan_of(f"{form}-{test}{mode}", 4 * GIB) for form in ("pts", "pts-like"))
    assert {each.is_like for each in full.procedures} == {False}
    assert {each.is_like for each in short.procedures} == {True}
    assert about(full) == about(short)
    assert measured(full) == measured(short)
    assert tracked(full) == tracked(short)


def about(plan: Plan) -> set[tuple[object, ...]]:
    return {(each.kind, each.specification, each.mode, each.active_range_percent) for each in plan.procedures}


def tracked(plan: Plan) -> set[tuple[object, ...]]:
    cells = {cell.cell: cell.workload for cell in plan.cells}
    stops = [phase.stop for each in plan.procedures for phase in each.phases]
    return {
        (each.quantity, *settings(cells[each.cell]))
        for stop in stops
        if isinstance(stop, SteadyState)
        for each in stop.tracked
    }


def measured(plan: Plan) -> set[tuple[object, ...]]:
    cells = {cell.cell: cell.workload for cell in plan.cells}
    phases = [phase for each in plan.procedures for phase in each.phases if phase.role is PhaseRole.ROUNDS]
    return {settings(cells[name]) for phase in phases for name in phase.cells}


def settings(asked: Workload) -> tuple[object, ...]:
    return (asked.read_percent, asked.size_text, asked.jobs, asked.queue_depth, asked.span_bytes, asked.write_cache)


def test_only_the_tracking_cells_are_repeated_until_they_are_steady() -> None:
    (procedure,) = plan_of("pts-like-iops", 4 * GIB).procedures
    fill, tracking, matrix = procedure.phases
    assert (fill.role, tracking.role, matrix.role) == (
        *(PhaseRole.PRECONDITIONING, PhaseRole.SCREENING, PhaseRole.ROUNDS),
    )
    assert isinstance(tracking.stop, SteadyState)
    assert {each.cell for each in tracking.stop.tracked} == set(tracking.cells)
    assert (len(tracking.cells), len(matrix.cells), matrix.stop) == (3, 56, Rounds(rounds=1))


def test_fast_random_writes_the_capacity_and_the_assumed_over_provisioning_twice() -> None:
    cell = filling(plan_of(OWN))
    spare_blocks = -(-(GIB // 4096) * 150 // 1000)
    assert cell.workload.pattern == FastRandom(150)
    assert cell.timing.amount_bytes == GIB + 2 * spare_blocks * 4096


def test_the_over_provisioning_can_be_set() -> None:
    cell = filling(plan_of(OWN.replace('name = "first"', 'name = "first"\nover_provisioning = "28%"')))
    assert cell.workload.pattern == FastRandom(280)


def test_the_capacity_outside_of_a_smaller_active_range_is_over_provisioning_too() -> None:
    cell = filling(plan_of(OWN.replace('name = "first"', 'name = "first"\nactive_range = "75%"'), 4 * GIB))
    # 1.15 capacities of flash, for 0.75 capacities of data.
    assert cell.workload.pattern == FastRandom(533)
    assert cell.workload.span_bytes == 3 * GIB


def test_a_cell_can_have_a_warm_up_which_is_scaled() -> None:
    plan = plan_of("pts-like-iops", 4 * GIB, time_scale=4)
    assert {(cell.timing.warmup_ns, cell.timing.measure_ns) for cell in plan.cells[1:]} == {
        (SECOND_NS // 2, SECOND_NS),
    }


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("read = 0", "read = 50", "fast_random has writes only"),
        ("read = 0", 'read = 0\nduration = "1s"', "cells of a phase end by fast_random and duration"),
        ("fast_random = true", 'pattern = "random"', "cells of a phase have no end"),
        ("fast_random = true", "capacities = 1", "cells of a phase have no pattern"),
        ("fast_random = true", 'pattern = "random"\nwarmup = "1s"\namount = "1GiB"', "warmup needs duration"),
    ],
)
def test_keys_that_contradict_each_other_are_refused(before: str, after: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        read_procedures(OWN.replace(before, after, 1), "own.toml")
    assert raised.value.hint


def test_a_short_form_cannot_be_made_to_look_like_the_test() -> None:
    text = 'name = "mine"\n[[procedure]]\nuse = "pts-like-lat"\nis_like = false\n'
    with pytest.raises(UsageError, match="pts-like-lat is a short form, so it remains PTS-like"):
        read_procedures(text, "mine.toml")


def test_a_target_whose_end_would_never_be_written_is_refused() -> None:
    with pytest.raises(UsageError, match="not a multiple of the block size 4 KiB, so its end would never be written"):
        check_plan(plan_of(OWN, GIB + 512), targets=1)


def test_there_are_no_short_forms_of_tests_whose_result_is_a_course_over_time() -> None:
    short = {name.removeprefix("pts-like-").removesuffix("-client") for name in procedure_names() if "like" in name}
    assert short == {"iops", "tp", "lat", "cbw", "dirth"}
