"""The preconditioning writes in words: what was written, and what that assumed of the drive."""

from collections.abc import Sequence
from typing import Final

from iosonde.charts.quantities import NO_VALUE
from iosonde.records import CellRecord, FastRandom, Operation, PurgeRecord, RunRecord, Workload
from iosonde.records.plan import WriteStep
from iosonde.units import SECOND_NS, format_bandwidth, format_duration, format_size

EMPTY: Final = "an empty drive"
"""A drive that is not empty collects garbage during all of the modelled writes, and may need more of them."""


def writes_text(workload: Workload) -> str:
    """The kind of writes: ``sequential 1 MiB writes``; for modelled ones, with the assumptions about the drive."""
    pattern = workload.pattern
    word = pattern.word if isinstance(pattern, FastRandom) else str(pattern)
    writes = f"{word} {format_size(workload.block_size_bytes)} writes"
    if workload.span_bytes is not None:
        writes = f"{writes} of the first {format_size(workload.span_bytes)}"
    return f"{writes} ({assumption_of(workload)})" if isinstance(pattern, FastRandom) else writes


def assumption_of(workload: Workload) -> str:
    """What writes assume of the drive; empty if nothing."""
    pattern = workload.pattern
    return f"assumes {pattern.assumed} and {EMPTY}" if isinstance(pattern, FastRandom) else ""


def assumptions_of(steps: Sequence[WriteStep]) -> str:
    """What the preconditioning of a run assumes of the drive; empty if nothing."""
    return "; ".join(filter(None, (assumption_of(step.cell.workload) for step in steps)))


def purged_text(record: PurgeRecord) -> str:
    """How a device was purged, and what was read of it; of a member of an array also how that was created again."""
    read = sum(each.read_back.places for each in record.devices if each.read_back is not None)
    took = format_duration(record.purge.duration_ns)
    told = f"by {record.purge.method} in {took}, {record.started_at}; none of {read:,} places holds old data"
    if record.array is None:
        return told
    again = f"{record.array.path} was created again as {record.array.array.level}"
    synchronised = f"and synchronised in {format_duration(record.array.synchronised_ns)}"
    return f"{record.devices[0].path} {told}; {again} {synchronised}"


def written_text(preparation: Sequence[CellRecord]) -> str:
    """The preconditioning writes, step by step; a dash if there were none."""
    return "; ".join(map(_written, preparation)) or NO_VALUE


def _written(fill: CellRecord) -> str:
    totals = fill.operations.get(Operation.WRITE)
    if totals is None or not fill.measured_ns:
        return NO_VALUE
    rate = totals.bytes * SECOND_NS / fill.measured_ns
    together = "" if fill.workload.targets == 1 else f", {fill.workload.targets} targets combined"
    amount = f"{format_size(totals.bytes)} in {format_duration(fill.measured_ns)}"
    before = fill.timing.done_bytes
    resumed = f", after {format_size(before)} before an interruption" if before else ""
    return f"{writes_text(fill.workload)}, {amount} ({format_bandwidth(rate)}{together}){resumed}"


def prepared_sentence(run: RunRecord) -> str:
    """How a run that only prepares left its target; empty for a run that measures."""
    if run.header.plan.cells:
        return ""
    purged = [f"purged {purged_text(each)}" for each in run.header.purges]
    written = [f"preconditioned with {_written(each)}" for each in run.preparation if each.operations]
    left = [] if run.is_prepared else ["the preconditioning is not complete"]
    sentence = "; ".join([*purged, *written, *left])
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""
