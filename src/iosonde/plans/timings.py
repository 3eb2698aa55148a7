"""The timing of cells: how long they run, and the length of their intervals."""

from typing import Final

from iosonde.records import Timing
from iosonde.units import SECOND_NS

# Ten intervals show a drift within a cell. Below 0.1 s an interval has few operations; above 1 s there are few of them.
INTERVALS: Final = 10
INTERVAL_NS_MIN: Final = SECOND_NS // 10
INTERVAL_NS_MAX: Final = SECOND_NS


# A cell with an amount may take days. At SLOW_BYTES_PER_S, the rate of a slow hard disk, it has AMOUNT_INTERVALS
# intervals. They must be short, because the cell fails 95 s after the last one (SILENCE_S_MAX in sources/engine).
SLOW_BYTES_PER_S: Final = 10**8
AMOUNT_INTERVALS: Final = 10_000
AMOUNT_INTERVAL_NS_MIN: Final = SECOND_NS // 50
AMOUNT_INTERVAL_NS_MAX: Final = 20 * SECOND_NS
SUSTAINED_INTERVALS: Final = 3_000
SUSTAINED_INTERVAL_NS_MAX: Final = 10 * SECOND_NS


def timing_of(warmup_ns: int, measure_ns: int) -> Timing:
    """A timed cell, with an interval length that suits its duration."""
    interval_ns = min(max(measure_ns // INTERVALS, INTERVAL_NS_MIN), INTERVAL_NS_MAX)
    return Timing(warmup_ns=warmup_ns, measure_ns=measure_ns, interval_ns=interval_ns)


def amount_timing(amount_bytes: int, slow_bytes_per_s: int = SLOW_BYTES_PER_S) -> Timing:
    """A cell that ends after this many bytes on each target. It has ``AMOUNT_INTERVALS`` at ``slow_bytes_per_s``."""
    even_ns = amount_bytes * SECOND_NS // slow_bytes_per_s // AMOUNT_INTERVALS
    interval_ns = min(max(even_ns, AMOUNT_INTERVAL_NS_MIN), AMOUNT_INTERVAL_NS_MAX)
    return Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=interval_ns, amount_bytes=amount_bytes)


def long_timing(measure_ns: int) -> Timing:
    """A sustained cell: without a warm-up, and with intervals so short that a change falls between two of them."""
    interval_ns = min(max(measure_ns // SUSTAINED_INTERVALS, AMOUNT_INTERVAL_NS_MIN), SUSTAINED_INTERVAL_NS_MAX)
    return Timing(warmup_ns=0, measure_ns=measure_ns, interval_ns=interval_ns)
