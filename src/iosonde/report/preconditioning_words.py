"""The preconditioning writes in words: what was written, and what that assumed of the drive."""

from collections.abc import Sequence
from typing import Final

from iosonde.records import FastRandom, Workload
from iosonde.records.plan import WriteStep
from iosonde.units import format_size

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
