"""What is told of the engine: what it was granted, and what it costs itself; pairs of a name and a value."""

from collections import Counter
from collections.abc import Callable, Iterable

from iosonde.analysis.clocks import furthest_drift_ppm
from iosonde.analysis.totals import merge_times
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import EngineTruth, RunRecord
from iosonde.report.display import drift_text, granularity_text, number_text, yes_text
from iosonde.units import format_size


def engine_facts(run: RunRecord) -> tuple[tuple[str, str], ...]:
    """What the engine is, what it was asked for, and what all measurements were granted."""
    hello = run.header.hello
    overhead = hello.overhead_ns_per_io
    truths = [cell.engine for cell in run.cells if cell.engine is not None]
    fio = [truth for truth in truths if truth.fio is not None]
    return (
        *((("fio", _granted(fio, fio_text)),) if fio else ()),
        ("version", f"{hello.version}, protocol {hello.protocol}, {hello.build_profile} build"),
        ("asked, used", f"{run.header.engine_asked}, {run.header.engine}"),
        ("completion asked", run.header.poll_asked),
        ("io_uring refused", hello.io_uring_refused or "no"),
        ("own cost (ns an operation, on a null ring)", number_text(overhead)),
        ("a look at the clock (ns)", number_text(hello.clock_read_ns)),
        ("clock drift, furthest", _drift(run)),
        ("reap granularity (error bar of a latency)", _reap_granularity(run)),
        *((name, _granted(truths, told)) for name, told in _GRANTED),
    )


def _drift(run: RunRecord) -> str:
    """By how much the clock was off at most, against the hardware's."""
    return drift_text(furthest_drift_ppm(run.cells)) or NO_VALUE


def _reap_granularity(run: RunRecord) -> str:
    """How much later than it came a completion may have been stamped, over all cells."""
    return granularity_text(merge_times([cell.reap_granularity for cell in run.cells])) or NO_VALUE


def fio_text(truth: EngineTruth) -> str:
    """Which fio measured, and how it reached the kernel."""
    return NO_VALUE if truth.fio is None else f"{truth.fio.version}, ioengine {truth.fio.ioengine}"


def _own(told: Callable[[EngineTruth], str]) -> Callable[[EngineTruth], str]:
    """What only iosonde's own engine tells."""
    return lambda truth: told(truth) if truth.fio is None else NO_VALUE


_GRANTED: tuple[tuple[str, Callable[[EngineTruth], str]], ...] = (
    ("workers", lambda truth: str(truth.workers)),
    ("ring flags granted", _own(lambda truth: " ".join(truth.ring_flags) or "none")),
    ("completion", lambda truth: truth.poll_mode),
    ("fixed buffers", lambda truth: yes_text(truth.fixed_buffers)),
    ("fixed file", lambda truth: yes_text(truth.fixed_file)),
    ("batch, largest", lambda truth: str(truth.batch_max)),
    ("clock", _own(lambda truth: truth.clock_source)),
    ("I/O buffers", lambda truth: NO_VALUE if truth.buffer_bytes is None else format_size(truth.buffer_bytes)),
    ("kernel threads that io_uring needed", lambda truth: number_text(truth.kernel_workers)),
    ("SQPOLL threads", lambda truth: number_text(truth.sqpoll_threads)),
    ("fall-backs", lambda truth: ", ".join(truth.fallbacks) or "none"),
)


def _granted(truths: Iterable[EngineTruth], told: Callable[[EngineTruth], str]) -> str:
    """What was granted: one value where all measurements agree, else each with its number of measurements."""
    counts = Counter(told(truth) for truth in truths)
    if not counts:
        return NO_VALUE
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({count} measurements)" for value, count in counts.most_common())
