"""Facts about the engine, as pairs of a name and a value: what it requested, what it was granted, its own cost."""

from collections import Counter
from collections.abc import Callable, Iterable

from iosonde.analysis.clocks import largest_drift_ppm
from iosonde.analysis.totals import merge_times
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.case import count_of
from iosonde.records import EngineFacts, EngineHello, FioFacts, ImportFacts, RunRecord, SourceFacts
from iosonde.report.display import drift_text, granularity_text, number_text, yes_text
from iosonde.units import format_size

VALUES_MAX = 4
"""A fact that differs between measurements shows so many of its values."""


def engine_facts(run: RunRecord, hello: EngineHello) -> tuple[tuple[str, str], ...]:
    """The engine of a host: its version, the requested settings, and those that the measurements were granted."""
    overhead = hello.overhead_ns_per_io
    facts = [cell.engine for cell in run.cells if cell.engine is not None]
    fio = [fio_text(each) for each in facts if isinstance(each, FioFacts)]
    imported = [import_text(each) for each in facts if isinstance(each, ImportFacts)]
    return (
        *((("fio", _agreed(fio)),) if fio else ()),
        *((("imported from", _agreed(imported)),) if imported else ()),
        ("version", f"{hello.version}, protocol {hello.protocol}, {hello.build_profile} build"),
        ("engine requested, used", f"{run.header.engine_asked}, {run.header.engine}"),
        ("completion mode requested", run.header.poll_asked),
        ("io_uring", f"unavailable: {hello.io_uring_refused}" if hello.io_uring_refused else "available"),
        ("engine overhead (ns per operation, no-op I/O)", number_text(overhead)),
        ("cost of reading the clock (ns)", number_text(hello.clock_read_ns)),
        ("largest clock drift", _drift(run)),
        ("reap interval (limits latency resolution)", _reap_granularity(run)),
        *((name, _agreed(map(told, facts))) for name, told in _GRANTED),
    )


def _drift(run: RunRecord) -> str:
    """The largest drift of the clock against the hardware's."""
    return drift_text(largest_drift_ppm(run.cells)) or NO_VALUE


def _reap_granularity(run: RunRecord) -> str:
    """The reap interval over all cells: a completion's timestamp may be late by this much."""
    return granularity_text(merge_times([cell.reap_granularity for cell in run.cells])) or NO_VALUE


def fio_text(fio: FioFacts) -> str:
    """The version of fio and its ioengine."""
    return f"{fio.version}, ioengine {fio.ioengine}"


def import_text(imported: ImportFacts) -> str:
    """The tool that measured an imported result, and its version."""
    return f"{imported.engine} {imported.version or '(unknown version)'}"


def _fallbacks(facts: SourceFacts) -> str:
    """The fallbacks of the engine with their reasons; a dash if they are unknown."""
    return NO_VALUE if facts.fallbacks is None else ", ".join(facts.fallbacks) or "none"


def _own(told: Callable[[EngineFacts], str]) -> Callable[[SourceFacts], str]:
    """A fact that only iosonde's own engine reports; a dash for other sources."""
    return lambda facts: told(facts) if isinstance(facts, EngineFacts) else NO_VALUE


def _started(told: Callable[[EngineFacts | FioFacts], str]) -> Callable[[SourceFacts], str]:
    """A fact that every engine started by iosonde reports; a dash for imported results."""
    return lambda facts: NO_VALUE if isinstance(facts, ImportFacts) else told(facts)


_GRANTED: tuple[tuple[str, Callable[[SourceFacts], str]], ...] = (
    ("workers", _started(lambda facts: str(facts.workers))),
    ("ring flags granted", _own(lambda facts: " ".join(facts.ring_flags) or "none")),
    ("completion mode", _started(lambda facts: facts.poll_mode)),
    ("fixed buffers", _own(lambda facts: yes_text(facts.fixed_buffers))),
    ("fixed file", _own(lambda facts: yes_text(facts.fixed_file))),
    ("largest batch", _own(lambda facts: str(facts.batch_max))),
    ("clock", _own(lambda facts: facts.clock_source)),
    ("I/O buffers", _own(lambda facts: NO_VALUE if facts.buffer_bytes is None else format_size(facts.buffer_bytes))),
    ("io-wq workers", _own(lambda facts: number_text(facts.kernel_workers))),
    ("SQPOLL threads", _own(lambda facts: number_text(facts.sqpoll_threads))),
    ("fallbacks", _fallbacks),
)


def _agreed(values: Iterable[str]) -> str:
    """The value if all measurements agree, else the most frequent ones with their numbers of measurements."""
    counts = Counter(values)
    if not counts:
        return NO_VALUE
    if len(counts) == 1:
        return next(iter(counts))
    shown = [f"{value} ({count_of(count, 'measurement')})" for value, count in counts.most_common(VALUES_MAX)]
    more = len(counts) - VALUES_MAX
    return "; ".join([*shown, f"{count_of(more, 'other value')}"] if more > 0 else shown)
