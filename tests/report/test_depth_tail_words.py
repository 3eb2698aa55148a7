"""Growth of percentiles with queue depth, and the deepest depth with p99 below a limit."""

from collections.abc import Sequence
from math import exp
from statistics import NormalDist

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import drawn_classes
from iosonde.analysis.run import RunAnalysis
from iosonde.expectations import ExpectationsTable, check_results
from iosonde.findings.run_results import results_of_run
from iosonde.records import Experiment, Operation, RunRecord
from iosonde.report.depth_bound_words import depth_bound_sentences
from iosonde.report.depth_tail_words import depth_tail_sentences, depth_tail_table
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.pace_builder import paced_repeat, paced_run

EVEN = (0.999, 1.0, 1.001)


def run(
    p99_us: dict[int, float], repeats: Sequence[float] = EVEN, *, read_percent: int = 100, count: int = 5_000
) -> RunRecord:
    """A depth sweep. The latencies of each depth have a log-normal distribution, the same in each repeat but scaled."""
    quantiles = [NormalDist().inv_cdf((number + 0.5) / count) for number in range(count)]
    plans = [
        cell_plan(workload(queue_depth=depth, read_percent=read_percent), Experiment.QUEUE_DEPTH) for depth in p99_us
    ]
    records = []
    for plan, value_us in zip(plans, p99_us.values(), strict=True):
        for repeat, scale in enumerate(repeats):
            totals = totals_of([round(1000 * value_us * scale * exp(0.2 * (each - 2.326))) for each in quantiles])
            operations = dict.fromkeys(drawn_classes(plan.workload), totals)
            operations.pop(Operation.ALL, None)
            records.append(cell_record(plan, operations, repeat=repeat))
    return run_record(plans, records)


def cells(found: RunRecord) -> tuple[CellEstimate, ...]:
    return RunAnalysis(found).estimates.cells


def said(found: RunRecord) -> list[str]:
    return depth_tail_sentences(cells(found))


def test_the_deepest_depth_below_the_multiple_is_said_with_the_next_one() -> None:
    (sentence,) = said(run({1: 100, 2: 110, 4: 150, 8: 300, 16: 600}))
    assert sentence.startswith(
        "p99 of 4 KiB random reads is at most 2 times that at depth 1 (100 µs) up to depth 4 (1.50 times, 95 % CI "
    )
    assert "; at depth 8, it is above (3.00 times, 95 % CI " in sentence


def test_a_step_that_grows_most_is_named_with_its_interval() -> None:
    (sentence,) = said(run({1: 100, 2: 110, 4: 150, 8: 450}))
    assert "Largest step: depth 4 to depth 8 (3.0" in sentence


def test_a_flat_tail_has_no_significant_step_and_no_limit() -> None:
    (sentence,) = said(run({1: 100, 2: 100, 4: 100}))
    assert "up to depth 4 (1.00 times, 95 % CI " in sentence
    assert "the highest measured. No step raises it significantly." in sentence


def test_a_depth_whose_interval_contains_the_limit_is_undecided() -> None:
    (sentence,) = said(run({1: 100, 2: 105, 4: 200}, (0.97, 1.0, 1.03)))
    assert "up to depth 2 (1.0" in sentence
    assert "; at depth 4, this is undecided (2.0" in sentence


def test_two_depths_are_one_comparison() -> None:
    (sentence,) = said(run({8: 100, 64: 800}))
    assert sentence.startswith("p99 of 4 KiB random reads at depth 64 (8.00 times, 95 % CI ")
    assert sentence.endswith(" is above 2 times that at depth 8 (100 µs).")


def test_a_deeper_depth_that_is_below_again_does_not_count_but_is_named() -> None:
    (sentence,) = said(run({1: 100, 2: 300, 4: 150}))
    assert "only at depth 1; at depth 2, it is above (3.0" in sentence
    assert "), but it is below at depth 4." in sentence


def test_one_repeat_is_unknown_and_no_limit_is_claimed() -> None:
    (sentence,) = said(run({1: 100, 2: 110, 4: 120}, (1.0,)))
    assert sentence == (
        "p99 of 4 KiB random reads is at most 2 times that at depth 1 (100 µs) only at depth 1; at depth 2, this "
        "is unknown (with only one repeat, the variation between repeats is unknown)."
    )


