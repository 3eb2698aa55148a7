"""Whether a run meets its expected values. The interval of a figure decides, or leaves the check undecided."""

from collections.abc import Sequence
from typing import Any

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.errors import UsageError
from iosonde.expectations import Checked, Verdict, check_results, read_expectations
from iosonde.expectations.verdict import decided_by_another_percentile
from iosonde.figures import Figure
from iosonde.findings import Finding, Severity
from iosonde.findings.run_results import results_of_run
from iosonde.records import CellPlan, Data, Operation, RunRecord, Sync
from iosonde.vocabulary import Quantity
from tests.builders import cell_plan, cell_record, finding, run_record, totals_of, workload

US = 1_000
READS = workload(queue_depth=1)
DURABLE = workload(queue_depth=1, read_percent=0, sync=Sync.FDATASYNC)


def measured(*latencies_us: int, count: int = 5_000) -> RunRecord:
    """A run with one repeat of random reads for each latency, and with two repeats of durable writes."""
    plan = cell_plan(READS)
    repeats = [
        cell_record(plan, {Operation.READ: totals_of([each * US] * count)}, repeat=number)
        for number, each in enumerate(latencies_us, start=1)
    ]
    commit = {each: totals_of([300 * US] * 100) for each in (Operation.WRITE, Operation.FLUSH, Operation.COMMIT)}
    durable = cell_plan(DURABLE)
    repeats += [cell_record(durable, commit, repeat=number) for number in (1, 2)]
    return run_record([plan, durable], repeats)


def checked(run: RunRecord, expectation: str, findings: Sequence[Finding] = ()) -> tuple[Checked, ...]:
    text = f'name = "sheet"\n[[expect]]\n{expectation}\n'
    expected = read_expectations(text, "s.toml")
    return check_results(results_of_run("run", estimate_run(run), findings), expected, ("s.toml", text)).checks


def verdict(run: RunRecord, expectation: str) -> Verdict:
    (found,) = checked(run, f'cell = "random-read-4KiB-qd1"\n{expectation}')
    return found.verdict


@pytest.mark.parametrize(
    ("bound", "expected"),
    [("0.11 ms", Verdict.PASS), ("0.1 ms", Verdict.UNDECIDED), ("90 us", Verdict.FAIL)],
)
def test_the_interval_decides_and_one_that_holds_the_bound_does_not(bound: str, expected: Verdict) -> None:
    assert verdict(measured(99, 100, 101), f'metric = "latency_ns_mean"\nat_most = "{bound}"') is expected


@pytest.mark.parametrize(
    ("bound", "expected"),
    [("0.13 ms", Verdict.PASS), ("119.6 us", Verdict.UNDECIDED), ("0.1 ms", Verdict.FAIL)],
)
def test_a_percentile_is_judged_by_an_interval_of_its_own(bound: str, expected: Verdict) -> None:
    plan = cell_plan(READS)
    spread = totals_of([80 * US + 8 * index for index in range(5_000)])
    run = run_record([plan], [cell_record(plan, {Operation.READ: spread}, repeat=number) for number in (1, 2, 3)])
    assert verdict(run, f'metric = "latency_ns_p99"\nat_most = "{bound}"') is expected


@pytest.mark.parametrize(
    ("bound", "expected"), [(900, Verdict.PASS), (1_000, Verdict.UNDECIDED), (1_100, Verdict.FAIL)]
)
def test_what_should_be_reached_at_least_is_judged_from_the_other_side(bound: int, expected: Verdict) -> None:
    plan = cell_plan(READS)
    run = run_record(
        [plan],
        [cell_record(plan, {Operation.READ: totals_of([US] * count)}, repeat=count) for count in (4_950, 5_000, 5_050)],
    )
    assert verdict(run, f'metric = "iops"\nat_least = {bound}') is expected


def test_the_margin_is_a_share_of_the_bound_and_good_above_0() -> None:
    run = measured(80, 80)
    good, bad = (
        checked(run, f'cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_mean"\nat_most = "{bound}"')[0].margin_share
        for bound in ("100us", "40us")
    )
    assert good == pytest.approx(0.2)
    assert bad == pytest.approx(-1.0)


def test_one_repeat_decides_nothing_however_far_it_is_from_the_bound() -> None:
    (found,) = checked(measured(100), 'cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_p99"\nat_most = "1 s"')
    assert found.verdict is Verdict.UNDECIDED
    assert found.why == "no interval: with only one repeat, the variation between repeats is unknown"


def test_a_percentile_with_too_few_samples_decides_nothing() -> None:
    run = measured(100, 100, count=500)
    (found,) = checked(run, 'cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_p99_9"\nat_most = "1 s"')
    assert (found.value, found.verdict) == (None, Verdict.UNDECIDED)
    assert found.why == "no value: fewer than 10 samples are above this percentile"


