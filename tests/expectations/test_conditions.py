"""Expected values have a source with conditions. Verdicts name the conditions that a run does not share."""

from collections.abc import Sequence
from typing import Any

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.results import UNKNOWN_CONDITIONS, MeasuredConditions, WrittenState
from iosonde.errors import UsageError
from iosonde.expectations import Checked, check_results, read_expectations
from iosonde.findings import Finding, Severity
from iosonde.findings.run_results import measured_conditions, results_of_run
from iosonde.records import Operation, RunRecord
from iosonde.report.expected_words import unlike_texts
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload
from tests.procedure_builder import procedure_run, steady_procedure, write_rounds

GIB = 1 << 30
BOUND = 'metric = "iops"\nat_least = 1\n'


def run_of(*depths: int, **shape: Any) -> RunRecord:
    plans = [cell_plan(workload(queue_depth=depth, **shape)) for depth in depths]
    repeats = [
        cell_record(plan, {Operation.READ: totals_of([100_000] * (1000 * plan.workload.queue_depth))}, repeat=repeat)
        for plan in plans
        for repeat in (1, 2, 3)
    ]
    return run_record(plans, repeats)


def checked(
    run: RunRecord, text: str, here: MeasuredConditions = UNKNOWN_CONDITIONS, findings: Sequence[Finding] = ()
) -> list[Checked]:
    results = results_of_run("run", estimate_run(run), findings, here)
    whole = f'name = "sheet"\n{text}'
    return list(check_results(results, read_expectations(whole, "s.toml"), ("s.toml", whole)).checks)


def differs(conditions: str, here: MeasuredConditions = UNKNOWN_CONDITIONS) -> tuple[str, ...]:
    (found,) = checked(run_of(8), f"[[expect]]\nread = 100\nconditions = {{ {conditions} }}\n{BOUND}", here)
    return found.differs


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ("queue_depth = 8, jobs = 1", ()),
        ("queue_depth = 32, jobs = 4", ("queue depth 32 x 4 jobs, here 8 x 1 job",)),
        ("jobs = 4", ("queue depth 8 x 4 jobs, here 8 x 1 job",)),
        ('block_size = "4KiB"', ()),
        ('block_size = "128KiB"', ("block size 128 KiB, here 4 KiB",)),
        ('pattern = "sequential"', ("pattern sequential, here random",)),
        ("read = 70", ("reads 70 %, here 100 %",)),
        ('other = "power mode 0"', ()),
    ],
)
def test_a_condition_that_the_cell_does_not_share_is_named(conditions: str, expected: tuple[str, ...]) -> None:
    assert differs(conditions) == expected


@pytest.mark.parametrize(
    ("span", "here", "expected"),
    [
        ("8GiB", 8 * GIB, ()),
        ("8GB", 8 * GIB, ()),
        ("8GiB", GIB, ("test region 8 GiB, here 1 GiB",)),
        ("8GiB", None, ("test region 8 GiB, here unknown",)),
    ],
)
def test_test_regions_that_differ_by_more_than_a_tenth_are_named(
    span: str, here: int | None, expected: tuple[str, ...]
) -> None:
    assert differs(f'span = "{span}"', MeasuredConditions(here)) == expected


@pytest.mark.parametrize(
    ("state", "here", "expected"),
    [
        ("preconditioned", WrittenState.PRECONDITIONED, ()),
        ("steady", WrittenState.STEADY, ()),
        ("fresh", WrittenState.PRECONDITIONED, ("a fresh drive, here every block was written at least once",)),
        ("fresh", WrittenState.STEADY, ("a fresh drive, here a drive in steady state",)),
        ("preconditioned", WrittenState.STEADY, ("a drive written once, here a drive in steady state",)),
        (
            "steady",
            WrittenState.PRECONDITIONED,
            ("a drive in steady state, here every block was written at least once",),
        ),
        ("fresh", None, ("a fresh drive, here the write history is unknown",)),
    ],
)
def test_the_state_of_the_drive_is_compared_with_what_the_run_did(
    state: str, here: WrittenState | None, expected: tuple[str, ...]
) -> None:
    assert differs(f'state = "{state}"', MeasuredConditions(None, here)) == expected


def test_a_run_without_preconditioning_does_not_know_the_history_of_its_drive() -> None:
    assert measured_conditions(run_of(1)).state is None


@pytest.mark.parametrize(
    ("values", "state"), [((100, 100, 100, 100, 100), WrittenState.STEADY), ((100, 200, 300, 400, 500), None)]
)
def test_a_procedure_that_reached_steady_state_was_measured_on_a_drive_in_that_state(
    values: tuple[int, ...], state: WrittenState | None
) -> None:
    run = procedure_run(steady_procedure(rounds_max=5), write_rounds(*values))
    assert measured_conditions(run).state is state


def test_conditions_and_source_of_the_file_hold_unless_an_expected_value_says_otherwise() -> None:
    text = (
        'source = "sheet 1"\nbasis = "specified"\n[conditions]\nqueue_depth = 32\njobs = 4\n'
        f'[[expect]]\nsource = "line 2"\nread = 100\nconditions = {{ jobs = 1 }}\n{BOUND}'
    )
    (found,) = checked(run_of(8), text)
    assert (found.origin.source, str(found.origin.basis)) == ("sheet 1, line 2", "specified")
    assert found.differs == ("queue depth 32 x 1 job, here 8 x 1 job",)


def test_equal_differences_are_one_sentence() -> None:
    each = f"[[expect]]\nread = 100\nqueue_depth = 8\n{BOUND}"
    checks = checked(run_of(8), f'[conditions]\nqueue_depth = 32\nother = "power mode 0"\n{each * 5}')
    (sentence,) = unlike_texts(checks)
    assert sentence.startswith(
        "Not the conditions of the source: queue depth 32 x 1 job, here 8 x 1 job; not compared: power mode 0 ("
    )


def test_the_best_of_several_cells_is_checked_where_the_file_asks_for_it() -> None:
    (found,) = checked(run_of(1, 2, 8, jobs=2), f'[[expect]]\nread = 100\nchoose = "best"\n{BOUND}')
    assert (found.cell, found.chosen_of) == ("random-read-4KiB-qd8-jobs2", 3)


def test_an_invalid_cell_is_not_the_best_while_there_are_others() -> None:
    invalid = [finding("cold-queue", Severity.INVALID, ("random-read-4KiB-qd8",))]
    text = f'[[expect]]\nread = 100\nchoose = "best"\n{BOUND}'
    (found,) = checked(run_of(1, 2, 8), text, findings=invalid)
    assert found.cell == "random-read-4KiB-qd2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'[conditions]\nstate = "frsh"\n[[expect]]\nread = 100\n{BOUND}', 's.toml:3: state = "frsh" is not'),
        (f"[[expect]]\nread = 100\nconditions = {{ spann = 1 }}\n{BOUND}", "s.toml:4: unknown key spann"),
    ],
)
def test_an_error_in_conditions_names_its_line_and_key(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked(run_of(1), text)
    assert caught.value.message.startswith(message)


def test_a_printed_bandwidth_is_rounded_to_bytes() -> None:
    text = 'name = "s"\n[[expect]]\nread = 100\nmetric = "bytes_per_s"\nat_least = "107.8 MiB/s"\n'
    assert read_expectations(text, "s.toml").expect[0].bound == round(107.8 * 2**20)