def test_too_few_samples_at_the_lowest_depth_are_said() -> None:
    (sentence,) = said(run({1: 100, 2: 110}, count=300))
    assert sentence == (
        "No limit of depth for p99 of 4 KiB random reads: at depth 1, fewer than 10 samples are above this percentile."
    )


def test_too_few_samples_at_a_depth_are_said() -> None:
    known, few = run({1: 100}), run({2: 110}, count=300)
    (sentence,) = depth_tail_sentences([*cells(known), *cells(few)])
    assert sentence.startswith("p99 of 4 KiB random reads at depth 2 is not compared with that at depth 1 (100 µs): ")
    assert sentence.endswith(": fewer than 10 samples are above this percentile.")


def test_each_direction_of_a_mix_has_its_own_sentence_and_the_whole_is_in_the_table() -> None:
    found = cells(run({1: 100, 2: 110, 4: 120}, read_percent=50))
    assert [sentence.split(" is at most")[0] for sentence in depth_tail_sentences(found)] == [
        "p99 of reads of 4 KiB random 50/50 mix",
        "p99 of writes of 4 KiB random 50/50 mix",
    ]
    table = depth_tail_table(found)
    assert table is not None
    assert [line.texts[1] for line in table.lines] == ["read"] * 3 + ["write"] * 3 + ["all"] * 3


def test_one_depth_and_an_open_loop_say_nothing() -> None:
    assert said(run({1: 100})) == []
    assert depth_tail_table(cells(run({1: 100}))) is None
    assert said(paced_run(*(paced_repeat(number) for number in (1, 2, 3)))) == []


def test_the_table_has_the_growth_of_each_percentile_and_the_verdict() -> None:
    table = depth_tail_table(cells(run({1: 100, 2: 150, 4: 450})))
    assert table is not None
    names = [head.name for head in table.heads]
    column = names.index("p99 growth")
    assert [line.texts[column] for line in table.lines[1:]] == ["1.50 x", "3.00 x"]
    assert [line.texts[names.index("At most 2 x")] for line in table.lines[1:]] == ["yes", "no"]
    assert "this row is the lowest depth" in " ".join(table.explained.notes)


def expected(at_most: str, **more: object) -> ExpectationsTable:
    entry = {"pattern": "random", "read": 100, "block_size": "4KiB", "metric": "latency_ns_p99", "at_most": at_most}
    return ExpectationsTable.model_validate({"name": "SLO", "expect": [{**entry, **more}]})


def bounds(found: RunRecord, asked: ExpectationsTable) -> list[str]:
    checked = check_results(results_of_run("run", RunAnalysis(found).estimates, []), asked, ("slo.toml", ""))
    return depth_bound_sentences(cells(found), checked)


def test_a_bound_on_p99_names_the_deepest_depth_that_meets_it() -> None:
    (sentence,) = bounds(run({1: 100, 2: 110, 4: 150, 8: 300}), expected("0.2 ms"))
    assert sentence.startswith("p99 of 4 KiB random reads is at most 200 µs (SLO) up to depth 4 (150 µs, 95 % CI ")
    assert "; at depth 8, it is above (30" in sentence


def test_a_bound_that_is_met_at_no_depth_or_at_all_says_so() -> None:
    assert "at no depth that is certain; at depth 1, it is above" in bounds(run({1: 100, 2: 110}), expected("50us"))[0]
    assert "up to depth 2 (110 µs" in bounds(run({1: 100, 2: 110}), expected("1 ms"))[0]
    assert bounds(run({1: 100, 2: 110}), expected("1 ms"))[0].endswith("the highest measured.")


def test_a_bound_within_an_interval_is_undecided() -> None:
    (sentence,) = bounds(run({1: 100, 2: 200}, (0.97, 1.0, 1.03)), expected("0.2 ms"))
    assert "only at depth 1" in sentence
    assert "; at depth 2, this is undecided (20" in sentence


def test_a_bound_without_intervals_is_unknown() -> None:
    (sentence,) = bounds(run({1: 100, 2: 110}, (1.0,)), expected("0.2 ms"))
    assert "(SLO) at no depth that is certain; at depth 1, this is unknown (no interval" in sentence


def test_a_bound_on_one_depth_or_on_other_figures_says_nothing_about_depth() -> None:
    sweep = run({1: 100, 2: 110})
    assert bounds(sweep, expected("0.2 ms", queue_depth=1)) == []
    assert bounds(sweep, expected("0.2 ms", metric="latency_ns_p95")) == []
