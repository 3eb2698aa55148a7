"""Values of a measurement that its record holds in parts: sums over threads, points of a distribution."""

from collections.abc import Callable

from iosonde.analysis.latency import TimesEstimate, estimate_times
from iosonde.analysis.littles_law import littles_law
from iosonde.records import CellRecord, ThreadCpu

Value = Callable[[CellRecord], int | None]


def over_threads(value: Callable[[ThreadCpu], int]) -> Value:
    """The sum over the worker threads; None where nobody measured their CPU time."""
    return lambda record: None if record.cpu is None else sum(value(thread) for thread in record.cpu.threads)


def migrations(record: CellRecord) -> int | None:
    """How often worker threads were moved to another CPU; None where the kernel does not say."""
    threads = () if record.cpu is None else record.cpu.threads
    known = [thread.migrations for thread in threads if thread.migrations is not None]
    return sum(known) if known else None


def of_reap_granularity(value: Callable[[TimesEstimate], int | None]) -> Value:
    """A value of the times between two looks; None where there are none."""

    def found(record: CellRecord) -> int | None:
        known = estimate_times(record.reap_granularity)
        return None if known is None else value(known)

    return found


def waiting_age_ns_max(record: CellRecord) -> int | None:
    """How long the oldest operation had been wanted at the end that found no place in the queue."""
    return None if record.censored is None else record.censored.waiting_age_ns_max


def queue_depth_by_latency(record: CellRecord) -> float | None:
    """The number in flight by Little's law; None where the law can't be asked."""
    law = littles_law(record)
    return None if law is None else law.queue_depth_by_latency
