"""The preconditioning that is left of an interrupted run, from the place where it was interrupted."""

from typing import Final

from iosonde.records import CellRecord, Identity, Operation, Outcome, RunRecord, Step
from iosonde.records.plan import WriteStep
from iosonde.vocabulary import EngineChoice

REWIND_BYTES: Final = 512 << 20
"""The last bytes of an interrupted write that are written again on each target.

A drive may lose the contents of its volatile cache with its power, and an operation in flight may be older than those
that completed after it.
"""


def holds_what_was_written(run: RunRecord) -> bool:
    """Whether the last preconditioning write finished on the targets of the last session."""
    return run.prepared == _identities(run)


def steps_left(run: RunRecord, *, is_new: bool) -> tuple[Step, ...]:
    """The preconditioning steps that are left, the first write among them from where it was interrupted.

    All steps are left if the targets are new, or are not those that were written.
    """
    steps, writes = run.header.plan.preparation, run.header.plan.writes_first
    if not writes:
        # All measurements came after the last step.
        return () if run.cells else steps
    if is_new:
        return steps
    kept = {each.order: each for each in run.preparation if run.written.get(each.order) == _identities(run)}
    finished = {order for order, record in kept.items() if record.outcome is Outcome.FINISHED}
    first = next((step for step in writes if step.order not in finished), None)
    if first is None:
        return () if run.cells else tuple(step for step in steps if step.order > writes[-1].order)
    done_bytes = _done_bytes(run, kept[first.order]) if first.order in kept else 0
    # What comes before the first write that is left is repeated with it: idle time.
    before = max((step.order for step in writes if step.order < first.order), default=None)
    rest = tuple(step for step in steps if before is None or step.order > before)
    return tuple(_from(step, done_bytes) if step.order == first.order else step for step in rest)


def done_bytes_of(steps: tuple[Step, ...]) -> int:
    """The bytes of the first write among some steps that earlier sessions have written on each target."""
    return next((step.cell.timing.done_bytes for step in steps if isinstance(step, WriteStep)), 0)


def _from(step: Step, done_bytes: int) -> Step:
    if not isinstance(step, WriteStep) or not done_bytes:
        return step
    timing = step.cell.timing.model_copy(update={"done_bytes": done_bytes})
    return step.model_copy(update={"cell": step.cell.model_copy(update={"timing": timing})})


def _done_bytes(run: RunRecord, record: CellRecord) -> int:
    """The bytes of an interrupted write that are certainly on each target; 0 if it has to be repeated."""
    is_certain = run.header.target.direct and record.outcome is Outcome.CUT and not record.workload.verify
    if not is_certain or run.header.engine_asked == EngineChoice.FIO:
        return 0
    if record.workload.targets == 1:
        parts = [record.operations[Operation.WRITE].bytes] if Operation.WRITE in record.operations else []
    else:
        # The record of a killed process has only the sum.
        parts = [each.operations[Operation.WRITE].bytes for each in record.targets if each.operations]
    if len(parts) != record.workload.targets:
        return 0
    block_bytes = record.workload.block_size_bytes
    done_bytes = record.timing.done_bytes + min(parts) - REWIND_BYTES
    return max(done_bytes, 0) // block_bytes * block_bytes


def _identities(run: RunRecord) -> tuple[Identity | None, ...]:
    return tuple(target.identity for target in run.targets)
