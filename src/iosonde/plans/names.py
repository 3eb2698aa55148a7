"""The names of cells: each workload has one name, which is the same in every run.

Seeds derive from names, and expectations files contain them. An existing name must never change.
"""

from collections.abc import Iterator
from typing import Any, Final

from iosonde.records import Arrivals, Sync, Timing, Workload
from iosonde.records.workload import ALL_READS
from iosonde.units import exact_duration, exact_size, format_rate
from iosonde.workload_keys import WORKLOAD_KEYS, Key
from iosonde.workload_keys.bounds import OPEN_LOOP_DEPTH
from iosonde.workload_keys.keys import JOBS, OFFSET, SPAN, TARGETS

# Names are older than the descriptions of keys, so this order is fixed.
_BEFORE_SYNC: Final = (JOBS, TARGETS)
_LAST: Final = (SPAN, OFFSET)
_AFTER_SYNC: Final = tuple(key for key in WORKLOAD_KEYS if key.in_name and key not in {*_BEFORE_SYNC, *_LAST})


def cell_name(workload: Workload) -> str:
    """The name of a workload, the same in every run: ``random-read-4KiB-qd8``, ``random-mix70-4KiB-qd16-jobs2``.

    The name of an open loop has the rate. It has the depth and the arrivals only if they differ from the default:
    ``random-read-4KiB-rate20k``, ``random-read-4KiB-rate20k-constant-qd1``.
    """
    shape = f"{_pattern_name(workload.pattern)}-{_kind_name(workload)}-{_size_name(workload)}"
    parts = [shape, *_loop_name(workload)]
    if workload.burst_operations is not None and workload.think_ns is not None:
        parts.append(f"burst{workload.burst_operations}-think{_joined(exact_duration(workload.think_ns))}")
    parts.extend(_plain_name(workload, *_BEFORE_SYNC))
    parts.extend(_sync_name(workload))
    parts.extend(_plain_name(workload, *_AFTER_SYNC))
    if workload.on_ns is not None and workload.off_ns is not None:
        parts.append(f"on{_short(workload.on_ns)}-off{_short(workload.off_ns)}")
    parts.extend(_plain_name(workload, *_LAST))
    return "-".join(parts)


def _kind_name(workload: Workload) -> str:
    read, trim = workload.read_percent, workload.trim_percent
    # Shares above 100 % are refused later, but the cell needs a name for the error message.
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
    # This combination is refused later, but the cell needs a name for the error message.
    return [f"flush{often}"] if often else []


def _plain_name(workload: Workload, *keys: Key[Any]) -> Iterator[str]:
    """A part for each of these keys whose value is not the default."""
    for key in keys:
        value = getattr(workload, key.field)
        if value != Workload.model_fields[key.field].default:
            yield key.in_name.format(_joined(key.kind.shown(value)))


def _short(duration_ns: int) -> str:
    """``5s``, ``1250ms``, ``5min``."""
    return _joined(exact_duration(duration_ns)).replace(".0s", "s")


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
    """The part of a name that distinguishes timings: ``5.0s``, ``64GiB``, ``5.0s-warmup1.0s``, ``60s-idle5min``."""
    idle = f"-idle{_joined(exact_duration(timing.idle_ns))}" if timing.idle_ns else ""
    if timing.amount_bytes is not None:
        limit = f"-limit{_joined(exact_duration(timing.limit_ns))}" if timing.limit_ns else ""
        return f"{_joined(exact_size(timing.amount_bytes))}{limit}{idle}"
    long = f"{_joined(exact_duration(timing.measure_ns))}{idle}"
    return f"{long}-warmup{_joined(exact_duration(timing.warmup_ns))}" if with_warmup else long
