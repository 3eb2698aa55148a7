"""The state that a target was in while it was measured, as far as one can know it from outside.

A drive that was written for long enough collects garbage as fast as it is written: that state lasts, and is the one
that data sheets of drives for servers are about. Before it, a drive is quicker, for seconds or for hours. Rounds tell
which it is: the repeats of a cell that writes, in the order in which they were measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.series import SNIA, TKPERF, Steadiness, SteadyRule, fio_deviation, fio_slope, judge_steadiness
from iosonde.analysis.states import sort_repeats
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Outcome, RunRecord
from iosonde.units import SECOND_NS

RULES: tuple[SteadyRule, ...] = (SNIA, TKPERF, fio_deviation(5, 0.05), fio_slope(5, 0.02))
"""Every criterion that a reader may know, by its name, each over five rounds."""


class TargetState(StrEnum):
    """What is known of the state of a target that was measured.

    ``read_only``: no cell wrote, so it kept the state in which it began. ``transition``: the target changed
    while it was measured. ``steady``: every cell that writes was steady for five rounds. ``unproven``: it was written,
    and there are too few rounds to tell. ``unknown``: nothing was measured.
    """

    READ_ONLY = "read_only"
    TRANSITION = "transition"
    STEADY = "steady"
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
    target, and where the run ended before its fill did.
    """

    began: Beginning | None
    state: TargetState
    cells: tuple[str, ...] = ()


def steadiness_of(records: Sequence[CellRecord], rule: SteadyRule = SNIA) -> Steadiness | None:
    """Whether a cell became steady, its finished repeats taken as rounds; throughput and mean latency are tracked.

    None without a repeat that completed something.
    """
    rounds = sorted((each for each in records if each.outcome is Outcome.FINISHED), key=lambda each: each.order)
    found = [(total_of(each.operations, each.workload.subject), each.measured_ns) for each in rounds]
    known = [(totals, time_ns) for totals, time_ns in found if totals is not None and time_ns]
    if not known:
        return None
    variables = {
        "throughput": [totals.count * SECOND_NS / time_ns for totals, time_ns in known],
        "mean latency": [totals.latency_ns_sum / totals.count for totals, _ in known],
    }
    return judge_steadiness(variables, rule)


def target_state(run: RunRecord) -> RunState:
    """What the targets' records and the repeats of all cells say of the target together."""
    state, cells = _state_meanwhile(run)
    return RunState(_beginning(run), state, cells)


def _beginning(run: RunRecord) -> Beginning | None:
    targets = run.header.targets
    if all(each.kind == "null" for each in targets):
        return None
    if any(each.written != "filled" for each in targets):
        return Beginning.FOUND
    return Beginning.FILLED if run.fill is not None and run.fill.outcome is Outcome.FINISHED else None


def _state_meanwhile(run: RunRecord) -> tuple[TargetState, tuple[str, ...]]:
    records = estimate_run(run).records
    repeats = {cell.cell: records[cell.cell] for cell in run.header.plan.cells if cell.cell in records}
    judged = {cell: found for cell, each in repeats.items() if (found := steadiness_of(each)) is not None}
    if not judged:
        return TargetState.UNKNOWN, ()
    changed = tuple(cell for cell in judged if sort_repeats(repeats[cell]).early)
    if changed:
        return TargetState.TRANSITION, changed
    writing = {cell: found for cell, found in judged.items() if repeats[cell][0].workload.changes}
    if not writing:
        return TargetState.READ_ONLY, ()
    left = tuple(cell for cell, found in writing.items() if found.left is not None)
    if left:
        return TargetState.TRANSITION, left
    unproven = tuple(cell for cell, found in writing.items() if not found.holds)
    return TargetState.UNPROVEN if unproven else TargetState.STEADY, unproven
