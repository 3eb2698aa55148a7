"""A run as flat tables: cells, intervals, histograms. Tables are created column by column."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.columns import Column, Table, integer, maybe_integer, real, text, unsigned
from iosonde.analysis.device_counts import Witnessed, witnessed
from iosonde.analysis.histogram import PERCENTS, percent_name
from iosonde.analysis.latency import TimesEstimate, estimate_times, latency_kind, leading, percentiles_of, service_of
from iosonde.analysis.many_histograms import ManyHistograms
from iosonde.analysis.power import iops_per_w, power_w
from iosonde.analysis.record_values import (
    migrations,
    of_frequency,
    of_reap_granularity,
    over_threads,
    queue_depth_by_latency,
    waiting_age_ns_max,
)
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.totals import total_of
from iosonde.records import (
    CellRecord,
    CellTurn,
    IntervalRecord,
    LatencyKind,
    Operation,
    OperationTotals,
    PowerSource,
    RunRecord,
    device_depth,
)
from iosonde.units import SECOND_NS
from iosonde.vocabulary import DiscardReason

_Make = Callable[[Sequence[Any]], Column]


@dataclass(frozen=True)
class _Row:
    """One operation in a whole repeat, or in one interval of it."""

    run: str
    record: CellRecord
    interval: IntervalRecord | None
    operation: Operation
    totals: OperationTotals | None
    # The totals with the latency of the loop in `latency`.
    led: OperationTotals | None
    # The fate of the repeat, its weight in the results of its cell, and its turn.
    fate: DiscardReason | None = None
    weight: float | None = None
    turn: CellTurn | None = None

    @property
    def duration_ns(self) -> int:
        if self.interval is None:
            return self.record.measured_ns
        return self.interval.end_ns - self.interval.start_ns

    @cached_property
    def percentiles(self) -> tuple[int | None, ...]:
        """The percentiles at PERCENTS, computed only for the tables that show them."""
        return (None,) * len(PERCENTS) if self.led is None else percentiles_of(self.led)

    @cached_property
    def service(self) -> TimesEstimate | None:
        """The service time of an open loop. In a closed loop it is the latency itself."""
        is_open = self.totals is not None and self.totals.response is not None
        return estimate_times(service_of(self.totals)) if self.totals is not None and is_open else None

    @cached_property
    def lag(self) -> TimesEstimate | None:
        return None if self.totals is None else estimate_times(self.totals.lag)

    @cached_property
    def host_lag(self) -> TimesEstimate | None:
        return None if self.totals is None else estimate_times(self.totals.host_lag)

    def per_s(self, amount: int) -> float:
        return amount * SECOND_NS / self.duration_ns if self.duration_ns else np.nan


def cell_table(analysis: RunAnalysis) -> Table:
    """One row for each cell, repeat and operation, including ``all``.

    A requested operation without completions has a row with a count of 0 and no latency.
    """
    return _table(_CELL_COLUMNS, list(_cell_rows(analysis)))


def interval_table(run: RunRecord) -> Table:
    """One row for each interval and operation, including ``all``. Warm-up intervals have their own phase."""
    return _interval_table(list(_interval_rows(run)))


def histogram_table(run: RunRecord) -> Table:
    """One row for each non-empty bucket of an interval and operation.

    ``all`` is omitted: it is the sum of read, write, trim and flush, and any query can add counts.
    """
    return _histogram_table(list(_interval_rows(run)))


def tables_over_time(run: RunRecord) -> tuple[Table, Table]:
    """The tables of intervals and of histograms. They share their rows."""
    rows = list(_interval_rows(run))
    return _interval_table(rows), _histogram_table(rows)


def _interval_table(rows: Sequence[_Row]) -> Table:
    table, many = _table(_INTERVAL_COLUMNS, rows), ManyHistograms.of([row.led for row in rows])
    return table | {_percentile_name(percent): many.percentile(percent) for percent in (50.0, 99.0)}


def _histogram_table(every: Sequence[_Row]) -> Table:
    rows = [row for row in every if row.operation is not Operation.ALL and row.led is not None]
    many = ManyHistograms.of([row.led for row in rows])
    # NumPy repeats each histogram's keys for its buckets, because there are millions of rows.
    table = {name: np.repeat(column, many.lengths) for name, column in _table(_HISTOGRAM_KEYS, rows).items()}
    return table | {"bucket_low_ns": many.low_ns, "bucket_high_ns": many.high_ns, "count": many.count}


def _cell_rows(analysis: RunAnalysis) -> Iterator[_Row]:
    run, cells = analysis.run, {cell.cell: cell for cell in analysis.estimates.cells}
    weights = {cell: _weights(estimate) for cell, estimate in cells.items()}
    turns = {turn.order: turn for turn in run.turns}
    for record in run.cells:
        asked = set(record.workload.asked_operations()) | set(record.operations) | {Operation.ALL}
        fate, turn = cells[record.cell].repeats.fates[record.order], turns.get(record.order)
        weight = weights[record.cell].get(record.order)
        for operation in Operation:
            if operation in asked:
                yield replace(_row(run, record, None, operation), fate=fate, weight=weight, turn=turn)


def _weights(cell: CellEstimate) -> dict[int, float]:
    """The weight of each repeat in the results of a cell, by its order."""
    subject = cell.subject
    if subject is None:
        return {}
    return {record.order: share for record, share in zip(cell.repeats.used, subject.iops.weights, strict=True)}


def _interval_rows(run: RunRecord) -> Iterator[_Row]:
    for record in run.cells:
        for interval in record.intervals:
            for operation in Operation:
                if operation in interval.operations or operation is Operation.ALL:
                    yield _row(run, record, interval, operation)


def _row(run: RunRecord, record: CellRecord, interval: IntervalRecord | None, operation: Operation) -> _Row:
    totals = total_of((record if interval is None else interval).operations, operation)
    return _Row(run.header.run, record, interval, operation, totals, None if totals is None else leading(totals))


def _table(columns: Sequence["_Definition"], rows: Sequence[_Row]) -> Table:
    return {column.name: column.make([column.value(row) for row in rows]) for column in columns}


@dataclass(frozen=True)
class _Definition:
    """A column: its name with the unit at the end, the type of its array, and its value in one row."""

    name: str
    make: Callable[[Sequence[Any]], Column]
    value: Callable[[_Row], Any]


def _of_totals(
    name: str, make: Callable[[Sequence[Any]], Column], value: Callable[[OperationTotals], Any]
) -> _Definition:
    """A column without a value in rows without completions."""
    return _Definition(name, make, lambda row: None if row.led is None else value(row.led))


def _percentile(index: int) -> _Definition:
    return _Definition(_percentile_name(PERCENTS[index]), maybe_integer, lambda row: row.percentiles[index])


def _percentile_name(percent: float) -> str:
    return f"latency_ns_{percent_name(percent)}"


def _count(row: _Row) -> int:
    return 0 if row.totals is None else row.totals.count


def _bytes(row: _Row) -> int:
    return 0 if row.totals is None else row.totals.bytes


def _of_record(name: str, value: Callable[[CellRecord], Any], make: _Make = maybe_integer) -> _Definition:
    """A column of the whole repeat, with the same value in the rows of all operations."""
    return _Definition(name, make, lambda row: value(row.record))


def _of_devices(name: str, value: Callable[[Witnessed], float | None]) -> _Definition:
    """A column of the kernel's counts at the devices."""

    def found(row: _Row) -> float | None:
        witness = witnessed(row.record, row.operation)
        return None if witness is None else value(witness)

    return _Definition(name, real, found)


