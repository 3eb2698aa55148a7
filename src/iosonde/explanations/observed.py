"""What the rules of explanations look at: the valid cells of a run, and comparisons between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Contrast, Multiple, Property, contrasts_of
from iosonde.analysis.families import Along, Family, families_of
from iosonde.analysis.sustained import Sustained, valid_sustained
from iosonde.charts.quantities import cell_depth_label, operations_label
from iosonde.charts.ratio_texts import ratio_text, times_text, times_with_interval
from iosonde.findings.case import Case
from iosonde.findings.finding import Finding, invalid_by
from iosonde.records import CellRecord, DeviceFacts, Workload

NOTABLE: Final = 1.25
"""A mechanism is named only if it changes a figure by more than this factor, with the whole interval. Smaller
differences have too many causes: the host, placement on the media, temperature."""

ROTATING: Final = "disk"
"""The kind of model of a hard disk."""


@dataclass(frozen=True)
class Observed:
    """A run, and its cells with results that no finding makes invalid. Open loops are left out."""

    case: Case
    findings: tuple[Finding, ...]

    @cached_property
    def cells(self) -> tuple[CellEstimate, ...]:
        """The cells, in the plan's order."""
        return tuple(
            cell
            for cell in self.case.estimates.without_sustained.cells
            if not cell.workload.is_open_loop
            and cell.subject is not None
            and cell.subject.iops.mean > 0
            and not invalid_by(self.findings, cell.cell)
        )

    @cached_property
    def sustained(self) -> tuple[Sustained, ...]:
        """The sustained transfers, each up to its first invalid stretch."""
        found = self.case.estimates.sustained
        cells = {stretch.cell for each in found for stretch in each.stretches}
        return valid_sustained(found, {cell for cell in cells if invalid_by(self.findings, cell)})

    def records(self, cell: CellEstimate) -> Sequence[CellRecord]:
        """The repeats that its results are computed from."""
        return self.case.repeats_of(cell.cell).used

    def contrasts(self, differs_in: Property) -> Sequence[Contrast]:
        """The contrasts in one property, by queue depth and block size."""
        found = [each for each in self._contrasts if each.differs_in is differs_in]
        return sorted(found, key=lambda each: (each.one.queue_depth_asked, each.one.workload.bytes_per_operation))

    def like(self, cell: CellEstimate, **changes: Any) -> CellEstimate | None:
        """The cell whose workload differs in these fields only."""
        wanted = cell.workload.model_copy(update=changes)
        return next((each for each in self.cells if each.workload == wanted), None)

    @cached_property
    def depth_sweeps(self) -> tuple[Family, ...]:
        """The cells of one workload over at least three queue depths."""
        return self._sweeps(Along.DEPTH, least=3)

    @cached_property
    def size_sweeps(self) -> tuple[Family, ...]:
        """The cells of one workload over at least two block sizes."""
        return self._sweeps(Along.BLOCK_SIZE, least=2)

    @cached_property
    def span_sweeps(self) -> tuple[tuple[CellEstimate, ...], ...]:
        """The cells of one workload over at least two sizes of the test region, which start at the same offset."""
        groups: dict[Workload, dict[int, CellEstimate]] = {}
        for cell in self.cells:
            shape = cell.workload.model_copy(update={"span_bytes": None})
            groups.setdefault(shape, {})[self.span_bytes(cell)] = cell
        return tuple(tuple(group[span] for span in sorted(group)) for group in groups.values() if len(group) > 1)

    def span_bytes(self, cell: CellEstimate) -> int:
        """The size of the test region of a cell."""
        return cell.workload.span_bytes or self.case.run.header.target.span_bytes

    @property
    def devices(self) -> Iterator[DeviceFacts]:
        """The devices of the targets, as far as they are known."""
        return (target.device for target in self.case.run.header.targets if target.device is not None)

    @property
    def virtual_machine(self) -> str:
        """The virtual machine that accessed real storage; empty for real machines and for simulated drives."""
        hosts = (each.facts.virtual_machine for each in self.case.hosts if each.has_storage)
        return next(filter(None, hosts), "")

    @property
    def is_rotational(self) -> bool:
        """Whether any target is on rotating media."""
        simulated = [target.simulation for target in self.case.run.header.targets if target.simulation is not None]
        disks = (each.table.get("kind") == ROTATING for each in simulated)
        return any(device.rotational for device in self.devices) or any(disks)

    @property
    def is_buffered(self) -> bool:
        """Whether any target was accessed through the page cache."""
        return any(target.is_storage and not target.direct for target in self.case.run.header.targets)

    @cached_property
    def _contrasts(self) -> tuple[Contrast, ...]:
        return contrasts_of(self.cells)

    def _sweeps(self, along: Along, least: int) -> tuple[Family, ...]:
        return tuple(family for family in families_of(self.cells, along) if len(family.cells) >= least)


def surely_above(multiple: Multiple, factor: float = NOTABLE) -> bool:
    """Whether a ratio exceeds a factor with its whole interval."""
    return multiple.ratio is not None and multiple.ratio.low > factor


def surely_below(multiple: Multiple, factor: float = 1 / NOTABLE) -> bool:
    """Whether a ratio is below a factor with its whole interval."""
    return multiple.ratio is not None and multiple.ratio.high < factor


def times(multiple: Multiple) -> str:
    """A ratio in words: ``3.2 times (95 % CI 3.0 to 3.4)``, or ``more than 3.0 times`` if the interval is wide."""
    if multiple.ratio is None:
        return times_text(multiple)
    if multiple.is_wide:
        low, high = ratio_text(multiple.ratio.low), ratio_text(multiple.ratio.high)
        return f"more than {low} times" if multiple.ratio.low > 1 else f"less than {high} times"
    return times_with_interval(multiple.ratio)


def named(cell: CellEstimate) -> str:
    """A workload in words: ``4 KiB random reads at depth 1``."""
    return f"{operations_label(cell.workload)} at {cell_depth_label(cell)}"


def is_of_host(finding: str) -> bool:
    """Whether a finding says that the host, and not the target, may limit throughput."""
    return finding in {"host-limited", "depth-not-reached", "steal"}
