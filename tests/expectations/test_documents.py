"""A document with printed figures, judged beside a run: by what its digits leave, with nothing invented."""

from collections.abc import Iterator

import pytest

from iosonde.analysis.distribution import latency_figure
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.figures import figure_of
from iosonde.expectations import Checked, Verdict, judge, read_expectations
from iosonde.figures import Figure, Printed
from iosonde.records import Moments, Operation, Percentiles
from iosonde.vocabulary import Quantity
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload

MS, MB = 10**6, 10**6
CELL = "random-read-4KiB-qd1"
# As tools print their results, and no tool in particular.
DOCUMENT = """\
thread |  I/O per s |   MB/s | AvgLat
 total |      10204 |  41.80 |   0.10
  %-ile |  Read (ms)
   50th |      0.09
   99th |      0.31
    max |      4.70
"""
_PERCENT = {"50th": 50.0, "99th": 99.0, "max": 100.0}


def figures_of_document(text: str) -> Iterator[Figure]:
    """What stands in such a document, as figures of one cell; nothing else is known of it."""
    rows = [[field.strip() for field in line.split("|")] for line in text.splitlines()]
    _, iops, bandwidth, mean = next(row for row in rows if row[0] == "total")
    table = {_PERCENT[row[0]]: Printed.of(row[1], MS) for row in rows if row[0] in _PERCENT}
    latency = Percentiles(percent=tuple(table), ns=tuple(table.values()), moments=Moments(mean_ns=Printed.of(mean, MS)))
    yield Printed.of(iops).figure(Quantity.IOPS, Operation.READ, CELL)
    yield Printed.of(bandwidth, MB).figure(Quantity.BYTES_PER_S, Operation.READ, CELL)
    for quantity in Quantity:
        if quantity not in {Quantity.IOPS, Quantity.BYTES_PER_S}:
            yield latency_figure(quantity, Operation.READ, [latency], CELL)


def figures_of_run() -> Iterator[Figure]:
    """The same figures of a run of two repeats, in which every read took 0.1 ms."""
    plan = cell_plan(workload(queue_depth=1))
    reads = {Operation.READ: totals_of([100_000] * 5_000)}
    [cell] = estimate_run(run_record([plan], [cell_record(plan, reads, repeat=each) for each in (1, 2)])).cells
    return (figure_of(quantity, cell.operations[Operation.READ], CELL) for quantity in Quantity)


def judged(figures: Iterator[Figure], expectation: str) -> Checked:
    text = f'name = "sheet"\n[[expect]]\ncell = "{CELL}"\n{expectation}\n'
    [expected] = read_expectations(text, "s.toml").expect
    [figure] = [each for each in figures if each.quantity is expected.metric]
    return judge(expected, figure)


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
    assert judged(figures_of_document(DOCUMENT), expectation).verdict is expected


def test_what_was_judged_is_shown_with_what_its_digits_leave() -> None:
    found = judged(figures_of_document(DOCUMENT), 'metric = "latency_ns_p50"\nat_most = "0.1 ms"')
    assert (found.cell, found.value, found.low, found.high) == (CELL, 90_000, 85_000, 95_000)
    assert found.margin_share == pytest.approx(0.1)


def test_what_was_not_printed_is_undecided_and_says_so() -> None:
    found = judged(figures_of_document(DOCUMENT), 'metric = "latency_ns_p99_9"\nat_most = "1 s"')
    assert (found.value, found.verdict, found.why) == (None, Verdict.UNDECIDED, "it has no value: it was not printed")


def test_a_document_and_a_run_are_judged_by_the_same_expectation() -> None:
    expectation = 'metric = "latency_ns_mean"\nat_most = "0.12 ms"'
    for figures in (figures_of_document(DOCUMENT), figures_of_run()):
        assert judged(figures, expectation).verdict is Verdict.PASS