def _power(source: PowerSource) -> _Definition:
    """The power of a source in the whole repeat."""
    return _of_record(f"{source}_power_w", lambda record: power_w(record, source), real)


def _efficiency(source: PowerSource) -> _Definition:
    """The operations per second for each watt of a source."""
    return _Definition(f"{source}_iops_per_w", real, lambda row: iops_per_w(row.record, source, row.operation))


def _rate_in_cell(amount: Callable[[_Row], int]) -> Callable[[_Row], float]:
    """A rate. It is missing if nothing completed, unless the repeat counts as 0 in the mean."""
    return lambda row: np.nan if row.totals is None and row.fate is not DiscardReason.USED else row.per_s(amount(row))


def _of_times(name: str, times: str, value: Callable[[TimesEstimate], Any], make: _Make = maybe_integer) -> _Definition:
    """A column of the other times of an open loop. In a closed loop it has no value."""

    def found(row: _Row) -> Any:  # noqa: ANN401 - a number of either kind
        known: TimesEstimate | None = getattr(row, times)
        return None if known is None else value(known)

    return _Definition(name, make, found)


def _kind(row: _Row) -> str:
    """The kind of latency. A flush is part of a commit and has no intended start, so it always has service time."""
    if row.totals is not None and row.totals.response is None:
        return str(LatencyKind.SERVICE)
    return str(latency_kind(row.record.workload))


_KIND: Final = _Definition("latency_kind", text, _kind)

