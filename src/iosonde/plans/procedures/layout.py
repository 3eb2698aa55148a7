"""Whether a procedure reads blocks of a new file that were never written, and what writes them first."""

from collections.abc import Mapping, Sequence

from iosonde.plans.preconditioning import Preconditioning, TargetInfo, preparation_steps
from iosonde.records import Access, CellPlan, Procedure, Step


def layout_steps(
    procedures: Sequence[Procedure], cells: Mapping[str, CellPlan], target: TargetInfo
) -> tuple[Step, ...]:
    """One write of every block, for files of which a procedure may read blocks that it has not written.

    Reads of blocks that were never written do not reach the drive. Each procedure is looked at alone: when a run is
    resumed, its file may be new, and procedures before the next one have written another.
    """
    if not target.is_file or not any(_reads_first(each, cells, target.span_bytes) for each in procedures):
        return ()
    return preparation_steps(target, Preconditioning())


def _reads_first(procedure: Procedure, cells: Mapping[str, CellPlan], span_bytes: int) -> bool:
    written: list[tuple[int, int]] = []
    for cell in (cells[name] for name in procedure.every_cell):
        start, end = _region(cell, span_bytes)
        if cell.workload.reads and not any(first <= start and end <= last for first, last in written):
            return True
        if _writes_all(cell, end - start):
            written.append((start, end))
    return False


def _region(cell: CellPlan, span_bytes: int) -> tuple[int, int]:
    start = cell.workload.offset_bytes
    return start, span_bytes if cell.workload.span_bytes is None else start + cell.workload.span_bytes


def _writes_all(cell: CellPlan, region_bytes: int) -> bool:
    """Whether a cell certainly writes every block of its region: in order, until its amount is transferred."""
    asked, timing = cell.workload, cell.timing
    in_order = asked.pattern is Access.SEQUENTIAL and asked.write_percent == 100  # noqa: PLR2004 - percent
    return in_order and timing.amount_bytes is not None and timing.amount_bytes >= region_bytes and not timing.limit_ns
