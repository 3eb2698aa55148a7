"""A document with printed results is checked against a file of expected values, as ``iosonde check`` does for runs."""

import json

import pytest
from rich.console import Console

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.results import Results, ResultsKind
from iosonde.errors import UsageError
from iosonde.expectations import Checked, CheckedResults, Verdict, check_results, read_expectations
from iosonde.findings.run_results import results_of_run
from iosonde.records import Operation
from iosonde.report.terminal.checked import render_checked
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.expectations.printed_document import results_in

# Typical output of a benchmark tool, but of no tool in particular.
DOCUMENT = """\
Results of 2026-11-20
== random-read-4KiB-qd1 ==
workload: random 100 % reads, 4096 B, depth 1, threads 1
thread |  I/O per s |   MB/s | AvgLat
 total |      10204 |  41.80 |   0.10
  %-ile |  Read (ms)
   50th |      0.09
   99th |      0.31
    max |      4.70
== target 2 ==
 total |       9800 |  40.14 |   0.11
== cached ==
workload: random 0 % reads, 4096 B, depth 8, threads 1
 total |      52000 | 212.99 |   0.15
caution: the write cache is on
== aborted ==
workload: random 0 % reads, 65536 B, depth 8, threads 1
 total |       1000 |  65.54 |   8.00
aborted after 3 s
"""
SILENT = "== total ==\n total | 10204 | 41.80 | 0.10\n"
MEAN = 'metric = "latency_ns_mean"\nat_most = "0.12 ms"'


def checked_all(text: str, expectations: str, name: str = "sheet.txt") -> CheckedResults:
    return check_results(results_in(text, name), read_expectations(expectations, "s.toml"), ("s.toml", expectations))


def checked(expectation: str, text: str = DOCUMENT) -> Checked:
    [found] = checked_all(text, f'name = "sheet"\n[[expect]]\n{expectation}\n').checks
    return found


@pytest.mark.parametrize(
    ("expectation", "expected"),
    [
        ('metric = "latency_ns_p99"\nat_most = "0.32 ms"', Verdict.PASS),
        ('metric = "latency_ns_p99"\nat_most = "0.31 ms"', Verdict.UNDECIDED),
        ('metric = "latency_ns_p99"\nat_most = "0.30 ms"', Verdict.FAIL),
        ('metric = "latency_ns_mean"\nat_most = "0.105 ms"', Verdict.PASS),
        ('metric = "latency_ns_mean"\nat_most = "0.104 ms"', Verdict.UNDECIDED),
        ('metric = "iops"\nat_least = 10203', Verdict.PASS),
        ('metric = "iops"\nat_least = 10204', Verdict.UNDECIDED),
        ('metric = "iops"\nat_least = 10205', Verdict.FAIL),
        ('metric = "bytes_per_s"\nat_least = "41.79 MB/s"', Verdict.PASS),
        ('metric = "bytes_per_s"\nat_least = "42 MB/s"', Verdict.FAIL),
    ],
)
def test_the_interval_that_the_digits_leave_decides(expectation: str, expected: Verdict) -> None:
    assert checked(f'cell = "random-read-4KiB-qd1"\n{expectation}').verdict is expected


def test_what_was_judged_is_shown_with_what_its_digits_leave() -> None:
    found = checked('cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_p50"\nat_most = "0.1 ms"')
    assert (found.cell, found.value, found.low, found.high) == ("random-read-4KiB-qd1", 90_000, 85_000, 95_000)
    assert found.margin_share == pytest.approx(0.1)


def test_what_was_not_printed_is_undecided_and_says_so() -> None:
    found = checked('cell = "random-read-4KiB-qd1"\nmetric = "latency_ns_p99_9"\nat_most = "1 s"')
    assert (found.value, found.verdict, found.why) == (
        None,
        Verdict.UNDECIDED,
        "no value: the printed results do not include it",
    )


def test_a_class_of_operations_that_was_not_printed_has_no_figures() -> None:
    found = checked('cell = "random-read-4KiB-qd1"\noperation = "write"\nmetric = "iops"\nat_least = 1')
    assert (found.operation, found.verdict, found.why) == (
        Operation.WRITE,
        Verdict.UNDECIDED,
        "the cell has no results for this operation",
    )


def test_a_workload_that_was_printed_is_found_by_its_keys() -> None:
    found = checked(f'pattern = "random"\nread = 100\nblock_size = "4KiB"\nqueue_depth = 1\n{MEAN}')
    assert (found.cell, found.operation, found.verdict) == ("random-read-4KiB-qd1", Operation.READ, Verdict.PASS)