_OPEN_LOOP: Final = (
    _of_times("service_ns_mean", "service", lambda times: times.ns_mean, real),
    _of_times("service_ns_p50", "service", lambda times: times.percentile(50)),
    _of_times("service_ns_p99", "service", lambda times: times.percentile(99)),
    _of_times("service_ns_max", "service", lambda times: times.ns_max),
    _of_times("lag_ns_p50", "lag", lambda times: times.percentile(50)),
    _of_times("lag_ns_p99", "lag", lambda times: times.percentile(99)),
    _of_times("lag_ns_max", "lag", lambda times: times.ns_max),
    _of_times("host_lag_ns_p50", "host_lag", lambda times: times.percentile(50)),
    _of_times("host_lag_ns_p99", "host_lag", lambda times: times.percentile(99)),
    _of_times("host_lag_ns_max", "host_lag", lambda times: times.ns_max),
)

_LATENCIES: Final = (
    _of_totals("latency_ns_mean", real, lambda totals: totals.latency_ns_sum / totals.count),
    _of_totals("latency_ns_min", maybe_integer, lambda totals: totals.latency_ns_min),
    _of_totals("latency_ns_max", maybe_integer, lambda totals: totals.latency_ns_max),
)


def _attempt(row: _Row) -> int | None:
    """The attempt of the procedure, which begins again from the purge after an interruption."""
    return None if row.turn is None or row.turn.procedure is None else row.turn.attempt


_CELL_COLUMNS: Final = (
    _Definition("run", text, lambda row: row.run),
    _Definition("experiments", text, lambda row: "+".join(row.record.experiments)),
    _Definition("cell", text, lambda row: row.record.cell),
    _Definition("stream", text, lambda row: row.record.stream),
    _Definition("repeat", integer, lambda row: row.record.repeat),
    _Definition("order", integer, lambda row: row.record.order),
    _Definition("round", maybe_integer, lambda row: row.record.round),
    _Definition("procedure", text, lambda row: row.turn and row.turn.procedure),
    _Definition("attempt", maybe_integer, _attempt),
    _Definition("phase", text, lambda row: row.record.phase),
    _Definition("seed", unsigned, lambda row: row.record.seed),
    _Definition("outcome", text, lambda row: str(row.record.outcome)),
    _Definition("fate", text, lambda row: None if row.fate is None else str(row.fate)),
    _Definition("weight", real, lambda row: row.weight),
    _Definition("operation", text, lambda row: str(row.operation)),
    _Definition("pattern", text, lambda row: str(row.record.workload.pattern)),
    _Definition("read_percent", integer, lambda row: row.record.workload.read_percent),
    _Definition("trim_percent", integer, lambda row: row.record.workload.trim_percent),
    _Definition("block_size_bytes", integer, lambda row: row.record.workload.block_size_bytes),
    _Definition(
        "block_sizes", text, lambda row: row.record.workload.block_sizes and str(row.record.workload.block_sizes)
    ),
    _Definition("queue_depth", integer, lambda row: row.record.workload.queue_depth),
    _Definition("rate_per_s", maybe_integer, lambda row: row.record.workload.rate_per_s),
    _Definition("arrivals", text, lambda row: row.record.workload.arrivals and str(row.record.workload.arrivals)),
    _Definition("jobs", integer, lambda row: row.record.workload.jobs),
    _Definition("targets", integer, lambda row: row.record.workload.targets),
    _of_record("queue_depth_achieved", lambda record: record.queue_depth_achieved, real),
    _of_record("queue_depth_device", lambda record: record.queue_depth_device, real),
    _of_record("queue_depth_by_latency", queue_depth_by_latency, real),
    _Definition("sync", text, lambda row: str(row.record.workload.sync)),
    _Definition("flush_every", integer, lambda row: row.record.workload.flush_every),
    _Definition("data", text, lambda row: str(row.record.workload.data)),
    _Definition("compressible_percent", integer, lambda row: row.record.workload.compressible_percent),
    _Definition("duplicates_percent", integer, lambda row: row.record.workload.duplicates_percent),
    _Definition(
        "write_cache", text, lambda row: row.record.workload.write_cache and str(row.record.workload.write_cache)
    ),
    _Definition("offset_bytes", integer, lambda row: row.record.workload.offset_bytes),
    _Definition("span_bytes", maybe_integer, lambda row: row.record.workload.span_bytes),
    _Definition("burst_operations", maybe_integer, lambda row: row.record.workload.burst_operations),
    _Definition("think_ns", maybe_integer, lambda row: row.record.workload.think_ns),
    _Definition("on_ns", maybe_integer, lambda row: row.record.workload.on_ns),
    _Definition("off_ns", maybe_integer, lambda row: row.record.workload.off_ns),
    _Definition("count", integer, _count),
    _Definition("bytes", integer, _bytes),
    _Definition("measured_ns", integer, lambda row: row.duration_ns),
    _Definition("iops", real, _rate_in_cell(_count)),
    _Definition("bytes_per_s", real, _rate_in_cell(_bytes)),
    _KIND,
    *_LATENCIES,
    *(_percentile(index) for index in range(len(PERCENTS))),
    *_OPEN_LOOP,
    _of_record("waiting_age_ns_max", waiting_age_ns_max),
    _of_record("cpu_user_ns", over_threads(lambda thread: thread.user_ns)),
    _of_record("cpu_system_ns", over_threads(lambda thread: thread.system_ns)),
    _of_record("cpu_kernel_workers_ns", lambda record: record.cpu and record.cpu.kernel_workers_ns),
    _of_record("cpu_sqpoll_threads_ns", lambda record: record.cpu and record.cpu.sqpoll_threads_ns),
    _of_record("sqpoll_wakeups", lambda record: record.own_engine and record.own_engine.sqpoll_wakeups),
    _of_record("switches_voluntary", over_threads(lambda thread: thread.switches_voluntary)),
    _of_record("switches_involuntary", over_threads(lambda thread: thread.switches_involuntary)),
    _of_record("migrations", migrations),
    _of_record("steal_ns", lambda record: record.cpu and record.cpu.steal_ns),
    _of_record("cpu_frequency_hz_mean", of_frequency(lambda frequency: frequency.frequency_hz_mean)),
    _of_record("cpu_frequency_hz_min", of_frequency(lambda frequency: frequency.frequency_hz_min)),
    _of_record("cpu_frequency_hz_max", of_frequency(lambda frequency: frequency.frequency_hz_max)),
    _of_record("reap_granularity_ns_p50", of_reap_granularity(lambda times: times.percentile(50))),
    _of_record("reap_granularity_ns_max", of_reap_granularity(lambda times: times.ns_max)),
    _of_record("sweep_ns_max", lambda record: record.sweep_ns_max),
    _of_devices("device_iops", lambda witness: witness.device_per_s),
    _of_devices("device_bytes_per_s", lambda witness: witness.device_bytes_per_s),
    _of_devices("device_latency_ns_mean", lambda witness: witness.device_ns_mean),
    *(_power(source) for source in PowerSource),
    *(_efficiency(source) for source in PowerSource),
    _Definition("faults", integer, lambda row: sum(fault.count for fault in row.record.faults)),
    _Definition("censored", maybe_integer, lambda row: row.record.censored.count if row.record.censored else None),
)


