"""Charts of open loops say which latency they show, and separate cells that differ only in their load."""

from iosonde.analysis.cells import CellEstimate, estimate_cell
from iosonde.charts.matrix import matrix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.records import Arrivals, Operation, Workload
from tests.builders import cell_plan, cell_record, totals_of, workload
from tests.pace_builder import MS, paced, paced_repeat


def at_a_rate(asked: Workload) -> CellEstimate:
    return estimate_cell(cell_plan(asked), [paced_repeat(number, asked=asked, lag_ns=MS) for number in (1, 2, 3)])


def closed() -> CellEstimate:
    plan = cell_plan(workload())
    return estimate_cell(plan, [cell_record(plan, {Operation.READ: totals_of([MS] * 100)}, repeat=1)])


def test_open_loops_are_drawn_with_their_response_latency() -> None:
    (figure,) = matrix_latency([at_a_rate(paced())])
    assert figure.caption.startswith("Mean response time (µs)")
    assert [row["latency_us"] for row in figure.rows] == [2000]
    assert figure.rows[0]["name"] == "4 KiB, random, read, depth 64, 1k/s, poisson arrivals"


def test_a_chart_of_closed_loops_speaks_of_service_latency() -> None:
    (figure,) = matrix_latency([closed()])
    assert figure.caption.startswith("Mean latency (µs)")


def test_a_chart_with_both_says_which_is_which() -> None:
    (figure,) = matrix_latency([closed(), at_a_rate(paced())])
    assert figure.caption.startswith(
        "Mean latency (response time in cells with an arrival rate, otherwise service time)"
    )


def test_cells_that_differ_by_their_pace_alone_have_a_line_each() -> None:
    cells = [at_a_rate(paced()), at_a_rate(paced(arrivals=Arrivals.CONSTANT)), at_a_rate(paced(queue_depth=1))]
    names = {row["series"] for row in tail_percentiles(cells)[0].rows}
    assert names == {"read, 1k/s", "read, 1k/s constant", "read, 1k/s, depth ≤ 1"}
