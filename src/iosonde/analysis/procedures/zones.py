"""Cells that differ in their place on the target: the figures of each workload from zone to zone."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from iosonde.analysis.procedures.reported import ReportedCell
from iosonde.records import Workload
from iosonde.vocabulary import Access, Quantity


@dataclass(frozen=True)
class ZoneFigures:
    """The lowest, mean and highest value of a quantity over the zones that have one, and those of both ends.

    ``measured`` of ``zones`` have a value.
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
    """A workload in each zone, from the start of the target to its end."""

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
    """The workloads with several zones, in the order of the round."""
    found: dict[Workload, list[ReportedCell]] = {}
    for each in cells:
        found.setdefault(each.workload.model_copy(update={"offset_bytes": 0, "span_bytes": None}), []).append(each)
    return tuple(
        ZonedWorkload(tuple(sorted(each, key=lambda cell: cell.workload.offset_bytes)))
        for each in found.values()
        if len(each) > 1
    )


def zoned_quantity(workloads: Sequence[ZonedWorkload]) -> Quantity:
    """The quantity that is reported of zones: bandwidth of sequential accesses, else IOPS."""
    is_sequential = all(each.workload.pattern is Access.SEQUENTIAL for each in workloads)
    return Quantity.BYTES_PER_S if is_sequential else Quantity.IOPS
