"""The numbers that a reader looks for first, and the cell that each comes from."""

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.findings.model import Severity
from iosonde.records import Experiment, Operation, Outcome
from iosonde.report.display import figure_text, printable
from iosonde.report.headline import Headline, HeadlineFigure, HeadlineGroup, Quantity, headline_of
from tests.builders import cell_plan, cell_record, failed, finding, run_record, totals_of, workload
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def headline() -> Headline:
    return headline_of(estimate_run(lab_run()))


def group(headline: Headline, identity: str) -> HeadlineGroup:
    return next(each for each in headline.groups if each.id == identity)


def test_a_lab_run_has_its_whole_headline(headline: Headline) -> None:
    assert [(each.id, [figure.name for figure in each.figures]) for each in headline.groups] == [
        ("random-read-iops", ["best"]),
        ("random-write-iops", ["best"]),
        ("sequential-read-bandwidth", ["best"]),
        ("sequential-write-bandwidth", ["best"]),
        ("random-read-latency", ["mean", "p99"]),
        ("random-write-latency", ["mean", "p99"]),
        ("durable-write", ["rate", "p99"]),
        ("random-read-tail", ["p99.9", "p99.99"]),
    ]
    assert [direction for direction, _ in headline.knees] == [Operation.READ, Operation.WRITE]


def test_every_group_names_one_cell_and_its_depth(headline: Headline) -> None:
    assert group(headline, "random-read-latency").cell == "random-read-4KiB-qd1"
    assert group(headline, "random-read-latency").where == "depth 1"
    assert group(headline, "durable-write").cell == "random-write-4KiB-qd1-fdatasync"
    assert group(headline, "random-read-tail").cell == "random-read-4KiB-qd8"


def test_the_best_rate_is_the_greatest_mean_over_all_depths(headline: Headline) -> None:
    estimates = estimate_run(lab_run())
    rates = {
        cell.cell: figures.iops.mean
        for cell in estimates.of(Experiment.QUEUE_DEPTH)
        if (figures := cell.of(Operation.READ)) is not None
    }
    best = group(headline, "random-read-iops")
    assert best.cell == max(rates, key=lambda cell: rates[cell])
    assert best.figures[0].value == rates[best.cell]


def test_a_durable_write_is_never_taken_for_a_plain_one(headline: Headline) -> None:
    assert group(headline, "random-write-latency").cell == "random-write-4KiB-qd1"


def test_a_probe_has_only_the_headline_that_it_can_give() -> None:
    plan = cell_plan(workload(queue_depth=4), Experiment.PROBE)
    run = run_record([plan], [cell_record(plan, {Operation.READ: totals_of([100_000] * 50)})])
    found = headline_of(estimate_run(run))
    assert [each.id for each in found.groups] == ["random-read-iops"]
    assert found.knees == ()


def test_a_planned_cell_that_failed_says_so_in_the_place_of_its_figures() -> None:
    plan = cell_plan(workload(queue_depth=1), Experiment.BASELINE)
    record = cell_record(plan, {}, outcome=Outcome.FAILED, failure=failed(message="read at offset 0 failed: EIO"))
    found = headline_of(estimate_run(run_record([plan], [record])))
    for each in found.groups:
        assert each.figures == ()
        assert each.missing == "random-read-4KiB-qd1 failed in 1 of 1 repeats: read at offset 0 failed: EIO"


def test_a_figure_in_doubt_names_the_findings_that_touch_its_cell() -> None:
    findings = [
        finding("depth-not-reached", Severity.INVALID, ("random-read-4KiB-qd1",)),
        finding("slow-clock", Severity.DOUBTFUL, ("random-read-4KiB-qd1",)),
        finding("few-repeats", Severity.NOTE, ("random-read-4KiB-qd1",)),
        finding("span-fits-cache", Severity.DOUBTFUL, ()),
    ]
    found = headline_of(estimate_run(lab_run()), findings)
    assert group(found, "random-read-latency").invalid_by == ("depth-not-reached",)
    assert group(found, "random-read-latency").doubted_by == ("slow-clock",)
    assert group(found, "random-write-latency").doubted_by == ()


@pytest.mark.parametrize(
    ("figure", "value", "unit"),
    [
        (HeadlineFigure("best", Quantity.IOPS, 412_345.4), "412,345", "IOPS"),
        (HeadlineFigure("best", Quantity.BANDWIDTH, 3_512_000_000.0), "3,512", "MB/s"),
        (HeadlineFigure("rate", Quantity.COMMITS, 853.25), "853.2", "commits/s"),
        (HeadlineFigure("p99", Quantity.LATENCY, 78_123.0), "78.12", "us"),
        (HeadlineFigure("p99", Quantity.LATENCY, 61.0), "61.00", "ns"),
        (HeadlineFigure("p99", Quantity.LATENCY, 12_500_000.0), "12.50", "ms"),
        (HeadlineFigure("p99.99", Quantity.LATENCY, None), "–", "us"),
    ],
)
def test_a_figure_is_written_in_the_unit_of_its_kind(figure: HeadlineFigure, value: str, unit: str) -> None:
    shown = figure_text(figure)
    assert (shown.value, shown.unit) == (value, unit)


def test_a_percentile_shows_its_interval() -> None:
    shown = figure_text(HeadlineFigure("p99", Quantity.LATENCY, 78_123.0, low=77_000.0, high=80_500.0, lowest=1.0))
    assert (shown.spread, shown.spread_kind) == ("77.00 to 80.50", "95 % interval")


def test_a_percentile_without_an_interval_shows_the_extremes_of_its_repeats() -> None:
    shown = figure_text(HeadlineFigure("p99", Quantity.LATENCY, 78_123.0, lowest=77_000.0, highest=80_500.0))
    assert (shown.spread, shown.spread_kind) == ("77.00 to 80.50", "lowest to highest repeat")


def test_control_characters_from_outside_are_made_visible() -> None:
    assert printable("/srv/\x1b]0;owned\x07\n") == "/srv/\\x1b]0;owned\\x07\\n"
