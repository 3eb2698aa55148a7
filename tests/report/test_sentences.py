"""The answers in words."""

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.records import Experiment, Operation, Sync
from iosonde.report.sentences import NO_FIGURES, NO_SUBJECT, experiment_sentence
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_plans, lab_run


@pytest.fixture(scope="module")
def estimates() -> RunEstimates:
    return estimate_run(lab_run())


@pytest.mark.parametrize(
    ("experiment", "words"),
    [
        (Experiment.BASELINE, "commits/s are made one after another"),
        (Experiment.BLOCK_SIZE, "The highest rate is"),
        (Experiment.MIX, "slowest at 50 % reads"),
        (Experiment.QUEUE_DEPTH, "at least 98 % of the depth asked was in flight"),
        (Experiment.TAIL, "and p99.99 is"),
    ],
)
def test_each_experiment_is_answered_in_words(experiment: Experiment, words: str, estimates: RunEstimates) -> None:
    assert words in experiment_sentence(experiment, estimates)


@pytest.mark.parametrize("experiment", [each for each in Experiment if each not in {Experiment.PROBE, Experiment.FILL}])
def test_an_experiment_without_figures_says_so(experiment: Experiment) -> None:
    assert experiment_sentence(experiment, estimate_run(run_record(lab_plans(), []))) == NO_FIGURES


def test_a_depth_that_was_not_reached_is_named() -> None:
    plan = cell_plan(workload(queue_depth=64), Experiment.QUEUE_DEPTH)
    record = cell_record(plan, {Operation.READ: totals_of([1000])}, queue_depth_achieved=16)
    sentence = experiment_sentence(Experiment.QUEUE_DEPTH, estimate_run(run_record([plan], [record])))
    assert "random-read-4KiB-qd64, with 16.0 of 64 operations on average (25 %)" in sentence


def test_a_tail_that_is_too_short_gives_only_its_maximum() -> None:
    plan = cell_plan(workload(), Experiment.TAIL)
    record = cell_record(plan, {Operation.READ: totals_of([100_000] * 99 + [5_000_000])})
    sentence = experiment_sentence(Experiment.TAIL, estimate_run(run_record([plan], [record])))
    assert sentence == (
        "At depth 8 the slowest of 100 reads took 5,000 us; there are too few samples for a tail percentile."
    )


def test_a_sweep_whose_achieved_depths_nobody_knows_has_figures_all_the_same() -> None:
    plan = cell_plan(workload(read_percent=70), Experiment.QUEUE_DEPTH)
    record = cell_record(plan, {Operation.READ: totals_of([1000] * 7), Operation.WRITE: totals_of([1000] * 3)})
    unknown = record.model_copy(update={"in_flight_ns": None})
    sentence = experiment_sentence(Experiment.QUEUE_DEPTH, estimate_run(run_record([plan], [unknown])))
    assert sentence == "How much of the depth asked was in flight is not recorded."


def test_a_baseline_of_o_dsync_writes_alone_has_figures() -> None:
    plan = cell_plan(workload(read_percent=0, queue_depth=1, sync=Sync.DSYNC), Experiment.BASELINE)
    record = cell_record(plan, {Operation.WRITE: totals_of([100_000] * 50)})
    sentence = experiment_sentence(Experiment.BASELINE, estimate_run(run_record([plan], [record])))
    assert "4 KiB random write, O_DSYNC 100 us" in sentence


def test_commits_that_were_timed_apart_are_not_called_no_figures() -> None:
    plan = cell_plan(workload(read_percent=0, sync=Sync.FDATASYNC), Experiment.BASELINE)
    found = {Operation.WRITE: totals_of([1000] * 5), Operation.FLUSH: totals_of([1000] * 5, 0)}
    sentence = experiment_sentence(Experiment.BASELINE, estimate_run(run_record([plan], [cell_record(plan, found)])))
    assert sentence == NO_SUBJECT


def test_the_operations_of_a_mix_are_called_operations() -> None:
    plan = cell_plan(workload(read_percent=50), Experiment.TAIL)
    record = cell_record(plan, {Operation.READ: totals_of([1000] * 50), Operation.WRITE: totals_of([1000] * 50)})
    sentence = experiment_sentence(Experiment.TAIL, estimate_run(run_record([plan], [record])))
    assert "the slowest of 100 operations took" in sentence
