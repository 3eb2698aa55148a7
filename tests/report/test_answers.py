"""The first sentences of a report."""

from iosonde.analysis.experiments import estimate_run
from iosonde.findings import Severity
from iosonde.records import Experiment, Operation, RunRecord
from iosonde.report.answers import ANSWERS_MAX, answers_of
from iosonde.report.growth_table import growth_tables
from iosonde.report.headline import headline_of
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload
from tests.lab_builder import lab_run


def answers(run: RunRecord, *severities: Severity) -> tuple[str, ...]:
    findings = [finding(f"f-{severity}-{index}", severity) for index, severity in enumerate(severities)]
    estimates = estimate_run(run)
    return answers_of(estimates, headline_of(estimates, findings), findings)


def matrix_run(*depths: int) -> RunRecord:
    """Reads of a campaign of one's own that go no faster beyond depth 4."""
    plans = [cell_plan(workload(queue_depth=depth), Experiment.MATRIX) for depth in depths]
    records = [
        cell_record(plan, {Operation.READ: totals_of([100_000] * (min(plan.workload.queue_depth, 4) * 1000))})
        for plan in plans
    ]
    return run_record(plans, records)


def test_a_lab_run_is_answered_in_at_most_five_sentences_from_reach_to_doubt() -> None:
    said = answers(lab_run())
    assert len(said) == ANSWERS_MAX
    assert said[0].startswith("Highest measured: ")
    assert "IOPS of 4 KiB random reads" in said[0]
    assert "MB/s of sequential writes" in said[0]
    assert any("knee" in sentence for sentence in said)
    assert any("p99.9 is" in sentence for sentence in said)
    assert said[-1] == "No finding affects the validity of these results."


def test_the_last_sentence_counts_what_is_grave_and_leaves_notes_alone() -> None:
    last = answers(lab_run(), Severity.NOTE, Severity.DOUBTFUL, Severity.INVALID, Severity.DOUBTFUL)[-1]
    assert "review 3 findings (1 invalid, 2 doubtful): f-" in last
    assert "f-note-0" not in last


def test_a_figure_that_is_doubted_says_so_where_it_is_told() -> None:
    run = lab_run()
    headline = headline_of(estimate_run(run))
    durable, tail = (
        next(group for group in headline.groups if group.id == identity)
        for identity in ("durable-write", "random-read-tail")
    )
    findings = [
        finding("not-established", Severity.DOUBTFUL, (durable.cell,)),
        finding("stalls", Severity.DOUBTFUL, (tail.cell,)),
    ]
    said = answers_of(estimate_run(run), headline_of(estimate_run(run), findings), findings)
    assert any("commits/s [unreliable, see not-established] (" in sentence for sentence in said)
    assert any(
        sentence.startswith("Tail latency of") and sentence.endswith("[unreliable, see stalls].") for sentence in said
    )


def test_a_campaign_of_one_s_own_has_a_knee_where_it_sweeps_depths() -> None:
    said = answers(matrix_run(1, 2, 4, 8, 16))
    assert any("the knee is at depth 4" in sentence for sentence in said), said
    assert len(estimate_run(matrix_run(1, 2)).sweeps) == 0


def test_a_sweep_is_told_against_its_first_depth() -> None:
    cells = estimate_run(matrix_run(1, 2, 4, 8)).cells
    (table,) = growth_tables(Experiment.MATRIX, cells)
    texts = [(line.texts[2], line.texts[4], line.texts[6]) for line in table.lines]
    assert texts == [
        ("1 x", "+0.0", "1.00 x"),
        ("2 x", "+100", "1.00 x"),
        ("4 x", "+300", "1.00 x"),
        ("8 x", "+300", "1.00 x"),
    ]


def test_an_empty_run_says_what_there_is_to_say() -> None:
    assert answers(run_record([], [])) == ("No finding affects the validity of these results.",)
