"""Values derived from the parts of a record: sums over threads, points of a distribution."""

from collections.abc import Callable

from iosonde.analysis.latency import TimesEstimate, estimate_times
from iosonde.analysis.littles_law import littles_law
from iosonde.records import CellRecord, CpuFrequency, ThreadCpu

Value = Callable[[CellRecord], int | None]


def over_threads(value: Callable[[ThreadCpu], int]) -> Value:
    """The sum over the worker threads; None if their CPU time was not measured."""
    return lambda record: None if record.cpu is None else sum(value(thread) for thread in record.cpu.threads)


def migrations(record: CellRecord) -> int | None:
    """The number of CPU migrations of worker threads; None if the kernel does not report it."""
    threads = () if record.cpu is None else record.cpu.threads
    known = [thread.migrations for thread in threads if thread.migrations is not None]
    return sum(known) if known else None


def of_reap_granularity(value: Callable[[TimesEstimate], int | None]) -> Value:
    """A value of the reap intervals; None if there are none."""

    def found(record: CellRecord) -> int | None:
        known = estimate_times(record.reap_granularity)
        return None if known is None else value(known)

    return found


def of_frequency(value: Callable[[CpuFrequency], int]) -> Value:
    """A value of the CPU frequency; None if it is unknown."""

    def found(record: CellRecord) -> int | None:
        frequency = None if record.cpu is None else record.cpu.frequency
        return None if frequency is None else value(frequency)

    return found


def waiting_age_ns_max(record: CellRecord) -> int | None:
    """How long the oldest operation without a place in the queue had waited at the end."""
    return None if record.censored is None else record.censored.waiting_age_ns_max


def queue_depth_by_latency(record: CellRecord) -> float | None:
    """The number in flight by Little's law; None if the law is not applicable."""
    law = littles_law(record)
    return None if law is None else law.queue_depth_by_latency