def test_a_cell_whose_workload_was_not_printed_is_found_by_its_name_alone() -> None:
    assert checked(f'cell = "target 2"\n{MEAN}').verdict is Verdict.PASS
    by_keys = checked(f"read = 100\n{MEAN}", SILENT)
    assert (by_keys.cell, by_keys.verdict, by_keys.why) == (
        None,
        Verdict.UNDECIDED,
        "no cell in the document has this workload, but some workloads are unknown; select the cell by name",
    )


def test_a_workload_that_no_cell_has_is_undecided() -> None:
    known = DOCUMENT.replace("target 2 ==\n", "target 2 ==\nworkload: random 100 % reads, 4096 B, depth 2, threads 1\n")
    assert checked(f"read = 50\n{MEAN}", known).why == "no cell in the document has this workload"


def test_a_doubt_is_named_beside_the_verdict_and_an_invalid_figure_decides_nothing() -> None:
    doubtful = checked('read = 0\nblock_size = "4KiB"\nmetric = "iops"\nat_least = "50k"')
    assert (doubtful.verdict, doubtful.doubted_by) == (Verdict.PASS, ("volatile-write-cache",))
    invalid = checked('cell = "aborted"\nmetric = "iops"\nat_least = 1')
    assert (invalid.verdict, invalid.doubted_by) == (Verdict.UNDECIDED, ("cell-failed",))
    assert invalid.why == "the cell is invalid, see cell-failed"


def test_a_cell_that_the_document_does_not_have_is_a_mistake_with_the_nearest_names() -> None:
    with pytest.raises(UsageError) as caught:
        checked(f'cell = "targte 2"\n{MEAN}')
    assert caught.value.message == 's.toml:3: this document has no cell "targte 2"'
    assert caught.value.hint.startswith('did you mean "target 2"? nearest names: target 2, ')
    assert set(caught.value.hint.partition("nearest names: ")[2].split(", ")) == {
        "target 2",
        "random-read-4KiB-qd1",
        "cached",
        "aborted",
    }


def test_a_document_without_cells_says_so() -> None:
    with pytest.raises(UsageError) as caught:
        checked(f'cell = "reads"\n{MEAN}', "nothing was measured\n")
    assert caught.value.hint == "the document has no cells"


def test_a_whole_file_is_judged_expectation_by_expectation_in_the_order_of_the_document() -> None:
    expectations = f"""
name = "sheet"
[[expect]]
read = 0
metric = "iops"
at_least = "60k"
[[expect]]
cell = "target 2"
{MEAN}
"""
    found = checked_all(DOCUMENT, expectations)
    assert [(each.cell, each.verdict) for each in found.checks] == [
        ("cached", Verdict.FAIL),
        ("aborted", Verdict.UNDECIDED),
        ("target 2", Verdict.PASS),
    ]


def test_a_run_and_a_document_are_judged_by_the_same_file() -> None:
    """Two repeats in which every read took 0.1 ms, and a document that says the same."""
    plan = cell_plan(workload(queue_depth=1))
    reads = {Operation.READ: totals_of([100_000] * 5_000)}
    run = run_record([plan], [cell_record(plan, reads, repeat=each) for each in (1, 2)])
    text = f'name = "sheet"\n[[expect]]\ncell = "{plan.cell}"\n{MEAN}\n[[expect]]\nread = 100\n{MEAN}\n'
    expected = read_expectations(text, "s.toml")
    for results in (results_of_run("run", estimate_run(run), ()), results_in(DOCUMENT, "sheet.txt")):
        found = check_results(results, expected, ("s.toml", text))
        assert [(each.cell, each.verdict) for each in found.checks] == [(plan.cell, Verdict.PASS)] * 2


def test_what_is_printed_names_the_document_and_claims_no_confidence() -> None:
    text = f'name = "SLA"\n[[expect]]\ncell = "target 2"\n{MEAN}\n'
    console = Console(width=100)
    with console.capture() as printed:
        console.print(render_checked(checked_all(DOCUMENT, text)))
    head, columns, row, *_ = printed.get().splitlines()
    assert head.rstrip() == "SLA against document sheet.txt: 1 pass"
    assert "95 %" not in columns
    assert "105 µs to 115 µs" in row


@pytest.mark.parametrize("kind", ResultsKind)
def test_the_json_names_what_was_checked_by_its_kind(kind: ResultsKind) -> None:
    text = f'name = "SLA"\n[[expect]]\ncell = "target 2"\n{MEAN}\n'
    results = Results(kind, "this one", results_in(DOCUMENT, "").cells)
    found = json.loads(check_results(results, read_expectations(text, "s.toml"), ("s.toml", text)).to_json())
    assert (found[str(kind)], found["name"], len(found["checks"])) == ("this one", "SLA", 1)
    assert list(found) == [str(kind), "name", "verdict", "checks"]
