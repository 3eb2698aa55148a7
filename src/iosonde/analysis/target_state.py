"""The state of the target during the run, as far as it is visible from outside.

After enough writes, a drive collects garbage as fast as it is written. That state lasts, and data sheets of enterprise
drives describe it. Before it, a drive is faster, for seconds or for hours. The rounds show the state: the repeats of a
cell that writes, in run order.
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
"""The criteria that readers may know, each over five rounds and without duplicates."""

EQUAL_SHARE: Final = 0.02
"""Rounds whose lengths differ by no more than this share are equally long. The clock and the last operation cause such
differences."""


class Rounds(StrEnum):
    """How the repeats of a cell compare with the rounds that a steady-state criterion requires.

    ``consecutive``: of equal length, one directly after the other: rounds as defined by the SNIA, TKperf and fio.
    ``interleaved``: of equal length, with other cells in between. ``unequal``: of different lengths, one directly after
    the other. ``interleaved_unequal``: of different lengths, with other cells in between. In all cases but the first,
    the criterion applies as arithmetic only.
    """

    CONSECUTIVE = "consecutive"
    INTERLEAVED = "interleaved"
    UNEQUAL = "unequal"
    INTERLEAVED_UNEQUAL = "interleaved_unequal"


class TargetState(StrEnum):
    """The state of the target during the run.

    ``read_only``: no cell wrote, so the target kept its initial state. ``transition``: the target changed during the
    run. ``steady``: every cell that writes was steady for five consecutive rounds of equal length. ``within_bounds``:
    five repeats of every cell that writes are within the same bounds, but they are not such rounds. ``unproven``: some
    cells that write do not meet the bounds. ``too_few_repeats``: some cells that write have fewer than five repeats,
    and the others meet the bounds. ``unknown``: nothing was measured.
    """

    READ_ONLY = "read_only"
    TRANSITION = "transition"
    STEADY = "steady"
    WITHIN_BOUNDS = "within_bounds"
    UNPROVEN = "unproven"
    TOO_FEW_REPEATS = "too_few_repeats"
    UNKNOWN = "unknown"


class Beginning(StrEnum):
    """The initial state of a target.

    ``filled``: this run preconditioned every block of the test region. ``found``: its content and its state are older
    than the run. ``purged``: this run purged it, or it is a simulated drive, and nothing was written to it.
    """

    FILLED = "filled"
    PURGED = "purged"
    FOUND = "found"


@dataclass(frozen=True)
class RunState:
    """The initial state of the target, its state during the run, and the cells that show it.

    ``cells`` are the cells that changed, else those with too few rounds. ``began`` is None for the null target, and if
    the run ended before its preconditioning did. ``rounds`` describes the repeats that the state is based on, None if
    it is not based on rounds.
    """

    began: Beginning | None
    state: TargetState
    cells: tuple[str, ...] = ()
    rounds: Rounds | None = None


def rounds_of(records: Sequence[CellRecord]) -> Rounds:
    """How the finished repeats of a cell compare with rounds."""
    finished = sorted(_finished(records), key=lambda each: each.order)
    lengths = [each.measured_ns for each in finished]
    equal = max(lengths, default=0) <= min(lengths, default=0) * (1 + EQUAL_SHARE)
    consecutive = all(after.order == before.order + 1 for before, after in pairwise(finished))
    if consecutive:
        return Rounds.CONSECUTIVE if equal else Rounds.UNEQUAL
    return Rounds.INTERLEAVED if equal else Rounds.INTERLEAVED_UNEQUAL


def _finished(records: Sequence[CellRecord]) -> list[CellRecord]:
    return [each for each in records if each.outcome is Outcome.FINISHED]


def steadiness_of(records: Sequence[CellRecord], rule: SteadyRule = SNIA) -> Steadiness | None:
    """Whether a cell reached steady state, with its finished repeats as rounds.

    The tracking variables are throughput and mean latency. None without a repeat with completions.
    """
    variables = tracked(records)
    return judge_steadiness(variables, rule) if variables else None


def last_window(records: Sequence[CellRecord], rule: SteadyRule = SNIA) -> dict[str, WindowFigures]:
    """The figures of the last window of each tracking variable; empty with fewer rounds than a window has."""
    return {
        name: window_figures(np.asarray(values[-rule.window :], dtype=np.float64))
        for name, values in tracked(records).items()
        if len(values) >= rule.window
    }


def tracked(records: Sequence[CellRecord]) -> dict[str, list[float]]:
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
    """The state of the target, from the records of the targets and the repeats of all cells."""
    state, cells, rounds = _state_during_run(analysis)
    return RunState(_beginning(analysis.run), state, cells, rounds)


def _beginning(run: RunRecord) -> Beginning | None:
    targets = run.header.targets
    if all(each.kind == "null" for each in targets):
        return None
    if all(each.written == "purged" for each in targets):
        return Beginning.PURGED
    if any(each.written != "filled" for each in targets):
        return Beginning.FOUND
    return Beginning.FILLED if run.is_prepared else None


def _state_during_run(analysis: RunAnalysis) -> tuple[TargetState, tuple[str, ...], Rounds | None]:
    run, records = analysis.run, analysis.estimates.records
    repeats = {cell.cell: records[cell.cell] for cell in run.header.plan.cells if cell.cell in records}
    judged = {cell: found for cell, each in repeats.items() if (found := steadiness_of(each)) is not None}
    if not judged:
        return TargetState.UNKNOWN, (), None
    changed = tuple(cell for cell in judged if sort_repeats(repeats[cell]).early)
    if changed:
        return TargetState.TRANSITION, changed, None
    every = {cell: found for cell, found in judged.items() if repeats[cell][0].workload.changes}
    if not every:
        return TargetState.READ_ONLY, (), None
    # A sustained transfer has plateaus and no rounds. Only if nothing else writes, the state is judged by it.
    sustained = {stretch.cell for each in analysis.estimates.sustained for stretch in each.stretches}
    writing = {cell: found for cell, found in every.items() if cell not in sustained} or every
    rounds = _together([rounds_of(repeats[cell]) for cell in writing])
    left = tuple(cell for cell, found in writing.items() if found.left is not None)
    if left:
        return TargetState.TRANSITION, left, rounds
    few = tuple(cell for cell, found in writing.items() if found.rounds < found.rule.window)
    unproven = tuple(cell for cell, found in writing.items() if not found.holds and cell not in few)
    if unproven or few:
        return (TargetState.UNPROVEN, unproven, rounds) if unproven else (TargetState.TOO_FEW_REPEATS, few, rounds)
    return TargetState.STEADY if rounds is Rounds.CONSECUTIVE else TargetState.WITHIN_BOUNDS, (), rounds


def _together(found: Sequence[Rounds]) -> Rounds:
    """How the repeats of several cells compare with rounds. A deviation of one cell applies to all."""
    unequal = any(each in {Rounds.UNEQUAL, Rounds.INTERLEAVED_UNEQUAL} for each in found)
    # With several cells, the rounds are never consecutive, because another cell follows each but the last.
    interleaved = len(found) > 1 or any(each in {Rounds.INTERLEAVED, Rounds.INTERLEAVED_UNEQUAL} for each in found)
    if interleaved:
        return Rounds.INTERLEAVED_UNEQUAL if unequal else Rounds.INTERLEAVED
    return Rounds.UNEQUAL if unequal else Rounds.CONSECUTIVE
