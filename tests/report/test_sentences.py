"""The answers in words."""

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.records import Experiment, Operation
from iosonde.report.sentences import NO_FIGURES, experiment_sentence
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
