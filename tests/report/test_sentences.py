"""The answers in words."""

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.knee import DepthPoint, find_knee
from iosonde.records import Experiment, Operation
from iosonde.report.sentences import NO_FIGURES, experiment_sentence, knee_sentence
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.lab_builder import lab_plans, lab_run


@pytest.fixture(scope="module")
def estimates() -> RunEstimates:
    return estimate_run(lab_run())


def knee_of(*points: tuple[int, float, float]) -> str:
    return knee_sentence(Operation.READ, find_knee(DepthPoint(*point) for point in points))


def test_a_knee_says_its_depth_and_both_shares() -> None:
    assert knee_of((1, 1000, 10e3), (2, 1950, 10e3), (4, 2000, 40e3)) == (
        "Random reads: the knee is at depth 2, with 98 % of the best throughput (2,000 IOPS at depth 4) "
        "at 25 % of the highest mean latency in the sweep."
    )


def test_a_knee_above_the_sweep_is_said_to_be_outside() -> None:
    assert knee_of((1, 1000, 10e3), (2, 2000, 10e3), (4, 4000, 10e3)) == (
        "Random reads: the knee lies outside the sweep, above it: 95 % of the best throughput (4,000 IOPS at depth 4) "
        "is reached only at depth 4, the deepest tested."
    )


def test_a_knee_below_the_sweep_is_said_to_be_outside() -> None:
    assert knee_of((16, 990, 10e3), (32, 1000, 20e3), (64, 1000, 40e3)).startswith(
        "Random reads: the knee lies outside the sweep, below it: depth 16, the shallowest tested, already gives 99 %"
    )


def test_an_unknown_knee_says_what_is_missing() -> None:
    assert "only 1 of the depths have figures and it takes at least 3" in knee_of((1, 1000, 10e3))


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
