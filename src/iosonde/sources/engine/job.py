"""A cell in the fields of the protocol, which docs/protocol.md describes."""

from dataclasses import asdict
from typing import Any

from iosonde.records import (
    Access,
    CellPlan,
    CellTurn,
    FastRandom,
    HotSpots,
    Pareto,
    Permutation,
    Runs,
    Strided,
    Workload,
    Zipf,
)
from iosonde.records.pattern import Shaped
from iosonde.sources.source import IoPath
from iosonde.vocabulary import OnError


def job_of(cell: CellPlan, turn: CellTurn, way: IoPath, span_bytes: int) -> dict[str, Any]:
    """The job of a cell on the plan's test region. Options that a workload does not use are omitted."""
    workload = cell.workload
    return {
        "engine": way.engine.value,
        "poll": way.poll.value,
        "pattern": pattern_of(workload.pattern),
        "read_percent": workload.read_percent,
        "block_size_bytes": workload.block_size_bytes,
        "queue_depth": workload.queue_depth,
        "jobs": workload.jobs,
        "targets": workload.targets,
        "data": workload.data.value,
        "sync": workload.sync.value,
        "seed": turn.seed,
        "span_bytes": span_bytes - workload.offset_bytes if workload.span_bytes is None else workload.span_bytes,
        "warmup_ns": cell.timing.warmup_ns,
        "measure_ns": cell.timing.measure_ns,
        "interval_ns": cell.timing.interval_ns,
        "amount_bytes": cell.timing.amount_bytes,
        **({} if cell.timing.limit_ns is None else {"limit_ns": cell.timing.limit_ns}),
        **({} if cell.timing.decide_ns is None else {"decide_ns": cell.timing.decide_ns}),
        **({"done_bytes": cell.timing.done_bytes} if cell.timing.done_bytes else {}),
        **_extras(workload),
        **({"failed_max": 0} if way.on_error is OnError.STOP else {}),
    }


def pattern_of(pattern: Access | Shaped) -> str | dict[str, Any]:
    """A pattern: its name, or an object with its name and parameters."""
    match pattern:
        case HotSpots(zones, scattered):
            shares = [{"accesses_permille": accesses, "space_permille": space} for accesses, space in zones]
            return {"hot_spots": {"zones": shares, "scattered": scattered}}
        case Zipf() | Pareto() | Strided() | Runs() | FastRandom():
            # Their fields have the names of the protocol.
            return {pattern.word.replace("-", "_"): asdict(pattern)}
        case Permutation() | Access():
            return str(pattern)


def _extras(workload: Workload) -> dict[str, Any]:
    extras: dict[str, Any] = _extras_of_data(workload)
    if workload.rate_per_s is not None and workload.arrivals is not None:
        extras["pace"] = {"rate_per_s": workload.rate_per_s, "arrivals": workload.arrivals.value}
    if workload.trim_percent:
        extras["trim_percent"] = workload.trim_percent
    if workload.block_sizes is not None:
        shares = workload.block_sizes.shares
        extras["block_sizes"] = [{"size_bytes": size, "weight": weight} for size, weight in shares]
    if workload.flush_every > 1:
        extras["flush_every"] = workload.flush_every
    if workload.offset_bytes:
        extras["offset_bytes"] = workload.offset_bytes
    if workload.burst_operations is not None:
        extras["burst"] = {"operations": workload.burst_operations, "think_ns": workload.think_ns}
    if workload.on_ns is not None:
        extras["duty"] = {"on_ns": workload.on_ns, "off_ns": workload.off_ns}
    if workload.write_cache is not None:
        extras["write_cache"] = workload.write_cache.value
    return extras


def _extras_of_data(workload: Workload) -> dict[str, Any]:
    extras: dict[str, Any] = {}
    if workload.compressible_percent:
        extras["compressible_percent"] = workload.compressible_percent
    if workload.duplicates_percent:
        extras["duplicates_percent"] = workload.duplicates_percent
    if workload.verify:
        extras["verify"] = True
    return extras
