"""The names of cells: the same workload has the same name in every run, and no other workload has it.

Seeds follow from names, and expectations hold them: what had a name of its own keeps it.
"""

from iosonde.plans.limits import OPEN_LOOP_DEPTH
from iosonde.records import Arrivals, Data, Sync, Timing, Workload
from iosonde.records.workload import ALL_READS
from iosonde.units import exact_duration, exact_size, format_rate


def cell_name(workload: Workload) -> str:
    """The name of a workload, the same in every run: ``random-read-4KiB-qd8``, ``random-mix70-4KiB-qd16-jobs2``.

    That of an open loop has its rate instead of the depth, unless that differs from the usual one, and the arrivals
    unless they are Poisson's: ``random-read-4KiB-rate20k``, ``random-read-4KiB-rate20k-constant-qd1``.
    """
    shape = f"{_pattern_name(workload.pattern)}-{_kind_name(workload)}-{_size_name(workload)}"
    parts = [shape, *_loop_name(workload)]
    if workload.burst_operations is not None and workload.think_ns is not None:
        parts.append(f"burst{workload.burst_operations}-think{_joined(exact_duration(workload.think_ns))}")
    if workload.jobs > 1:
        parts.append(f"jobs{workload.jobs}")
    if workload.targets > 1:
        parts.append(f"targets{workload.targets}")
    parts.extend(_sync_name(workload))
    parts.extend(_data_name(workload))
    if workload.span_bytes is not None:
        parts.append(f"span{_joined(exact_size(workload.span_bytes))}")
    if workload.offset_bytes:
        parts.append(f"from{_joined(exact_size(workload.offset_bytes))}")
    return "-".join(parts)


def _kind_name(workload: Workload) -> str:
    read, trim = workload.read_percent, workload.trim_percent
    # More than all of them are no workload, and a plan of it is refused: with its own name.
    if workload.only_operation is not None and read + trim <= ALL_READS:
        return workload.only_operation.value
    return f"mix{read}-trim{trim}" if trim else f"mix{read}"


def _pattern_name(pattern: object) -> str:
    """``zipf1.1``, ``hot80in20+20in80``, ``strided64KiB``."""
    word, _, rest = str(pattern).partition(":")
    return f"{word}{rest}".replace("/", "in").replace(",", "+").replace(":", "-")


def _size_name(workload: Workload) -> str:
    """``4KiB``, ``4KiBx70+64KiBx30``."""
    return _joined(workload.size_text).replace(":", "x").replace(",", "+")


def _sync_name(workload: Workload) -> list[str]:
    often = "" if workload.flush_every == 1 else str(workload.flush_every)
    if workload.sync is not Sync.NONE:
        return [f"{workload.sync}{often}"]
    # Nothing is flushed, and a plan of it is refused: with its own name.
    return [f"flush{often}"] if often else []


def _data_name(workload: Workload) -> list[str]:
    asked = {
        str(workload.data): workload.data is not Data.RANDOM,
        f"compressible{workload.compressible_percent}": workload.compressible_percent,
        f"duplicates{workload.duplicates_percent}": workload.duplicates_percent,
        "verify": workload.verify,
    }
    return [part for part, is_asked in asked.items() if is_asked]


def _joined(text: str) -> str:
    return text.replace(" ", "")


def _loop_name(workload: Workload) -> list[str]:
    depth = f"qd{workload.queue_depth}"
    if workload.rate_per_s is None:
        return [depth]
    parts = [f"rate{format_rate(workload.rate_per_s)}"]
    if workload.arrivals is Arrivals.CONSTANT:
        parts.append(str(workload.arrivals))
    return parts if workload.queue_depth == OPEN_LOOP_DEPTH else [*parts, depth]


def timing_name(timing: Timing, *, with_warmup: bool) -> str:
    """How long a cell lasts, where that tells it from another one: ``5.0s``, ``64GiB``, ``5.0s-warmup1.0s``."""
    if timing.amount_bytes is not None:
        return _joined(exact_size(timing.amount_bytes))
    long = _joined(exact_duration(timing.measure_ns))
    return f"{long}-warmup{_joined(exact_duration(timing.warmup_ns))}" if with_warmup else long
