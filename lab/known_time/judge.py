"""What must hold of every latency, whatever engine took it: none of it asks what iosonde knows of itself."""

from collections.abc import Iterable, Iterator
from typing import Final

from lab.known_time.seen import Pair, Seen

# A timer of the kernel never fires early, and stamps are of its clock: this is for rounding.
EARLY_NS_MAX: Final = 1_000
# How far the shortest of a thousand reads or more may lie above fio's. iosonde stamps up to 16 submissions at once,
# which costs the last of them some 50 µs in emulation; on a host with eight times more to do than CPUs it was 120 µs.
MIN_OVER_FIO_NS_MAX: Final = 200_000
# Two turns of one tool differ by up to a sixth in these cells. With two turns each, two runs gave 0.87 to 1.02.
P50_RATIO: Final = (0.7, 1.3)
# With one turn each, on a host with eight times more to do than CPUs, three runs gave 0.77 to 1.21: of what was in its
# way, nothing is known.
P50_RATIO_ONE_TURN: Final = (0.5, 2.0)
# The kernel shows its sum in ms, cut off, at both ends.
STAT_MS: Final = 1
# A percentile of iosonde's is the middle of a bucket which is 1/128 of an octave wide.
HALF_BUCKET: Final = 1.004
PERCENTILES: Final = (0.5, 0.99)


def complaints(pairs: Iterable[Pair]) -> list[str]:
    """A line for each thing that can't be."""
    return [f"{_name(pair)}: {line}" for pair in pairs for line in _of(pair)]


def ratio_allowed(pair: Pair) -> tuple[float, float]:
    """Between what iosonde's p50 over fio's has to be."""
    return P50_RATIO if len(pair.iosonde) > 1 else P50_RATIO_ONE_TURN


def _of(pair: Pair) -> Iterator[str]:
    for seen in (*pair.iosonde, *pair.fio):
        yield from _too_short(seen)
        yield from _below_kernel(seen)
        yield from _below_trace(seen)
    over_ns = min(each.min_ns for each in pair.iosonde) - min(each.min_ns for each in pair.fio)
    if pair.cell.judged and over_ns > MIN_OVER_FIO_NS_MAX:
        yield f"iosonde's shortest is {over_ns / 1000:.1f} µs over fio's"
    low, high = ratio_allowed(pair)
    if pair.cell.judged and not low <= pair.p50_ratio <= high:
        yield f"iosonde's p50 is {pair.p50_ratio:.2f} of fio's"


def _too_short(seen: Seen) -> Iterator[str]:
    """A latency below what the device takes has a wrong stamp at one of its ends."""
    early_ns = seen.cell.device.set_ns - seen.min_ns
    if early_ns > EARLY_NS_MAX:
        yield f"{seen.tool}'s shortest is {early_ns / 1000:.1f} µs below the time that the device was set to"


def _below_kernel(seen: Seen) -> Iterator[str]:
    """Every read begins before its request and ends after it, so that their sum can't be less than the kernel's.

    The kernel's is of more reads: those in flight at the end, and any that prepared the measurement.
    """
    uncounted = seen.kernel_count - seen.count
    most_ns = seen.sum_ns + uncounted * max(seen.censored_ns_max, seen.p99_ns or seen.p50_ns)
    kernel_ns = (seen.kernel_ms - STAT_MS) * 1_000_000
    if most_ns < kernel_ns:
        yield f"{seen.tool}'s latencies sum up to {most_ns / 1e6:.0f} ms at most, the kernel's to {kernel_ns / 1e6:.0f}"


def _below_trace(seen: Seen) -> Iterator[str]:
    """Each read takes at least as long as its request; so does each rank among them, from the shortest on.

    A completion that interrupts the tracer on its CPU is not traced. Had all that are missing been the shortest, a rank
    would be so many lower.
    """
    if seen.trace is None:
        return
    missing = seen.kernel_count - seen.trace.count
    for part, value_ns in zip(PERCENTILES, (seen.p50_ns, seen.p99_ns), strict=True):
        rank = round(part * seen.count) - missing
        if value_ns is None or rank < 1:
            continue
        kernel_ns = seen.trace.at_rank(rank)
        if value_ns * HALF_BUCKET < kernel_ns:
            yield f"{seen.tool}'s p{part * 100:.0f} is {value_ns / 1000:.1f} µs, the kernel's {kernel_ns / 1000:.1f}"


def _name(pair: Pair) -> str:
    cell = pair.cell
    jobs = f"{cell.jobs} jobs" if cell.jobs > 1 else "1 job"
    words = f"{cell.device.set_ns // 1000} µs, {cell.poll}, depth {cell.queue_depth}, {jobs}"
    return f"{words} ({cell.note})" if cell.note else words
