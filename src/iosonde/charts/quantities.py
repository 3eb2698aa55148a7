"""Formats quantities for axes, tables and sentences. A chart or table has one unit for all values."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.estimate import Estimate, mean_of
from iosonde.records import Arrivals, Data, LatencyKind, Operation, Sync, Timing, Workload, depth_kept
from iosonde.units import exact_duration, exact_size, format_duration, format_rate, format_size
from iosonde.workload_keys.bounds import OPEN_LOOP_DEPTH

BANDWIDTH_UNIT: Final = "MB/s"
BANDWIDTH_BASE: Final = "1 MB/s = 1,000,000 bytes/s"
IOPS_BASE: Final = "operations/s"
NO_VALUE: Final = "–"


@dataclass(frozen=True)
class LatencyUnit:
    """A unit of latency, its length in nanoseconds, and the field of chart rows in this unit."""

    name: str
    ns: int
    field: str


NANOSECOND: Final = LatencyUnit("ns", 1, "latency_ns")
MICROSECOND: Final = LatencyUnit("µs", 10**3, "latency_us")
MILLISECOND: Final = LatencyUnit("ms", 10**6, "latency_ms")


def latency_unit(means_ns: Iterable[float]) -> LatencyUnit:
    """The unit for all values, by their median: ns below 1 µs, ms from 10 ms on, else µs."""
    values = list(means_ns)
    middle = median(values) if values else MICROSECOND.ns
    if middle < MICROSECOND.ns:
        return NANOSECOND
    return MICROSECOND if middle < 10 * MILLISECOND.ns else MILLISECOND


def significant(value: float, digits: int = 4) -> str:
    """A number with thousands separators, without an exponent. Decimals fill it up to ``digits`` significant digits."""
    return f"{value:,.{decimals_of(value, digits)}f}"


def decimals_of(value: float, digits: int = 4) -> int:
    """The number of decimals that ``significant`` uses for a value."""
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 1
    return max(digits - whole, 0)


def with_interval(estimate: Estimate, factor: float = 1.0) -> str:
    """``mean ± half-width``, or the mean alone if there is no interval. ``factor`` converts to the unit shown."""
    return value_with_interval(estimate.mean, estimate.half_width, factor)


def value_with_interval(value: float, half_width: float | None, factor: float = 1.0) -> str:
    """``value ± half-width``, or the value alone if ``half_width`` is None. ``factor`` converts to the unit shown."""
    shown = significant(value * factor)
    if half_width is None:
        return shown
    return f"{shown} ± {_half_width(half_width * factor, decimals_of(value * factor))}"


def _half_width(value: float, decimals: int) -> str:
    """A half-width with the decimals of its mean. If it would round to 0, ``<`` and the last digit: ``<0.1``."""
    least = 10**-decimals
    if 0 < value < least / 2:
        return f"<{least:,.{decimals}f}"
    return f"{value:,.{decimals}f}"


def more_in_table(more: int, one: str, several: str) -> list[str]:
    """What sentences or a caption leave to the table: ``See the table for 3 more cells.`` Empty if nothing is left.

    ``one`` and ``several`` are the singular and the plural of what the table has.
    """
    return [f"See the table for {more} more {one if more == 1 else several}."] if more > 0 else []


def workload_label(workload: Workload, direction: str | None = None) -> str:
    """A workload without its depth and jobs: ``4 KiB random read``, ``4 KiB random write + fdatasync``."""
    said = direction_label(workload) if direction is None else direction
    data = "" if workload.data is Data.RANDOM else f", {workload.data} data"
    what = f"{said}{SYNC_LABELS[workload.sync]}"
    return f"{workload.size_text} {workload.pattern} {what}{data}{_extras_label(workload)}"


SYNC_LABELS: Final = {Sync.NONE: "", Sync.FDATASYNC: " + fdatasync", Sync.DSYNC: ", O_DSYNC"}


def direction_label(workload: Workload) -> str:
    """``read``, ``write``, ``trim``, or the shares of a mix: ``70/30 mix``, ``65/30 mix with 5 % trims``.

    The shares are those of reads and writes unless the label names others: ``60/40 write/trim mix``.
    """
    read, write, trim = workload.read_percent, workload.write_percent, workload.trim_percent
    if workload.only_operation is not None:
        return workload.only_operation.value
    if not write:
        return f"{read}/{trim} read/trim mix"
    if not read:
        return f"{write}/{trim} write/trim mix"
    return f"{read}/{write} mix with {trim} % trims" if trim else f"{read}/{write} mix"


_PLURALS: Final = {Operation.FLUSH: "flushes", Operation.ALL: "operations"}


def plural(operation: Operation) -> str:
    """The plural of a class of operations: ``reads``, ``flushes``; ``operations`` for all."""
    return _PLURALS.get(operation, f"{operation}s")


def operations_label(workload: Workload) -> str:
    """The operations of a workload, without depth and jobs: ``4 KiB random reads``, ``16 KiB random 70/30 mix``."""
    only = workload.only_operation
    return workload_label(workload, direction_label(workload) if only is None else plural(only))


def _extras_label(workload: Workload) -> str:
    return "".join(f", {part}" for part in extra_parts(workload).values())


def extra_parts(workload: Workload) -> dict[str, str]:
    """The texts of the parameters of a workload that differ from their defaults, by parameter."""
    parts = {}
    if workload.flush_every > 1:
        parts["flush"] = f"flush every {workload.flush_every} writes"
    if workload.compressible_percent:
        parts["compressible"] = f"{workload.compressible_percent} % compressible"
    if workload.duplicates_percent:
        parts["duplicates"] = f"{workload.duplicates_percent} % duplicates"
    if workload.verify:
        parts["verify"] = "verified"
    if workload.write_cache is not None:
        parts["write cache"] = f"write cache {workload.write_cache}"
    if workload.span_bytes is not None:
        parts["span"] = f"{format_size(workload.span_bytes)} region"
    if workload.offset_bytes:
        parts["offset"] = f"offset {format_size(workload.offset_bytes)}"
    if workload.burst_operations is not None and workload.think_ns is not None:
        parts["burst"] = f"bursts of {workload.burst_operations}, {format_duration(workload.think_ns)} think time"
    if workload.on_ns is not None and workload.off_ns is not None:
        parts["duty cycle"] = f"{format_duration(workload.on_ns)} on, {format_duration(workload.off_ns)} off"
    return parts


NEAR_DEPTH: Final = 0.05
"""Two depths that differ by at most this share are shown as one in sentences and names."""


def depth_text(achieved: Estimate, device: Estimate | None) -> str:
    """The achieved depth: ``7.96``. If the depth at the device is lower, both: ``7.96, device 6.1``."""
    text = significant(achieved.mean, 3)
    if device is None or achieved.mean - device.mean <= NEAR_DEPTH * achieved.mean:
        return text
    return f"{text}, device {significant(device.mean, 3)}"


def depth_label(asked: int, achieved: float | None, device: float | None = None) -> str:
    """``depth 8``, with the achieved depth if it differs: ``depth 64 (12.3 achieved)``.

    If the depth at the device is lower, it is shown instead: ``depth 64 (6.1 at the device)``.
    """
    kept = depth_kept(achieved, device)
    if kept is None or abs(kept / asked - 1) <= NEAR_DEPTH:
        return f"depth {asked}"
    if achieved is not None and (device is None or achieved - device <= NEAR_DEPTH * achieved):
        return f"depth {asked} ({significant(achieved, 3)} achieved)"
    return f"depth {asked} ({significant(kept, 3)} at the device)"


def cell_depth_label(cell: CellEstimate) -> str:
    """``depth_label`` of a cell."""
    return depth_label(cell.queue_depth_asked, mean_of(cell.queue_depth_achieved), mean_of(cell.queue_depth_device))


def timing_label(timing: Timing | None) -> str:
    """What ends a repeat: ``2 s per repeat``, ``32 MiB per repeat``."""
    if timing is None:
        return "unknown duration"
    ends = exact_duration(timing.measure_ns) if timing.amount_bytes is None else exact_size(timing.amount_bytes)
    return f"{ends} per repeat"


def load_label(workload: Workload) -> str:
    """The requested load per queue: ``depth 8``, or ``20k/s`` with constant arrivals and depth if not the defaults."""
    if workload.rate_per_s is None:
        return f"depth {workload.queue_depth}"
    evenly = f" {workload.arrivals}" if workload.arrivals is Arrivals.CONSTANT else ""
    depth = "" if workload.queue_depth == OPEN_LOOP_DEPTH else f", depth ≤ {workload.operations_in_flight}"
    return f"{format_rate(workload.rate_per_s)}/s{evenly}{depth}"


def latency_words(cells: Iterable[CellEstimate]) -> str:
    """The kind of latency in a chart of these cells, as the beginning of a sentence."""
    kinds = {cell.latency_kind for cell in cells}
    if kinds == {LatencyKind.RESPONSE}:
        return "Response time"
    if LatencyKind.RESPONSE in kinds:
        return "Latency (response time in cells with an arrival rate, otherwise service time)"
    return "Latency"
