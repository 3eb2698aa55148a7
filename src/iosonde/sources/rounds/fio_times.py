"""Whether outputs of fio follow one another in time, as rounds do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.records import Workload
from iosonde.sources.rounds.fio_groups import length_ms
from iosonde.sources.rounds.fio_words import options_of

_SECOND_MS: Final = 1000
_OVERLAP_MS_MAX: Final = 500
"""Outputs may overlap by so much: fio rounds the length of a job, and writes its output a moment later."""


@dataclass(frozen=True)
class TimedOutput:
    """The output of a round: when it was written, and for how long its jobs ran at least.

    ``document`` counts the outputs that were read. ``end_ms`` is None if the output does not say it. ``asked`` is the
    option ``runtime``, empty without one.
    """

    path: Path
    document: int
    round: int
    end_ms: int | None
    length_ms: float
    asked: str

    @property
    def start_ms(self) -> float:
        """When its jobs began at the latest."""
        return (self.end_ms or 0) - self.length_ms


def timed(path: Path, document: int, number: int, output: Mapping[str, Any]) -> TimedOutput:
    """The times of an output."""
    asked = {str(options_of(output, job).get("runtime", "")) for job in output["jobs"]}
    return TimedOutput(
        path,
        document,
        number,
        time_ms(output) or None,
        max(map(length_ms, output["jobs"]), default=0),
        ", ".join(sorted(asked)),
    )


def time_ms(output: Mapping[str, Any]) -> int:
    """When an output was written; 0 if it is unknown."""
    return int(output.get("timestamp_ms") or _SECOND_MS * int(output.get("timestamp") or 0))


def time_doubts(outputs: Mapping[Workload, Sequence[TimedOutput]]) -> tuple[str, ...]:
    """What speaks against outputs of a workload being rounds that follow one another.

    Outputs of one time are those of several drives or hosts, or copies. Raises UsageError for what fio printed on the
    way through one run (``--status-interval``).
    """
    doubts: dict[str, None] = {}
    for every in outputs.values():
        for before, after in pairwise(sorted(every, key=lambda each: each.round)):
            if before.document == after.document:
                continue
            if _is_further(before, after):
                raise UsageError(
                    f"the outputs in {before.path} are of one run: each contains the operations of those before it",
                    "use one output for each round; those that fio prints on the way (--status-interval) are none",
                )
            doubts |= {each: None for each in (_doubt(before, after),) if each}
    return tuple(doubts)


def _is_further(before: TimedOutput, after: TimedOutput) -> bool:
    """Whether an output is of the same run as the one before it in a file, at a later time."""
    if before.path != after.path or before.end_ms is None or after.end_ms is None:
        return False
    has_same_start = abs(after.start_ms - before.start_ms) <= _SECOND_MS
    return has_same_start and after.length_ms > before.length_ms and after.end_ms > before.end_ms


def _doubt(before: TimedOutput, after: TimedOutput) -> str:
    """What speaks against one output being that of the round before another; empty if nothing does."""
    outputs = f"the outputs in {before.path}" if before.path == after.path else f"{before.path} and {after.path}"
    if before.asked != after.asked:
        return f"{outputs} have runtime={before.asked or 'none'} and runtime={after.asked or 'none'}"
    if before.end_ms is None or after.end_ms is None:
        return ""
    if after.end_ms < before.end_ms:
        return f"{outputs} are rounds {before.round} and {after.round}, but were written in the other order"
    # Times in whole seconds are less exact.
    is_rough = before.end_ms % _SECOND_MS == after.end_ms % _SECOND_MS == 0
    is_same = after.end_ms == before.end_ms or before.end_ms - after.start_ms > _OVERLAP_MS_MAX + _SECOND_MS * is_rough
    return f"{outputs} were measured at the same time, as their timestamps and lengths say" if is_same else ""
