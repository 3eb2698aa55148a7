"""Preconditioning writes and sustained workloads in the JSON document."""

from collections.abc import Iterator
from dataclasses import dataclass

from iosonde.analysis.plateaus import Plateau, transfer_of
from iosonde.analysis.sustained import Burst, Cause, LimitUnit, Range, Recovery, cause_of, limit_unit, sustained_of
from iosonde.records import Experiment, Outcome, RunRecord


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
    cause: Cause | None
    limit_unit: LimitUnit
    bursts: tuple[Burst | None, ...]
    recoveries: tuple[Recovery, ...]
    bucket_ios: Range | None
    least_ios: Range | None


def exported_transfers(run: RunRecord) -> Iterator[ExportedTransfer]:
    """Each preconditioning write, and each stretch of a sustained cell."""
    for record in (*run.preparation, *run.cells):
        is_transfer = record.is_preparation or Experiment.SUSTAINED in record.experiments
        if is_transfer and record.outcome is Outcome.FINISHED:
            found = transfer_of(record)
            yield ExportedTransfer(
                cell=record.cell,
                repeat=record.repeat,
                idle_ns=record.timing.idle_ns,
                bytes=found.bytes,
                time_ns=found.time_ns,
                bytes_per_s=found.mean_bytes_per_s,
                plateaus=found.plateaus,
            )


def exported_bursts(run: RunRecord) -> Iterator[ExportedBurst]:
    """The bursts of each sustained workload."""
    found = sustained_of(run.cells)
    for each in found:
        cause = cause_of(each, found)
        yield ExportedBurst(
            cells=tuple(stretch.cell for stretch in each.stretches),
            cause=cause,
            limit_unit=limit_unit(each, found),
            bursts=each.bursts,
            recoveries=each.recoveries,
            bucket_ios=each.bucket_ios if cause is Cause.CREDITS else None,
            least_ios=each.least_ios if cause is Cause.CREDITS else None,
        )
