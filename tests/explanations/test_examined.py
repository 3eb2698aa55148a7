"""What a run shows of every mechanism: named, not seen, undecided, or not tested, and why."""

from collections.abc import Mapping, Sequence

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import Examined, Mechanism, Outcome, examine, explain
from iosonde.explanations.examined import NEEDS
from iosonde.findings import Case
from iosonde.records import Access, Experiment, Operation, RunRecord, Sync, Workload
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.explanations.marks import on_device, scattered, thrice
from tests.sweep_builder import run_of_cells

READ = workload(queue_depth=1)
SEQUENTIAL = workload(pattern=Access.SEQUENTIAL, queue_depth=1)
WRITE = workload(read_percent=0, queue_depth=1)
SEQUENTIAL_WRITE = workload(pattern=Access.SEQUENTIAL, read_percent=0, queue_depth=1)
DURABLE = workload(read_percent=0, queue_depth=1, sync=Sync.DSYNC)


def examined(run: RunRecord) -> dict[Mechanism, Examined]:
    case = Case.of(RunAnalysis(run))
    return {each.mechanism: each for each in examine(case, (), explain(case, ()))}


def examined_cells(cells: Mapping[Workload, Sequence[float]]) -> dict[Mechanism, Examined]:
    return examined(run_of_cells(cells))


def test_every_mechanism_has_an_outcome_and_a_need() -> None:
    found = examined_cells({READ: thrice(80)})
    assert list(found) == list(Mechanism)
    assert set(NEEDS) == set(Mechanism)


def test_a_mechanism_whose_marks_are_seen_is_named() -> None:
    found = examined_cells({READ: thrice(100), SEQUENTIAL: thrice(20)})[Mechanism.READ_AHEAD]
    assert (found.outcome, found.text) == (Outcome.NAMED, "See above (likely).")


@pytest.mark.parametrize(
    ("mechanism", "cells", "words"),
    [
        (Mechanism.READ_AHEAD, {READ: thrice(80), SEQUENTIAL: thrice(80)}, "take 1.00 times"),
        (Mechanism.WRITE_BUFFER, {READ: thrice(80), WRITE: thrice(90)}, "take 0.89 times"),
        (Mechanism.COLLECTION, {WRITE: thrice(80), SEQUENTIAL_WRITE: thrice(79)}, "take 1.01 times"),
        (Mechanism.FLUSH, {DURABLE: thrice(150), WRITE: thrice(80)}, "as long as the same writes without it"),
    ],
)
def test_a_comparison_without_effect_is_not_seen(
    mechanism: Mechanism, cells: Mapping[Workload, Sequence[float]], words: str
) -> None:
    found = examined_cells(cells)[mechanism]
    assert found.outcome is Outcome.NOT_SEEN
    assert words in found.text


@pytest.mark.parametrize(
    "cells",
    [{READ: scattered(80), SEQUENTIAL: scattered(80)}, {READ: [80_000.0], SEQUENTIAL: [80_000.0]}],
    ids=["a wide interval", "a single repeat"],
)
def test_a_comparison_that_excludes_nothing_is_undecided(cells: Mapping[Workload, Sequence[float]]) -> None:
    assert examined_cells(cells)[Mechanism.READ_AHEAD].outcome is Outcome.UNDECIDED


def test_a_mechanism_without_the_cells_for_it_is_not_tested() -> None:
    found = examined_cells({READ: thrice(80)})[Mechanism.READ_AHEAD]
    assert found.outcome is Outcome.NOT_TESTED
    assert found.text == "This needs random and sequential reads of at most 64 KiB at the same depth."


def test_slow_durable_writes_do_not_test_a_write_buffer() -> None:
    found = examined_cells({READ: thrice(80), DURABLE: thrice(700)})[Mechanism.WRITE_BUFFER]
    assert found.outcome is Outcome.NOT_TESTED


def test_durable_writes_that_are_faster_than_reads_show_a_write_buffer() -> None:
    found = examined_cells({READ: thrice(80), DURABLE: thrice(12)})[Mechanism.WRITE_BUFFER]
    assert found.outcome is Outcome.NAMED


def test_writes_of_a_mix_that_are_faster_than_its_reads_show_a_write_buffer() -> None:
    mix = workload(read_percent=50, queue_depth=16)
    plan = cell_plan(mix, Experiment.MIX)
    records = [
        cell_record(
            plan, {Operation.READ: totals_of([900_000] * 200), Operation.WRITE: totals_of([90_000] * 200)}, repeat=each
        )
        for each in (1, 2, 3)
    ]
    found = examined(run_record([plan], records))[Mechanism.WRITE_BUFFER]
    assert found.outcome is Outcome.NAMED


@pytest.mark.parametrize("mechanism", [Mechanism.DIE_CONFLICTS, Mechanism.COLLECTION, Mechanism.SLC_CACHE])
def test_a_disk_has_no_mechanism_of_flash(mechanism: Mechanism) -> None:
    depths = {workload(queue_depth=depth): thrice(5_000 * depth) for depth in (1, 2, 4)}
    run = on_device(run_of_cells(depths), rotational=True)
    assert examined(run)[mechanism].outcome is Outcome.NOT_TESTED
