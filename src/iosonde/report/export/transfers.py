"""Preconditioning writes and sustained workloads in the JSON document."""

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde.analysis.burst_causes import DropCause, LimitUnit, cause_of, limit_unit
from iosonde.analysis.bursts import Burst, Range
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.plateaus import Plateau
from iosonde.analysis.sustained import Recovery


@dataclass(frozen=True)
class ExportedTransfer:
    """A preconditioning write or a stretch of a sustained cell, with its plateaus over the bytes transferred.

    ``idle_ns`` is the idle time before it.
    """

    cell: str
    repeat: int
    idle_ns: int
    bytes: int
    time_ns: int
    bytes_per_s: float
    plateaus: tuple[Plateau, ...]


@dataclass(frozen=True)
class ExportedBurst:
    """The bursts of a sustained workload: the cells of its stretches, what caused its drops, and what the limit counts.

    ``bursts`` has an entry for each stretch, None without a burst. ``bucket_ios`` is None unless the bucket was full
    before a stretch; ``least_ios`` is then a lower limit of its size. They are in operations of the workload's size.
    """

    cells: tuple[str, ...]
    cause: DropCause | None
    limit_unit: LimitUnit
    bursts: tuple[Burst | None, ...]
    recoveries: tuple[Recovery, ...]
    bucket_ios: Range | None
    least_ios: Range | None


def exported_transfers(estimates: RunEstimates) -> Iterator[ExportedTransfer]:
    """Each preconditioning write, and each stretch of a sustained cell, in run order."""
    stretches = [stretch for each in estimates.sustained for stretch in each.stretches]
    fills = [each for each in estimates.fills if each.is_finished]
    for each in (*fills, *sorted(stretches, key=lambda stretch: stretch.record.order)):
        yield ExportedTransfer(
            cell=each.cell,
            repeat=each.record.repeat,
            idle_ns=each.idle_ns,
            bytes=each.transfer.bytes,
            time_ns=each.transfer.time_ns,
            bytes_per_s=each.transfer.mean_bytes_per_s,
            plateaus=each.transfer.plateaus,
        )


def exported_bursts(estimates: RunEstimates) -> Iterator[ExportedBurst]:
    """The bursts of each sustained workload."""
    found = estimates.sustained
    for each in found:
        cause = cause_of(each, found)
        yield ExportedBurst(
            cells=tuple(stretch.cell for stretch in each.stretches),
            cause=cause,
            limit_unit=limit_unit(each, found),
            bursts=each.bursts,
            recoveries=each.recoveries,
            bucket_ios=each.bucket_ios if cause is DropCause.CREDITS else None,
            least_ios=each.least_ios if cause is DropCause.CREDITS else None,
        )
