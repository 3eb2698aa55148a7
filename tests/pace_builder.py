"""Builders of synthetic open-loop records, with chosen arrival rate, service time and lag."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from iosonde.records import (
    Arrivals,
    CellRecord,
    Censored,
    Experiment,
    Operation,
    OperationTotals,
    RunRecord,
    Times,
    Workload,
)
from tests.builders import cell_plan, cell_record, histogram_of, run_record, target_facts, totals_of, workload

MS = 1_000_000


def paced(rate_per_s: int = 1000, **changes: Any) -> Workload:
    """4 KiB random reads with Poisson arrivals at a rate, at depth 64."""
    asked = workload(queue_depth=64).model_dump() | {"rate_per_s": rate_per_s, "arrivals": Arrivals.POISSON} | changes
    return Workload.model_validate(asked)


def times_of(times_ns: Sequence[int]) -> Times:
    """The distribution of exactly these times."""
    return Times(ns_sum=sum(times_ns), ns_min=min(times_ns), ns_max=max(times_ns), histogram=histogram_of(times_ns))


def paced_totals(count: int, *, service_ns: int = MS, lag_ns: int = 0, host_lag_ns: int = 0) -> OperationTotals:
    """Totals of operations that all have the same lag and the same service time."""
    return replace(
        totals_of([service_ns] * count),
        response=times_of([service_ns + lag_ns] * count),
        lag=times_of([lag_ns] * count),
        host_lag=times_of([host_lag_ns] * count),
    )


def paced_repeat(
    number: int = 1,
    *,
    asked: Workload | None = None,
    count: int = 5000,
    waiting_ns: int | None = 0,
    experiments: tuple[Experiment, ...] = (),
    **times: int,
) -> CellRecord:
    """A repeat of 5 s, by default at 1,000 operations per second. ``waiting_ns`` is the backlog age at its end."""
    plan = cell_plan(asked or paced(), *experiments)
    censored = Censored(count=1, age_ns_min=0, age_ns_max=0, latency_ns_max=0, waiting_age_ns_max=waiting_ns)
    operations = {Operation.READ: paced_totals(count, **times)}
    in_flight = count * times.get("service_ns", MS) / plan.timing.measure_ns
    return cell_record(plan, operations, repeat=number, censored=censored, queue_depth_achieved=in_flight)


def paced_run(*records: CellRecord) -> RunRecord:
    """A run of these cells on a test region larger than the host's memory."""
    plans = {record.cell: cell_plan(record.workload, *record.experiments) for record in records}
    return run_record(list(plans.values()), records, target=target_facts(span_bytes=100 * 2**30))
