"""The state that a target was in while it was measured, as far as one can know it from outside.

A drive that was written for long enough collects garbage as fast as it is written: that state lasts, and is the one
that data sheets of drives for servers are about. Before it, a drive is quicker, for seconds or for hours. Rounds tell
which it is: the repeats of a cell that writes, in the order in which they were measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np

from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.series import SNIA, Steadiness, SteadyRule, fio_deviation, fio_slope, judge_steadiness
from iosonde.analysis.series.steady import WindowFigures, window_figures
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Outcome, RunRecord
from iosonde.units import SECOND_NS

RULES: tuple[SteadyRule, ...] = (SNIA, fio_deviation(5, 0.05), fio_slope(5, 0.02))
"""Every criterion that a reader may know, each over five rounds and no two of them the same."""

EQUAL_SHARE: Final = 0.02
"""Rounds whose lengths differ by no more are equally long: what a clock and the last operation make of one length."""


class Rounds(StrEnum):
    """What the repeats of a cell are, as rounds that a criterion is applied to.

    ``consecutive``: equally long, one right after the other, with nothing else in between: rounds as the SNIA, TKperf
    and fio mean them. ``interleaved``: equally long, with other cells between them. ``unequal``: of different lengths,
    one right after the other. ``interleaved_unequal``: neither. Of all but the first a criterion is arithmetic alone.
    """

    CONSECUTIVE = "consecutive"
    INTERLEAVED = "interleaved"
    UNEQUAL = "unequal"
    INTERLEAVED_UNEQUAL = "interleaved_unequal"


class TargetState(StrEnum):
    """What is known of the state of a target that was measured.

    ``read_only``: no cell wrote, so it kept the state in which it began. ``transition``: the target changed
    while it was measured. ``steady``: every cell that writes was steady for five consecutive rounds of equal length.
    ``within_bounds``: five repeats of every cell that writes lie within the same bounds, but are no such rounds.
    ``unproven``: it was written, and there are too few repeats to tell. ``unknown``: nothing was measured.
    """

    READ_ONLY = "read_only"
    TRANSITION = "transition"
    STEADY = "steady"
    WITHIN_BOUNDS = "within_bounds"
    UNPROVEN = "unproven"
    UNKNOWN = "unknown"


class Beginning(StrEnum):
    """What is known of a target before the first cell.

    ``filled``: this run wrote every block of the span first. ``found``: what it holds is older than the run, and so is
    its state. Fresh is never seen: new files and simulated drives are filled before they are measured, and of a device
    nobody knows.
    """

    FILLED = "filled"
    FOUND = "found"


@dataclass(frozen=True)
class RunState:
    """How the target began, its state while it was measured, and the cells that show that.

    They are the cells that changed, else those with too few rounds. ``began`` is None where nothing is behind the
    target, and where the run ended before its fill did. ``rounds`` is what the repeats were that the state was judged
    by, None where nothing was judged by rounds.
    """

    began: Beginning | None
    state: TargetState
    cells: tuple[str, ...] = ()
    rounds: Rounds | None = None


def rounds_of(records: Sequence[CellRecord]) -> Rounds:
    """What the finished repeats of a cell are, taken as rounds."""
    finished = sorted(_finished(records), key=lambda each: each.order)
    lengths = [each.measured_ns for each in finished]
    equal = max(lengths, default=0) <= min(lengths, default=0) * (1 + EQUAL_SHARE)
    consecutive = all(behind.order == before.order + 1 for before, behind in pairwise(finished))
    if consecutive:
        return Rounds.CONSECUTIVE if equal else Rounds.UNEQUAL
    return Rounds.INTERLEAVED if equal else Rounds.INTERLEAVED_UNEQUAL


def _finished(records: Sequence[CellRecord]) -> list[CellRecord]:
    return [each for each in records if each.outcome is Outcome.FINISHED]


def steadiness_of(records: Sequence[CellRecord], rule: SteadyRule = SNIA) -> Steadiness | None:
    """Whether a cell became steady, its finished repeats taken as rounds; throughput and mean latency are tracked.

    None without a repeat that completed something.
    """
    variables = _tracked(records)
    return judge_steadiness(variables, rule) if variables else None


def last_window(records: Sequence[CellRecord], rule: SteadyRule = SNIA) -> dict[str, WindowFigures]:
    """The figures of the last window of each tracked variable; empty where there are fewer rounds than a window has."""
    return {
        name: window_figures(np.asarray(values[-rule.window :], dtype=np.float64))
        for name, values in _tracked(records).items()
        if len(values) >= rule.window
    }


def _tracked(records: Sequence[CellRecord]) -> dict[str, list[float]]:
    """Throughput and mean latency of each finished repeat that completed something, in the order of measurement."""
    rounds = sorted(_finished(records), key=lambda each: each.order)
    found = [(total_of(each.operations, each.workload.subject), each.measured_ns) for each in rounds]
    known = [(totals, time_ns) for totals, time_ns in found if totals is not None and time_ns]
    if not known:
        return {}
    return {
        "throughput": [totals.count * SECOND_NS / time_ns for totals, time_ns in known],
        "mean latency": [totals.latency_ns_sum / totals.count for totals, _ in known],
    }


def target_state(analysis: RunAnalysis) -> RunState:
    """What the targets' records and the repeats of all cells say of the target together."""
    state, cells, rounds = _state_meanwhile(analysis)
    return RunState(_beginning(analysis.run), state, cells, rounds)


def _beginning(run: RunRecord) -> Beginning | None:
    targets = run.header.targets
    if all(each.kind == "null" for each in targets):
        return None
    if any(each.written != "filled" for each in targets):
        return Beginning.FOUND
    return Beginning.FILLED if run.is_prepared else None


def _state_meanwhile(analysis: RunAnalysis) -> tuple[TargetState, tuple[str, ...], Rounds | None]:
    run, records = analysis.run, analysis.estimates.records
    repeats = {cell.cell: records[cell.cell] for cell in run.header.plan.cells if cell.cell in records}
    judged = {cell: found for cell, each in repeats.items() if (found := steadiness_of(each)) is not None}
    if not judged:
        return TargetState.UNKNOWN, (), None
    changed = tuple(cell for cell in judged if sort_repeats(repeats[cell]).early)
    if changed:
        return TargetState.TRANSITION, changed, None
    writing = {cell: found for cell, found in judged.items() if repeats[cell][0].workload.changes}
    if not writing:
        return TargetState.READ_ONLY, (), None
    rounds = _together([rounds_of(repeats[cell]) for cell in writing])
    left = tuple(cell for cell, found in writing.items() if found.left is not None)
    if left:
        return TargetState.TRANSITION, left, rounds
    unproven = tuple(cell for cell, found in writing.items() if not found.holds)
    if unproven:
        return TargetState.UNPROVEN, unproven, rounds
    return TargetState.STEADY if rounds is Rounds.CONSECUTIVE else TargetState.WITHIN_BOUNDS, (), rounds


def _together(found: Sequence[Rounds]) -> Rounds:
    """What the repeats of several cells are: what holds of one of them is said of all."""
    unequal = any(each in {Rounds.UNEQUAL, Rounds.INTERLEAVED_UNEQUAL} for each in found)
    # Rounds of several cells are consecutive for none but the last: another cell came behind.
    interleaved = len(found) > 1 or any(each in {Rounds.INTERLEAVED, Rounds.INTERLEAVED_UNEQUAL} for each in found)
    if interleaved:
        return Rounds.INTERLEAVED_UNEQUAL if unequal else Rounds.INTERLEAVED
    return Rounds.UNEQUAL if unequal else Rounds.CONSECUTIVE
