"""Open loops: response times come first, and a cell that falls behind its arrival rate is saturated."""

import numpy as np
import pytest

from iosonde.analysis.cells import CellEstimate, estimate_cell
from iosonde.analysis.curve import percentile_curve
from iosonde.analysis.pace import is_saturated
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.tables import cell_table, histogram_table, interval_table
from iosonde.records import CellRecord, LatencyKind, Operation
from tests.builders import cell_plan, cell_record, interval_record, totals_of, workload
from tests.pace_builder import MS, paced, paced_repeat, paced_run, paced_totals

SECOND_NS = 10**9


def estimate(*records: CellRecord) -> CellEstimate:
    return estimate_cell(cell_plan(records[0].workload), records)


def test_the_latency_of_an_open_loop_is_its_response_and_its_service_stands_beside_it() -> None:
    figures = estimate(paced_repeat(lag_ns=9 * MS, host_lag_ns=2 * MS)).of(Operation.READ)
    assert figures is not None
    assert figures.latency_kind is LatencyKind.RESPONSE
    assert (figures.latency_ns_mean.mean, figures.latency_ns_min, figures.latency_ns_max) == (10 * MS,) * 3
    assert figures.percentile(99.0).value_ns == 10 * MS
    assert figures.service is not None
    assert (figures.service.ns_mean, figures.service.percentile(99.0)) == (MS, MS)
    assert figures.lag is not None
    assert figures.host_lag is not None
    assert (figures.lag.ns_max, figures.host_lag.ns_max) == (9 * MS, 2 * MS)


def test_a_closed_loop_has_service_latency_and_nothing_beside_it() -> None:
    plan = cell_plan(workload())
    cell = estimate_cell(plan, [cell_record(plan, {Operation.READ: totals_of([MS] * 100)})])
    figures = cell.of(Operation.READ)
    assert figures is not None
    assert (figures.latency_kind, figures.service, figures.lag) == (LatencyKind.SERVICE, None, None)
    assert cell.pace is None


def test_the_achieved_rate_stands_beside_the_asked_one_over_all_targets() -> None:
    asked = paced(1000, targets=2)
    pace = estimate(*(paced_repeat(number, asked=asked, count=9_900) for number in (1, 2, 3))).pace
    assert pace is not None
    assert (pace.asked_per_s, pace.achieved_per_s.mean, pace.share) == (2000, 1980, 0.99)
    assert (pace.waiting_ns_max, pace.waiting, pace.saturated) == (0, 0, 0)


# Three standard deviations of 5,000 arrivals are 212, which is a backlog of 212 ms at 1,000 per second.
@pytest.mark.parametrize(
    ("count", "waiting_ns", "saturated"),
    [
        (4_700, 300 * MS, True),
        (4_800, 200 * MS, False),
        (4_700, 0, False),
        (5_100, 300 * MS, False),
        (4_700, None, False),
    ],
    ids=["behind", "within what strays", "few by chance", "catching up", "unknown"],
)
def test_saturated_is_behind_by_more_than_a_queue_that_keeps_up_strays(
    count: int, waiting_ns: int | None, saturated: bool
) -> None:
    assert is_saturated(paced_repeat(count=count, waiting_ns=waiting_ns)) is saturated


def test_a_saturated_cell_has_no_percentiles_of_the_response_and_keeps_those_of_the_service() -> None:
    behind = [paced_repeat(number, count=4_700, waiting_ns=300 * MS, lag_ns=200 * MS) for number in (1, 2)]
    figures = estimate(*behind).subject
    assert figures is not None
    assert figures.saturated
    assert {each.value_ns for each in figures.percentiles} == {None}
    assert percentile_curve(figures) == ()
    assert figures.service is not None
    assert figures.service.percentile(99.0) == MS
    kept = estimate(paced_repeat(lag_ns=9 * MS)).subject
    assert kept is not None
    assert not kept.saturated
    assert kept.percentile(99.0).value_ns == 10 * MS
    assert percentile_curve(kept) != ()


def test_at_high_rates_one_hundredth_of_the_window_decides() -> None:
    fast = paced(1_000_000)
    assert is_saturated(paced_repeat(asked=fast, waiting_ns=51 * MS))
    assert not is_saturated(paced_repeat(asked=fast, waiting_ns=49 * MS))


def test_tables_lead_with_the_response_and_say_so() -> None:
    record = paced_repeat(lag_ns=9 * MS)
    interval = interval_record(0, {Operation.READ: paced_totals(100, lag_ns=9 * MS)})
    run = paced_run(record.model_copy(update={"intervals": (interval,)}))
    cells, intervals, histograms = cell_table(RunAnalysis(run)), interval_table(run), histogram_table(run)
    assert [str(kind) for kind in cells["latency_kind"]] == ["response", "response"]
    assert (cells["latency_ns_p99"][0], cells["service_ns_p99"][0], cells["lag_ns_max"][0]) == (10 * MS, MS, 9 * MS)
    assert (cells["rate_per_s"][0], cells["arrivals"][0], cells["waiting_age_ns_max"][0]) == (1000, "poisson", 0)
    assert (intervals["latency_kind"][0], intervals["latency_ns_max"][0]) == ("response", 10 * MS)
    assert histograms["latency_kind"][0] == "response"
    assert histograms["bucket_low_ns"][0] <= 10 * MS < histograms["bucket_high_ns"][0]


def test_a_closed_loop_leaves_the_columns_of_open_ones_empty() -> None:
    plan = cell_plan(workload())
    cells = cell_table(RunAnalysis(paced_run(cell_record(plan, {Operation.READ: totals_of([MS] * 100)}))))
    assert cells["latency_kind"][0] == "service"
    assert np.ma.getmaskarray(cells["rate_per_s"]).all()
    assert np.ma.getmaskarray(cells["host_lag_ns_p99"]).all()
    assert cells["arrivals"][0] is None
