"""The conditions of a source of expected values, and in which of them a cell of a run differs."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from iosonde.analysis.results import MeasuredConditions, WrittenState
from iosonde.plans.file_values import Depth, Jobs, Percent, Sizes, Span
from iosonde.records import Workload
from iosonde.records.pattern import BlockSizes, Pattern
from iosonde.units import format_size
from iosonde.vocabulary import Sync

SPAN_NEAR: Final = 0.1
"""Test regions that differ by at most this share are the same condition."""


STATES: Final = {
    WrittenState.FRESH: "a fresh drive",
    WrittenState.PRECONDITIONED: "a drive written once",
    WrittenState.STEADY: "a drive in steady state",
}


class ConditionsTable(BaseModel):
    """The conditions under which a value was measured or is specified. Omitted ones are not stated by the source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pattern: Pattern | None = Field(default=None, description="Access pattern.")
    read: Percent | None = Field(default=None, description="Percentage of reads.")
    block_size: Sizes | None = Field(default=None, description="Block size.")
    queue_depth: Depth | None = Field(default=None, description="Queue depth per job.")
    jobs: Jobs | None = Field(default=None, description="Number of jobs.")
    sync: Sync | None = Field(default=None, description="Sync method for writes.")
    span: Span | None = Field(default=None, description="Size of the test region.")
    state: WrittenState | None = Field(
        default=None, description="State of the drive: fresh, preconditioned (written once) or steady."
    )
    other: str = Field(
        default="", description="Conditions that iosonde cannot compare: power mode, host, link, write cache, tool."
    )

    @classmethod
    def merged(cls, *tables: "ConditionsTable | None") -> "ConditionsTable":
        """All conditions of the tables; a later table replaces those of an earlier one."""
        return cls.model_construct(
            None, **{name: getattr(each, name) for each in tables if each for name in each.model_fields_set}
        )


def differences(asked: ConditionsTable, workload: Workload | None, here: MeasuredConditions) -> tuple[str, ...]:
    """Where a cell differs from the conditions: ``queue depth 32 x 4 jobs, here 8 x 1 job``. Unknown is not equal."""
    if workload is None:
        return ("the workload of this cell is unknown",) if asked.model_fields_set else ()
    found = [
        _load(asked, workload),
        _unlike("block size", size_name(asked.block_size), workload.size_text if asked.block_size else None),
        _unlike("pattern", None if asked.pattern is None else str(asked.pattern), str(workload.pattern)),
        _unlike("reads", _percent(asked.read), f"{workload.read_percent} %"),
        _unlike("sync", asked.sync and str(asked.sync), str(workload.sync)),
        _span(asked.span, workload.span_bytes or here.span_bytes),
        _state(asked.state, here.state),
    ]
    return tuple(each for each in found if each)


def _unlike(name: str, theirs: str | None, ours: str | None) -> str:
    return f"{name} {theirs}, here {ours}" if theirs and theirs != ours else ""


def size_name(sizes: int | BlockSizes | None) -> str | None:
    """A block size, or a distribution of block sizes; None if it is not stated."""
    return format_size(sizes) if isinstance(sizes, int) else None if sizes is None else str(sizes)


def _percent(read: int | None) -> str | None:
    return None if read is None else f"{read} %"


def _load(asked: ConditionsTable, workload: Workload) -> str:
    """The difference in queue depth and jobs, which together give the load."""
    depth, jobs = asked.queue_depth or workload.queue_depth, asked.jobs or workload.jobs
    if (depth, jobs) == (workload.queue_depth, workload.jobs):
        return ""
    return f"queue depth {_load_text(depth, jobs)}, here {_load_text(workload.queue_depth, workload.jobs)}"


def _load_text(depth: int, jobs: int) -> str:
    return f"{depth} x {jobs} {'job' if jobs == 1 else 'jobs'}"


def _span(theirs: int | None, ours: int | None) -> str:
    if theirs is None or (ours is not None and abs(ours / theirs - 1) <= SPAN_NEAR):
        return ""
    return f"test region {format_size(theirs)}, here {'unknown' if ours is None else format_size(ours)}"


def _state(theirs: WrittenState | None, ours: WrittenState | None) -> str:
    if theirs is None or theirs is ours:
        return ""
    if ours is WrittenState.PRECONDITIONED:
        return f"{STATES[theirs]}, here every block was written at least once"
    return f"{STATES[theirs]}, here {'the write history is unknown' if ours is None else STATES[ours]}"
