"""Details of a cell: slowest operations, operations in flight, faults, CPU, and the engine's settings."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from iosonde.analysis.clocks import drift_ppm
from iosonde.analysis.device_counts import WITNESSED, Witnessed, witnessed
from iosonde.analysis.littles_law import littles_law
from iosonde.analysis.regimes import STALL_NS_MIN, regimes_of, stalls_of
from iosonde.analysis.tail_causes import causes_of
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings import describe_regimes
from iosonde.printing import printable
from iosonde.records import CellRecord, EngineFacts, FioFacts, ImportFacts, RunRecord, SlowIo
from iosonde.report.display import drift_text, granularity_text
from iosonde.report.engine_facts import fio_text, import_text
from iosonde.report.states import discarded_text, steady_text
from iosonde.report.terminal.cell_choice import ChosenCell
from iosonde.report.terminal.cpu_facts import (
    cpu_text,
    frequency_text,
    pins_text,
    power_text,
    steal_text,
    switches_text,
)
from iosonde.report.terminal.table_width import Fitted, FittedTable
from iosonde.report.verification import verification_lines
from iosonde.units import SECOND_NS, format_bandwidth, format_duration, format_iops, format_latency, format_size

SLOWEST_MAX: Final = 10


def slowest_table(records: Sequence[CellRecord]) -> RenderableType | None:
    """The slowest operations of the shown repeats; None if none was recorded."""
    kept = [
        (record, each, cause)
        for record in records
        for each, cause in zip(record.slowest, causes_of(record), strict=True)
    ]
    if not kept:
        return None
    shown = sorted(kept, key=lambda found: -found[1].latency_ns)[:SLOWEST_MAX]
    columns = [
        Fitted("Latency", [format_latency(each.latency_ns) for _, each, _ in shown], number=True),
        Fitted("Operation", [str(each.operation) for _, each, _ in shown], worth=5),
        Fitted("Repeat", [str(record.repeat) for record, _, _ in shown], worth=4, number=True),
        Fitted("Ended at", [_since_start(record, each) for record, each, _ in shown], worth=3, number=True),
        Fitted("Offset in bytes", [f"{each.offset_bytes:,}" for _, each, _ in shown], worth=2, number=True),
        Fitted("Length", [format_size(each.length_bytes) for _, each, _ in shown], worth=1, number=True),
    ]
    if any(each.host is not None for _, each, _ in shown):
        columns.append(Fitted("Cause", [str(cause) for _, _, cause in shown], worth=3.2))
    if any(record.workload.targets > 1 for record, _, _ in shown):
        columns.append(Fitted("Target", [str(each.target + 1) for _, each, _ in shown], worth=3.5, number=True))
    return FittedTable(tuple(columns))


def _since_start(record: CellRecord, each: SlowIo) -> str:
    """The time of completion, from the start of the measurement time."""
    if record.clock_start is None or each.reap_ns < record.clock_start.engine_ns:
        return NO_VALUE
    return f"{(each.reap_ns - record.clock_start.engine_ns) / SECOND_NS:.3f} s"


def facts_table(run: RunRecord, chosen: ChosenCell) -> RenderableType:
    """A row for each kind of fact, with one value if all repeats agree."""
    facts = (
        *((("phase", _each(chosen.records, _phase)),) if any(each.phase for each in chosen.records) else ()),
        ("IOPS × latency (Little's law)", _each(chosen.records, _law)),
        ("in flight at the device", _each(chosen.records, _at_device)),
        ("kernel counters", _each(chosen.records, _kernel_counts)),
        ("in flight at the end", _each(chosen.records, _censored)),
        *((("waiting at the end", _each(chosen.records, _waiting)),) if chosen.plan.workload.is_open_loop else ()),
        *((("read back", _each(chosen.records, _read_back)),) if chosen.plan.workload.verify else ()),
        ("throughput regimes", _each(chosen.records, _levels)),
        ("stalls", _each(chosen.records, _stalls)),
        ("steady state", steady_text(chosen.records)),
        ("discarded repeats", discarded_text(chosen.repeats)),
        ("faults", _faults(chosen.records)),
        ("CPU, workers", _each(chosen.records, cpu_text)),
        ("CPU frequency", _each(chosen.records, frequency_text)),
        *((("power", _each(chosen.records, power_text)),) if any(each.power for each in chosen.records) else ()),
        ("hypervisor steal time", _each(chosen.records, steal_text)),
        ("context switches", _each(chosen.records, switches_text)),
        ("pinned to CPU", _each(chosen.records, pins_text)),
        ("reap interval", _each(chosen.records, _reaps)),
        ("longest poll", _each(chosen.records, _sweep)),
        ("intervals merged", _each(chosen.records, lambda record: str(record.intervals_merged))),
        ("engine", _each(chosen.records, _engine)),
        ("clock drift", _each(chosen.records, lambda record: drift_text(drift_ppm(record)) or "unknown")),
        ("I/O buffers", _each(chosen.records, _buffers)),
        ("ring", _each(chosen.records, _ring)),
        ("fallbacks", _each(chosen.records, _fallbacks)),
        *((("fio arguments", _each(chosen.records, _arguments)),) if _has_fio(chosen.records) else ()),
        ("engine build", f"{run.header.hello.version}, {run.header.hello.build_profile}"),
        ("other runs on the device", _each(chosen.records, _neighbours)),
        ("seeds", _each(chosen.records, lambda record: str(record.seed))),
        ("position in run order", _each(chosen.records, lambda record: str(record.order))),
    )
    return named_values(facts)


def _phase(record: CellRecord) -> str:
    return record.phase or NO_VALUE


def _law(record: CellRecord) -> str:
    law = littles_law(record)
    if law is None:
        return NO_VALUE
    return (
        f"{law.queue_depth_by_latency:.2f}, compared with {law.queue_depth_achieved:.2f} in flight "
        f"({law.residual_share:+.2%}; window edges account for {law.edge_share_low:+.2%} to {law.edge_share_high:+.2%})"
    )


def named_values(facts: Iterable[tuple[str, str]]) -> RenderableType:
    """A row for each name, with its value."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(printable(value)))
    return table


