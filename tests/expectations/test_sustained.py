"""Sustained cells are checked by their plateaus: one long transfer has no repeats."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.expectations import Checked, CheckedResults, Verdict, check_results, read_expectations
from iosonde.expectations.purpose import Measured, outcome_of
from iosonde.findings.run_results import results_of_run
from iosonde.records import Experiment, Operation, RunRecord
from iosonde.vocabulary import Quantity
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.transfer_builder import MB, transfer_record

US = 1_000
READS = workload(block_size_bytes=65536)
NOISE = (0.99, 1.01, 1.0, 1.005, 0.995)


def rates(*levels: tuple[float, int]) -> list[float]:
    """Bandwidths in MB/s: each level for a number of intervals, with noise of 1 %."""
    return [level * NOISE[index % len(NOISE)] for level, number in levels for index in range(number)]


def sustained_run(mb_per_s: Sequence[float]) -> RunRecord:
    """A run with one sustained transfer with these bandwidths."""
    plan = cell_plan(READS, Experiment.SUSTAINED)
    transfer = transfer_record(plan, mb_per_s)
    whole = cell_record(plan, {Operation.READ: totals_of([US] * 5_000)}, repeat=1)
    return run_record([plan], [whole.model_copy(update={"intervals": transfer.intervals})])


def checked(mb_per_s: Sequence[float], *bounds: str) -> CheckedResults:
    """Each bound checked for a sustained transfer with these bandwidths."""
    run = sustained_run(mb_per_s)
    cell = run.cells[0].cell
    text = 'name = "mine"\n' + "".join(f'[[expect]]\nname = "x"\ncell = "{cell}"\n{each}\n' for each in bounds)
    results = results_of_run("run", estimate_run(run), ())
    return check_results(results, read_expectations(text, "mine.toml"), ("mine.toml", text))


def only(mb_per_s: Sequence[float], bound: str) -> Checked:
    (check,) = checked(mb_per_s, bound).checks
    return check


BURST = rates((400, 60), (100, 60))


@pytest.mark.parametrize(
    ("bound", "verdict", "value", "part"),
    [
        ('at_least = "90 MB/s"', Verdict.PASS, 100, "plateau 2 of 2"),
        ('at_least = "200 MB/s"', Verdict.FAIL, 100, "plateau 2 of 2"),
        ('at_most = "500 MB/s"', Verdict.PASS, 400, "plateau 1 of 2"),
        ('at_most = "200 MB/s"', Verdict.FAIL, 400, "plateau 1 of 2"),
        ('at_least = "390 MB/s"\nchoose = "best"', Verdict.PASS, 400, "plateau 1 of 2"),
        ('at_least = "100 MB/s"', Verdict.UNDECIDED, 100, "plateau 2 of 2"),
    ],
)
def test_the_worst_plateau_decides_or_the_best_one_if_the_best_is_wanted(
    bound: str, verdict: Verdict, value: float, part: str
) -> None:
    check = only(BURST, f'metric = "bytes_per_s"\n{bound}')
    assert check.verdict is verdict
    assert check.value == pytest.approx(value * MB, rel=0.01)
    assert check.part.startswith(part)
    assert None not in (check.low, check.high)
    assert (check.low or 0) <= (check.value or 0) <= (check.high or 0)


def test_operations_are_checked_with_the_interval_of_the_bandwidth() -> None:
    check = only(BURST, 'metric = "iops"\nat_least = "1k"')
    whole = only(BURST, 'metric = "bytes_per_s"\nat_least = "1 MB/s"')
    assert check.value is not None
    assert check.low is not None
    assert whole.value is not None
    assert whole.low is not None
    assert check.value == pytest.approx(whole.value / READS.block_size_bytes)
    assert check.low == pytest.approx(whole.low / READS.block_size_bytes)


def test_latency_is_undecided_and_says_what_can_be_checked() -> None:
    check = only(BURST, 'metric = "latency_ns_mean"\nat_most = "1 s"')
    assert check.verdict is Verdict.UNDECIDED
    assert check.why.startswith("no interval: a sustained cell is one transfer without repeats")
    assert "check bytes_per_s or iops, or measure the latency in an experiment with repeats" in check.why


def test_a_transfer_that_is_too_short_for_plateaus_says_so() -> None:
    check = only(rates((400, 5)), 'metric = "bytes_per_s"\nat_least = "1 MB/s"')
    assert check.verdict is Verdict.UNDECIDED
    assert "the sustained transfer is too short for plateaus" in check.why


def test_an_alternating_plateau_is_named_as_a_mean() -> None:
    alternating = rates(*[(600, 12), (1500, 12)] * 12)
    check = only(alternating, 'metric = "bytes_per_s"\nat_least = "100 MB/s"')
    assert check.verdict is Verdict.PASS
    assert "the mean of a bandwidth that alternates between 600 MB/s and 1,500 MB/s" in check.part


def test_no_number_of_repeats_is_suggested_for_a_sustained_cell() -> None:
    found = checked(BURST, 'metric = "bytes_per_s"\nat_least = "100 MB/s"', 'metric = "latency_ns_mean"\nat_most = 1e9')
    cell = found.results.cells[0].name
    outcome = outcome_of(found, {cell: Measured(1, 12 * 10**9, 0)})
    assert [each.is_invalid for each in outcome.longer] == [True, True]
    assert [each.repeats for each in outcome.longer] == [None, None]


def test_an_operation_that_is_only_a_part_of_the_transfer_has_no_plateaus() -> None:
    (cell,) = results_of_run("run", estimate_run(sustained_run(BURST)), ()).cells
    assert len(cell.parts(Quantity.IOPS, Operation.READ)) == 2
    assert cell.parts(Quantity.IOPS, Operation.WRITE) == ()
    assert cell.parts(Quantity.LATENCY_NS_P99, Operation.READ) == ()
