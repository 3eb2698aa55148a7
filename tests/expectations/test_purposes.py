"""The shipped purposes: each has a short campaign, and requirements that apply to its cells and state their sources."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.expectations import CheckedResults, ExpectationsTable, Verdict, check_results, read_expectations
from iosonde.expectations.file import Confidence
from iosonde.expectations.purpose import Measured, PurposeOutcome, outcome_of
from iosonde.expectations.purposes import purpose_text
from iosonde.findings import Severity
from iosonde.findings.run_results import results_of_run
from iosonde.plans import PURPOSES, TargetInfo, campaign_plan, load_profile, plan_cost
from iosonde.records import CellPlan, Operation, Plan, RunRecord
from iosonde.report.purpose_words import purpose_texts
from iosonde.units import SECOND_NS
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload

GIB = 1 << 30
US = 1_000
CLIENT_NVME_BYTES_PER_S = 5_243_000_000
READS = workload(queue_depth=1)
CELL = "random-read-4KiB-qd1"


def requirements(name: str) -> ExpectationsTable:
    return read_expectations(purpose_text(name), name)


def plan_of(name: str) -> Plan:
    return campaign_plan(load_profile(name), TargetInfo(span_bytes=8 * GIB, fill=True), quick=False, seed=1)


@pytest.mark.parametrize("name", PURPOSES)
def test_each_requirement_applies_to_a_cell_of_its_campaign(name: str) -> None:
    table, plan = requirements(name), plan_of(requirements(name).campaign)
    run = run_record(list(plan.cells), [])
    found = check_results(results_of_run("run", estimate_run(run), ()), table, (name, purpose_text(name)))
    assert [each.name for each in found.checks if each.cell is None] == []
    assert {each.cell for each in found.checks} == {cell.cell for cell in plan.cells}


@pytest.mark.parametrize("name", PURPOSES)
def test_each_requirement_has_a_source_and_a_rule_of_thumb_has_low_confidence(name: str) -> None:
    table = requirements(name)
    for each in table.expect:
        origin = table.origin(each)
        assert origin.source
        assert origin.confidence is not None
        assert ("rule of thumb" not in origin.source) or origin.confidence is Confidence.LOW, each.name


@pytest.mark.parametrize("name", PURPOSES)
def test_a_purpose_takes_less_than_four_minutes(name: str) -> None:
    cost = plan_cost(plan_of(name), CLIENT_NVME_BYTES_PER_S)
    assert cost.duration_ns < 240 * SECOND_NS


def reads(*latencies_us: int, count: int = 5_000) -> RunRecord:
    """A run with a repeat of random reads for each latency."""
    plan = cell_plan(READS)
    repeats = [
        cell_record(plan, {Operation.READ: totals_of([each * US] * count)}, repeat=number)
        for number, each in enumerate(latencies_us, start=1)
    ]
    return run_record([plan], repeats)


def judged(run: RunRecord, *bounds: str, confidence: str = "high") -> tuple[CheckedResults, PurposeOutcome]:
    tables = [
        f'[[expect]]\nname = "{number}"\ncell = "{CELL}"\nconfidence = "{confidence}"\n{bound}\n'
        for number, bound in enumerate(bounds, start=1)
    ]
    text = 'name = "mine"\n' + "".join(tables)
    results = results_of_run("run", estimate_run(run), ())
    checked = check_results(results, read_expectations(text, "mine.toml"), ("mine.toml", text))
    return checked, outcome_of(checked, measured_of(run))


def measured_of(run: RunRecord) -> Mapping[str, Measured]:
    cells: tuple[CellPlan, ...] = run.header.plan.cells
    repeats = len(run.cells)
    return {cell.cell: Measured(repeats, cell.timing.measure_ns, cell.timing.warmup_ns) for cell in cells}


def said(run: RunRecord, *bounds: str, confidence: str = "high") -> str:
    checked, outcome = judged(run, *bounds, confidence=confidence)
    return "\n".join(purpose_texts(checked, outcome))


def mean_at_most(limit: str) -> str:
    return f'metric = "latency_ns_mean"\nat_most = "{limit}"'


def test_it_is_met_if_all_are_and_names_the_smallest_margin() -> None:
    run = reads(99, 100, 101)
    _, outcome = judged(run, mean_at_most("1 ms"), mean_at_most("120 us"), mean_at_most("2 ms"))
    assert (outcome.verdict, outcome.binding.name, outcome.longer) == (Verdict.PASS, "2", ())
    text = said(run, mean_at_most("1 ms"), mean_at_most("120 us"))
    assert "mine: met. All 2 requirements are met. The smallest margin is that of 2 in" in text
    assert "margin +16.7 %" in text


def test_a_verdict_on_unreliable_results_says_so() -> None:
    checked, outcome = judged(reads(99, 100, 101), mean_at_most("1 ms"), mean_at_most("80 us"))
    first, second = checked.checks
    doubted = replace(checked, checks=(replace(first, doubted_by=("steal", "drift")), second))
    assert purpose_texts(doubted, outcome)[0].endswith(
        "1 of these requirements rests on unreliable results (see steal, drift)."
    )
    assert "unreliable" not in purpose_texts(checked, outcome)[0]


def test_one_missed_requirement_outweighs_all_that_are_met() -> None:
    _, outcome = judged(reads(99, 100, 101), *[mean_at_most("1 ms")] * 5, mean_at_most("80 us"))
    assert (outcome.verdict, outcome.binding.name) == (Verdict.FAIL, "6")


def test_misses_of_upper_and_lower_limits_are_compared_by_their_factors() -> None:
    # 100 us is 2.5 times 40 us, and 10,000/s are a quarter of 40,000/s.
    run = reads(99, 100, 101)
    rate = estimate_run(run).cells[0].operations[Operation.READ].iops.mean
    bounds = (mean_at_most("40 us"), f'metric = "iops"\nat_least = {4 * rate}')
    _, outcome = judged(run, *bounds)
    assert outcome.binding.name == "2"
    assert "2.5 times the limit" in said(run, mean_at_most("40 us"))


def test_a_missed_requirement_decides_even_if_others_are_undecided() -> None:
    run = reads(98, 100, 102)
    checked, outcome = judged(run, mean_at_most("100 us"), mean_at_most("50 us"))
    assert checked.count(Verdict.UNDECIDED) == 1
    assert outcome.verdict is Verdict.FAIL
    assert "1 of 2 requirements is missed, and 1 is undecided." in said(
        run, mean_at_most("100 us"), mean_at_most("50 us")
    )


def test_an_interval_that_contains_the_limit_asks_for_repeats_that_would_decide() -> None:
    run = reads(96, 100, 104)
    _, outcome = judged(run, mean_at_most("104 us"))
    (longer,) = outcome.longer
    assert outcome.verdict is Verdict.UNDECIDED
    assert longer.repeats is not None
    assert 4 <= longer.repeats <= 12
    # The same spread with that many repeats decides.
    more = reads(*([96, 100, 104] * 4)[: longer.repeats + 2])
    assert judged(more, mean_at_most("104 us"))[1].verdict is Verdict.PASS
    assert re.search(rf"about {longer.repeats} repeats of .* instead of 3 decide it", said(run, mean_at_most("104 us")))


def test_a_closer_limit_needs_more_repeats_and_a_value_at_the_limit_cannot_be_decided() -> None:
    run = reads(96, 100, 104)
    near, nearer = (judged(run, mean_at_most(limit))[1].longer[0].repeats for limit in ("103 us", "101 us"))
    assert near is not None
    assert nearer is not None
    assert near < nearer
    assert "no number of repeats decides it" in said(run, mean_at_most("100.05 us"))


def test_a_tail_with_too_few_samples_asks_for_more_repeats() -> None:
    run = reads(99, 100, 101, count=100)
    _, outcome = judged(run, 'metric = "latency_ns_p99_9"\nat_most = "1 ms"')
    (longer,) = outcome.longer
    # 300 reads in three repeats have 0.3 samples above p99.9, and an interval needs about 20.
    assert longer.repeats == 200
    text = said(run, 'metric = "latency_ns_p99_9"\nat_most = "1 ms"')
    assert "About 200 repeats of 5.0 s instead of 3 are needed for an interval" in text
    assert "stays the same" not in text


def test_a_single_repeat_asks_for_three() -> None:
    _, outcome = judged(reads(100), mean_at_most("1 ms"))
    assert [each.repeats for each in outcome.longer] == [3]


def test_repeats_that_scatter_widely_have_no_number() -> None:
    run = reads(10, 1_000, 10_000)
    _, outcome = judged(run, mean_at_most("1 s"))
    assert outcome.verdict is Verdict.UNDECIDED
    assert "The data do not show how many repeats would decide it" in said(run, mean_at_most("1 s"))


def test_an_invalid_cell_is_not_decided_by_more_repeats() -> None:
    run = reads(96, 100, 104)
    text = f'name = "mine"\n[[expect]]\ncell = "{CELL}"\n{mean_at_most("104 us")}\n'
    doubt = finding("saturated", Severity.INVALID, cells=(CELL,))
    results = results_of_run("run", estimate_run(run), (doubt,))
    checked = check_results(results, read_expectations(text, "mine.toml"), ("mine.toml", text))
    (longer,) = outcome_of(checked, measured_of(run)).longer
    assert longer.is_invalid
    assert longer.repeats is None


@pytest.mark.parametrize(("confidence", "is_said"), [("low", True), ("high", False)])
def test_a_verdict_that_depends_on_a_rule_of_thumb_says_so(confidence: str, *, is_said: bool) -> None:
    text = said(reads(99, 100, 101), mean_at_most("50 us"), confidence=confidence)
    assert ("it is a rule of thumb" in text) is is_said