def _each(records: Sequence[CellRecord], told: Callable[[CellRecord], str]) -> str:
    """The value of all repeats if they agree, else each value with the number of its repeat."""
    values = [(record.repeat, told(record)) for record in records]
    if len({value for _, value in values}) == 1:
        return values[0][1]
    return "; ".join(f"{repeat}: {value}" for repeat, value in values) or NO_VALUE


def _levels(record: CellRecord) -> str:
    regimes = regimes_of(record)
    return describe_regimes(regimes) if len(regimes) > 1 else "one" if regimes else "unknown"


def _stalls(record: CellRecord) -> str:
    stalls = stalls_of(record)
    told = [f"{format_duration(each.end_ns - each.start_ns)} at {format_duration(each.start_ns)}" for each in stalls]
    # A stall of this length contains at least one whole interval, so it is detected.
    least_ns = max(STALL_NS_MIN, 2 * record.timing.interval_ns)
    none = f"none lasting {format_duration(least_ns)} or longer" if record.intervals else "unknown"
    return ", ".join(told) or none


def _censored(record: CellRecord) -> str:
    ended = record.censored
    if ended is None:
        return "unknown"
    if not ended.count:
        return "none"
    return (
        f"{ended.count}, in flight for {format_latency(ended.age_ns_min)} to {format_latency(ended.age_ns_max)}; "
        f"the slowest took {format_latency(ended.latency_ns_max)} to complete"
    )


def _waiting(record: CellRecord) -> str:
    """The age of the oldest arrival that an open loop never submitted."""
    age_ns = None if record.censored is None else record.censored.waiting_age_ns_max
    if age_ns is None:
        return "unknown"
    return f"oldest: {format_latency(age_ns)}" if age_ns else "none"


def _read_back(record: CellRecord) -> str:
    """The result of the verification of the targets."""
    return "; ".join(verification_lines(record.verification)) or "not done"


