"""The numbers that a reader looks for first, and the cell that each comes from."""

from dataclasses import replace

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.findings.finding import Severity
from iosonde.printing import printable
from iosonde.records import Experiment, Operation, Outcome, Sync, Workload
from iosonde.report.answers import answers_of
from iosonde.report.display import figure_text
from iosonde.report.headline import KINDS_MAX, headline_of
from iosonde.report.headline_figures import Headline, HeadlineFigure, HeadlineGroup
from iosonde.vocabulary import Quantity
from tests.builders import cell_plan, cell_record, failed, finding, run_record, totals_of, workload
from tests.charts.test_mixes import operations_of
from tests.lab_builder import lab_run
from tests.pace_builder import paced, paced_repeat


@pytest.fixture(scope="module")
def headline() -> Headline:
    return headline_of(estimate_run(lab_run()))


def of(
    name: str, quantity: Quantity, value: float | None, operation: Operation = Operation.READ, **others: float
) -> HeadlineFigure:
    """A figure with no more to it."""
    return HeadlineFigure(
        name=name,
        quantity=quantity,
        operation=operation,
        value=value,
        low=others.get("low"),
        high=others.get("high"),
        lowest=others.get("lowest"),
        highest=others.get("highest"),
    )


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
    assert [(each.name, each.operations) for each in headline.knees] == [
        ("read", "4 KiB random reads"),
        ("write", "4 KiB random writes"),
    ]


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


def told(*asked: Workload, experiment: Experiment = Experiment.MATRIX) -> Headline:
    """The headline of a campaign of these cells, a repeat each, faster the deeper."""
    plans = [cell_plan(each, experiment) for each in asked]
    records = [
        cell_record(plan, operations_of(plan.workload, 100 * plan.workload.operations_in_flight)) for plan in plans
    ]
    return headline_of(estimate_run(run_record(plans, records)))


def test_a_campaign_without_4_kib_is_told_at_the_smallest_size_that_it_has() -> None:
    asked = [workload(block_size_bytes=size, queue_depth=depth) for size in (65536, 16384) for depth in (1, 8)]
    found = told(*asked)
    assert [(each.id, each.name, each.cell) for each in found.groups] == [
        ("random-read-iops", "Random read, 16 KiB", "random-read-16KiB-qd8"),
        ("random-read-latency", "Random read, 16 KiB", "random-read-16KiB-qd1"),
    ]
    assert answers_of(estimate_run(run_record([], [])), found, [])[0].endswith("IOPS of 16 KiB random reads (depth 8).")


def test_a_campaign_with_4_kib_is_told_at_4_kib() -> None:
    asked = [workload(block_size_bytes=size) for size in (512, 4096, 65536)]
    assert [each.cell for each in told(*asked).groups] == ["random-read-4KiB-qd8"]


def test_mixes_are_told_beside_reads_and_writes_and_trims_after_them() -> None:
    asked = [workload(read_percent=read, trim_percent=trim) for read, trim in ((65, 5), (70, 0), (0, 0), (100, 0))]
    assert [each.name for each in told(*asked).groups] == [
        "Random read, 4 KiB",
        "Random write, 4 KiB",
        "Random 70/30 mix, 4 KiB",
        "Random 65/30 mix with 5 % trims, 4 KiB",
    ]


def test_durable_writes_are_told_with_their_block_size_and_never_compared_over_several() -> None:
    asked = [workload(read_percent=0, sync=Sync.FDATASYNC, block_size_bytes=size) for size in (65536, 8192)]
    (durable,) = told(*asked).groups
    assert (durable.name, durable.cell) == ("Write + fdatasync", "random-write-8KiB-qd8-fdatasync")
    assert durable.where == "8 KiB random, depth 8"
    (other,) = told(workload(read_percent=0, sync=Sync.DSYNC)).groups
    assert (other.id, other.name) == ("durable-write", "Write, O_DSYNC")


def test_a_mix_with_flushes_is_told_in_commits_with_its_reads_beside_them() -> None:
    (group,) = told(workload(read_percent=70, sync=Sync.FDATASYNC)).groups
    assert [(figure.name, figure.operation, figure.quantity) for figure in group.figures] == [
        ("best", Operation.COMMIT, Quantity.IOPS),
        ("reads", Operation.READ, Quantity.IOPS),
    ]
    assert group.name == "Random 70/30 mix + fdatasync, 4 KiB"


def test_best_writes_are_not_those_of_data_that_is_easier() -> None:
    asked = [workload(read_percent=0, queue_depth=8, data="zeros"), workload(read_percent=0, queue_depth=4)]
    assert [(each.name, each.cell) for each in told(*asked).groups] == [
        ("Random write, 4 KiB", "random-write-4KiB-qd4"),
        ("Random write, zeros data, 4 KiB", "random-write-4KiB-qd8-zeros"),
    ]