@pytest.mark.parametrize(
    ("metric", "bound", "expected", "why"),
    [
        ("latency_ns_p99_9", 'at_most = "90 us"', Verdict.FAIL, "p50 is already above the bound"),
        ("latency_ns_p50", 'at_most = "110 us"', Verdict.PASS, ""),
        ("latency_ns_p99_9", 'at_least = "90 us"', Verdict.PASS, "p50 is already above the bound"),
        ("latency_ns_p99_9", 'at_most = "110 us"', Verdict.UNDECIDED, "no value: fewer than 10 samples are above "),
        ("latency_ns_p99_9", 'at_most = "100 us"', Verdict.UNDECIDED, "no value: fewer than 10 samples are above "),
    ],
)
def test_a_lower_percentile_that_is_above_the_bound_decides_a_higher_one(
    metric: str, bound: str, expected: Verdict, why: str
) -> None:
    run = measured(100, 100, 100, count=500)
    (found,) = checked(run, f'cell = "random-read-4KiB-qd1"\nmetric = "{metric}"\n{bound}')
    assert found.verdict is expected
    assert found.why.startswith(why)


def test_a_higher_percentile_that_is_below_the_bound_decides_a_lower_one_without_an_interval() -> None:
    known = Figure(quantity=Quantity.LATENCY_NS_P99, operation=Operation.READ, value=90.0, low=80.0, high=100.0)
    assert decided_by_another_percentile(Quantity.LATENCY_NS_P50, [known], 100.0, is_at_most=True) == (
        Verdict.PASS,
        "p99 is already below the bound",
    )
    assert decided_by_another_percentile(Quantity.LATENCY_NS_MEAN, [known], 100.0, is_at_most=True) is None


def test_a_workload_finds_its_cells_and_durable_writes_only_when_it_says_so() -> None:
    run = measured(100, 100)
    reads = checked(run, 'pattern = "random"\nmetric = "latency_ns_mean"\nat_most = "1 ms"')
    assert [each.cell for each in reads] == ["random-read-4KiB-qd1"]
    writes = checked(run, 'read = 0\nsync = "fdatasync"\nmetric = "latency_ns_mean"\nat_most = "1 ms"')
    assert [(each.cell, each.operation) for each in writes] == [("random-write-4KiB-qd1-fdatasync", Operation.COMMIT)]


@pytest.mark.parametrize(
    "unlike", [{"data": Data.ZEROS}, {"compressible_percent": 50}, {"duplicates_percent": 50}, {"verify": True}]
)
def test_a_workload_is_not_found_in_cells_that_write_other_data_than_random_bytes(unlike: dict[str, Any]) -> None:
    expectation = 'read = 0\nqueue_depth = 8\nmetric = "iops"\nat_least = 1'
    asked = workload(read_percent=0)
    operations = {Operation.WRITE: totals_of([100_000] * 5000)}

    def found(plan: CellPlan) -> str:
        records = [cell_record(plan, operations, repeat=repeat) for repeat in (1, 2, 3)]
        (each,) = checked(run_record([plan], records), expectation)
        return each.cell or ""

    assert found(cell_plan(asked)) == cell_plan(asked).cell
    assert found(cell_plan(asked.model_copy(update=unlike))) == ""


def test_a_workload_that_was_not_measured_is_undecided() -> None:
    (found,) = checked(measured(100, 100), 'read = 50\nmetric = "iops"\nat_least = 1')
    assert (found.cell, found.verdict, found.why) == (
        None,
        Verdict.UNDECIDED,
        "no cell in the run has this workload",
    )


def test_an_invalid_figure_decides_nothing_and_a_doubtful_one_says_so() -> None:
    run, about = measured(80, 80), 'cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_mean"\nat_most = "1 ms"'
    cells = ("random-read-4KiB-qd1",)
    (invalid,) = checked(run, about, [finding("neighbours", Severity.INVALID, cells)])
    assert (invalid.verdict, invalid.why.startswith("the cell is invalid, see neighbours")) == (Verdict.UNDECIDED, True)
    (doubtful,) = checked(run, about, [finding("steal", Severity.DOUBTFUL, cells)])
    assert (doubtful.verdict, doubtful.doubted_by) == (Verdict.PASS, ("steal",))
    (other,) = checked(run, about, [finding("neighbours", Severity.INVALID, ("another",))])
    assert (other.verdict, other.doubted_by) == (Verdict.PASS, ())


def test_a_cell_that_the_run_does_not_have_is_a_mistake_with_its_nearest_name() -> None:
    with pytest.raises(UsageError, match=r's\.toml:3: this run has no cell "random-raed-4KiB-qd1"') as caught:
        checked(measured(100, 100), 'cell = "random-raed-4KiB-qd1"\nmetric = "iops"\nat_least = 1')
    assert 'did you mean "random-read-4KiB-qd1"?' in caught.value.hint
