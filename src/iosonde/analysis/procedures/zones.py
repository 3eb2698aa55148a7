"""Zones: the figures of a workload that is measured at several offsets of the target."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from iosonde.analysis.procedures.reported import ReportedCell
from iosonde.records import Workload
from iosonde.vocabulary import Access, Quantity


@dataclass(frozen=True)
class ZoneFigures:
    """A quantity over the zones of a workload: minimum, mean and maximum, and the values of the first and last zone.

    ``measured`` of the ``zones`` have a value; the minimum, mean and maximum are over these.
    """

    measured: int
    zones: int
    first: float | None
    last: float | None
    lowest: float
    mean: float
    highest: float


@dataclass(frozen=True)
class ZonedWorkload:
    """One workload measured in several zones, in order of offset."""

    cells: tuple[ReportedCell, ...]

    @property
    def workload(self) -> Workload:
        """The workload in its first zone."""
        return self.cells[0].workload

    def figures(self, quantity: Quantity) -> ZoneFigures | None:
        """The figures of a quantity; None if no zone has a value."""
        values = [each.of(quantity) for each in self.cells]
        found = [each for each in values if each is not None]
        if not found:
            return None
        return ZoneFigures(len(found), len(values), values[0], values[-1], min(found), fmean(found), max(found))


def zoned_workloads(cells: Sequence[ReportedCell]) -> tuple[ZonedWorkload, ...]:
    """The workloads that were measured in several zones, in run order."""
    found: dict[Workload, list[ReportedCell]] = {}
    for each in cells:
        found.setdefault(each.workload.model_copy(update={"offset_bytes": 0, "span_bytes": None}), []).append(each)
    return tuple(
        ZonedWorkload(tuple(sorted(each, key=lambda cell: cell.workload.offset_bytes)))
        for each in found.values()
        if len({cell.workload.offset_bytes for cell in each}) > 1
    )


def zoned_quantity(workloads: Sequence[ZonedWorkload]) -> Quantity:
    """The quantity to report for zones: bandwidth for sequential access, otherwise IOPS."""
    is_sequential = all(each.workload.pattern is Access.SEQUENTIAL for each in workloads)
    return Quantity.BYTES_PER_S if is_sequential else Quantity.IOPS