def test_a_sweep_over_shares_is_left_to_its_section_unless_there_is_nothing_else() -> None:
    mixes = [workload(read_percent=read) for read in (70, 50)]
    assert [each.name for each in told(*mixes, experiment=Experiment.MIX).groups] == [
        "Random 70/30 mix, 4 KiB",
        "Random 50/50 mix, 4 KiB",
    ]
    assert [each.name for each in told(workload(), *mixes, experiment=Experiment.MIX).groups] == ["Random read, 4 KiB"]


def test_no_two_sweeps_have_one_name() -> None:
    asked = [workload(queue_depth=depth, jobs=jobs) for jobs in (1, 3) for depth in (1, 2, 2, 4)]
    plans = [
        cell_plan(each, Experiment.QUEUE_DEPTH).model_copy(update={"cell": f"cell-{number}"})
        for number, each in enumerate(asked)
    ]
    knees = headline_of(estimate_run(run_record(plans, []))).knees
    assert [len(each.sweep.cells) for each in knees] == [3, 1, 3, 1]
    assert len({each.name for each in knees}) == len({each.operations for each in knees}) == 4
    assert knees[2].operations == "4 KiB random reads, 3 jobs, starting at cell-4"


def test_more_kinds_than_a_headline_has_room_for_are_named() -> None:
    found = told(*(workload(read_percent=read) for read in range(90, 0, -10)))
    assert len(found.groups) == KINDS_MAX
    assert found.untold == ("random 30/70 mix", "random 20/80 mix", "random 10/90 mix")
    assert found.untold_text == (
        "The tables contain 3 more workloads: random 30/70 mix; random 20/80 mix; random 10/90 mix."
    )


def test_a_tail_of_a_mix_is_told_of_reads_and_writes_apart() -> None:
    plan = cell_plan(workload(read_percent=70, block_size_bytes=16384), Experiment.TAIL)
    run = run_record([plan], [cell_record(plan, operations_of(plan.workload, 40_000))])
    tail = group(headline_of(estimate_run(run)), "tail")
    assert (tail.name, tail.where) == ("Tail of random 70/30 mix", "16 KiB, depth 8")
    assert [figure.name for figure in tail.figures] == ["p99.9 of reads", "p99.9 of writes"]


def test_a_campaign_of_rates_alone_tells_the_highest_that_was_kept() -> None:
    asked = [paced(500), paced(1000)]
    plans = [cell_plan(each, Experiment.MATRIX) for each in asked]
    run = run_record(
        plans,
        [
            *(paced_repeat(number, asked=asked[0], count=2500) for number in (1, 2)),
            *(paced_repeat(number, asked=asked[1], count=2500, waiting_ns=2 * 10**9) for number in (1, 2)),
        ],
    )
    (kept,) = headline_of(estimate_run(run)).groups
    assert (kept.id, kept.cell, kept.where) == ("random-read-rate", plans[0].cell, "at 500/s")


@pytest.mark.parametrize(
    ("figure", "value", "unit"),
    [
        (of("best", Quantity.IOPS, 412_345.4), "412,345", "IOPS"),
        (of("best", Quantity.BYTES_PER_S, 3_512_000_000.0), "3,512", "MB/s"),
        (of("rate", Quantity.IOPS, 853.25, operation=Operation.COMMIT), "853.2", "commits/s"),
        (of("p99", Quantity.LATENCY_NS_P99, 78_123.0), "78.12", "µs"),
        (of("p99", Quantity.LATENCY_NS_P99, 61.0), "61.00", "ns"),
        (of("p99", Quantity.LATENCY_NS_P99, 12_500_000.0), "12.50", "ms"),
        (of("p99.99", Quantity.LATENCY_NS_P99_99, None), "–", "µs"),
    ],
)
def test_a_figure_is_written_in_the_unit_of_its_kind(figure: HeadlineFigure, value: str, unit: str) -> None:
    shown = figure_text(figure)
    assert (shown.value, shown.unit) == (value, unit)


def test_a_percentile_shows_its_interval() -> None:
    shown = figure_text(of("p99", Quantity.LATENCY_NS_P99, 78_123.0, low=77_000.0, high=80_500.0, lowest=1.0))
    assert (shown.spread, shown.why) == ("77.00 to 80.50", "")


def test_a_percentile_without_an_interval_shows_the_extremes_of_its_repeats() -> None:
    shown = figure_text(of("p99", Quantity.LATENCY_NS_P99, 78_123.0, lowest=77_000.0, highest=80_500.0))
    assert (shown.spread, shown.why) == ("77.00 to 80.50", "lowest to highest repeat")


def test_control_characters_from_outside_are_made_visible() -> None:
    assert printable("/srv/\x1b]0;owned\x07\n") == "/srv/\\x1b]0;owned\\x07\\n"


def test_an_interval_that_is_wide_is_shown_by_its_limits() -> None:
    wide = HeadlineFigure(
        quantity=Quantity.BYTES_PER_S, operation=Operation.READ, value=2.696e9, low=1.465e9, high=4.959e9, name=""
    )
    text = figure_text(wide)
    assert (text.value, text.spread, text.unit) == ("2,696", "(1,465 to 4,959)", "MB/s")
    narrow = replace(wide, low=2.6e9, high=2.795e9)
    assert figure_text(narrow).spread.startswith("± ")