def _in_interval(value: Callable[[IntervalRecord], Any]) -> Callable[[_Row], Any]:
    return lambda row: None if row.interval is None else value(row.interval)


def _depth_in_interval(row: _Row) -> float | None:
    in_flight_ns = None if row.interval is None else row.interval.in_flight_ns
    return None if in_flight_ns is None else row.per_s(in_flight_ns) / SECOND_NS


def _device_depth_in_interval(row: _Row) -> float | None:
    interval = row.interval
    return None if interval is None else device_depth(interval.in_flight_ns, interval.backlog_ns, row.duration_ns)


_INTERVAL_COLUMNS: Final = (
    _Definition("cell", text, lambda row: row.record.cell),
    _Definition("repeat", integer, lambda row: row.record.repeat),
    _Definition("phase", text, _in_interval(lambda interval: str(interval.phase))),
    _Definition("interval_first", integer, _in_interval(lambda interval: interval.interval_first)),
    _Definition("interval_last", integer, _in_interval(lambda interval: interval.interval_last)),
    _Definition("start_ns", integer, _in_interval(lambda interval: interval.start_ns)),
    _Definition("end_ns", integer, _in_interval(lambda interval: interval.end_ns)),
    _Definition("queue_depth_achieved", real, _depth_in_interval),
    _Definition("queue_depth_device", real, _device_depth_in_interval),
    _Definition("kernel_workers", maybe_integer, _in_interval(lambda interval: interval.kernel_workers)),
    _Definition("operation", text, lambda row: str(row.operation)),
    _Definition("count", integer, _count),
    _Definition("bytes", integer, _bytes),
    _Definition("iops", real, lambda row: row.per_s(_count(row))),
    _Definition("bytes_per_s", real, lambda row: row.per_s(_bytes(row))),
    _KIND,
    *_LATENCIES,
)

_HISTOGRAM_KEYS: Final = tuple(
    column
    for column in _INTERVAL_COLUMNS
    if column.name in {"cell", "repeat", "phase", "interval_first", "operation", "latency_kind"}
)
