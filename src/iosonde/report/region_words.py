"""Sweeps over the size and the offset of the test region in words."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.families import Along
from iosonde.analysis.regions import RegionSweep, is_aligned, region_sweeps
from iosonde.charts.quantities import depth_label, more_in_table, operations_label
from iosonde.charts.ratio_texts import times_with_interval
from iosonde.report.growth_table import region_text
from iosonde.units import format_size

TOLD_MAX: Final = 4
"""The most sweeps with a sentence. The table has all of them."""


def region_sentences(cells: Sequence[CellEstimate]) -> list[str]:
    """Where throughput falls as the test region grows, and whether misaligned offsets are slower."""
    found = region_sweeps(cells)
    rest = more_in_table(len(found) - TOLD_MAX, "sweep", "sweeps")
    return [*(_sentence(each) for each in found[:TOLD_MAX]), *rest]


def _sentence(sweep: RegionSweep) -> str:
    first = sweep.cells[0]
    hidden = {"span_bytes": None} if sweep.along is Along.SPAN else {"offset_bytes": 0}
    label = operations_label(first.workload.model_copy(update=hidden))
    name = f"{label} at {depth_label(first.queue_depth_asked, None)}"
    return f"{name}: {_of_span(sweep) if sweep.along is Along.SPAN else _of_offset(sweep)}."


def _of_span(sweep: RegionSweep) -> str:
    last = sweep.cells[-1].workload
    if not sweep.is_known:
        return "test regions are not compared, because fewer than two have confidence intervals"
    if sweep.cell is None or sweep.below is None or sweep.basis is None or sweep.ratio is None:
        return f"throughput does not fall significantly up to the largest test region ({region_text(last)})"
    return (
        f"throughput falls between test regions of {region_text(sweep.below.workload)} and "
        f"{region_text(sweep.cell.workload)}, to {times_with_interval(sweep.ratio)} that of "
        f"{region_text(sweep.basis.workload)}; a cache of a size between the two would explain it"
    )


def _of_offset(sweep: RegionSweep) -> str:
    if not sweep.is_known:
        has_both = len({is_aligned(cell.workload) for cell in sweep.cells}) > 1
        why = "confidence intervals are missing" if has_both else "all of them are aligned, or none is"
        return f"offsets are not compared, because {why}"
    unit = "offsets that are not multiples of the block size and of 4 KiB"
    if sweep.cell is None or sweep.basis is None or sweep.ratio is None:
        return f"no significant difference from {unit} was found"
    return (
        f"{unit} are slower; throughput at offset {format_size(sweep.cell.workload.offset_bytes)} is "
        f"{times_with_interval(sweep.ratio)} that at {format_size(sweep.basis.workload.offset_bytes)}"
    )