def _faults(records: Sequence[CellRecord]) -> str:
    counts: Counter[str] = Counter()
    for record in records:
        for fault in record.faults:
            what = f"{fault.operation} {fault.kind} {fault.errno_name}".strip()
            first = "" if fault.offset_bytes_first is None else f", first at byte {fault.offset_bytes_first:,}"
            counts[f"{what} (repeat {record.repeat}{first})"] += fault.count
    return "; ".join(f"{count} x {what}" for what, count in counts.items()) or "none"


def _reaps(record: CellRecord) -> str:
    return granularity_text(record.reap_granularity) or "unknown"


def _sweep(record: CellRecord) -> str:
    return "unknown" if record.sweep_ns_max is None else format_latency(record.sweep_ns_max)


def _at_device(record: CellRecord) -> str:
    depth = record.queue_depth_device
    return "unknown" if depth is None else f"{depth:.2f}"


def _kernel_counts(record: CellRecord) -> str:
    """The kernel's counts at the device for each class, compared with the engine's."""
    known = [witness for operation in WITNESSED if (witness := witnessed(record, operation)) is not None]
    return "; ".join(map(_beside, known)) or "unknown"


def _beside(witness: Witnessed) -> str:
    if witness.device_per_s is None:
        share = witness.device_bytes_per_s / witness.bytes_per_s - 1
        return f"{format_bandwidth(witness.device_bytes_per_s)} of {witness.operation}s ({share:+.2%})"
    rates = (
        f"{format_iops(witness.device_per_s)} {witness.operation}s/s ({witness.device_per_s / witness.per_s - 1:+.2%})"
    )
    if witness.device_ns_mean is None:
        return rates
    times = format_latency(witness.device_ns_mean), format_latency(witness.latency_ns_mean)
    return f"{rates}, mean {times[0]} (engine: {times[1]})"


def _engine(record: CellRecord) -> str:
    match record.engine:
        case EngineFacts() as own:
            return f"{own.engine}, {_workers(own.workers)}, {own.poll_mode}, clock {own.clock_source}"
        case FioFacts() as fio:
            return f"{fio_text(fio)}, {_workers(fio.workers)}, {fio.poll_mode}"
        case ImportFacts() as imported:
            return import_text(imported)
        case None:
            return "unknown"


def _workers(count: int) -> str:
    return f"{count} worker{'s' if count > 1 else ''}"


def _buffers(record: CellRecord) -> str:
    own = record.own_engine
    return "unknown" if own is None or own.buffer_bytes is None else format_size(own.buffer_bytes)


def _ring(record: CellRecord) -> str:
    own = record.own_engine
    if own is None:
        return "unknown"
    buffers = "fixed buffers" if own.fixed_buffers else "no fixed buffers"
    file = "fixed file" if own.fixed_file else "no fixed file"
    flags = " ".join(own.ring_flags) or "no ring flags"
    threads = f"{own.kernel_workers} io-wq workers{_submission_threads(own)}"
    return f"{flags}, {buffers}, {file}, batches up to {own.batch_max}, {threads}"


def _submission_threads(own: EngineFacts) -> str:
    threads = own.sqpoll_threads
    return f", {threads} SQPOLL threads ({own.sqpoll_wakeups} wake-ups)" if threads else ""


def _fallbacks(record: CellRecord) -> str:
    fallbacks = None if record.engine is None else record.engine.fallbacks
    return "unknown" if fallbacks is None else ", ".join(fallbacks) or "none"


def _has_fio(records: Iterable[CellRecord]) -> bool:
    return any(record.by_fio is not None for record in records)


def _arguments(record: CellRecord) -> str:
    """The fio arguments that repeat the measurement."""
    return "unknown" if record.by_fio is None else shlex.join(record.by_fio.arguments)


def _neighbours(record: CellRecord) -> str:
    found = [f"process {each.process} on {each.device}" for each in record.neighbours]
    return ", ".join(found) or "none detected"
