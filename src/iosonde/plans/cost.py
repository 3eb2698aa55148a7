"""The cost of a plan, calculated before a target is opened: time, bytes written, fills of the test region."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.plans.procedure_trials import procedure_trials
from iosonde.plans.verifying import read_back_bytes
from iosonde.records import (
    CellPlan,
    CellTurn,
    IdleStep,
    PhasePlan,
    Plan,
    Procedures,
    SteadySamples,
    SteadyState,
    Step,
    Workload,
)
from iosonde.units import GIGABYTE, SECOND_NS
from iosonde.vocabulary import EngineChoice

# The speed of a drive is unknown before the run. This is about the rate of a PCIe 3 x4 link, so the estimate of bytes
# written is high rather than low. The user can set another rate.
ASSUMED_WRITE_BYTES_PER_S: Final = 3 * GIGABYTE
# Setup, drain and recording of a cell: 7 to 15 ms on two-core machines.
CELL_OVERHEAD_NS: Final = 15_000_000
# fio starts and exits for each cell: 400 to 600 ms on the same machines.
FIO_CELL_OVERHEAD_NS: Final = 500_000_000


@dataclass(frozen=True)
class Cost:
    """The cost of a plan. Bytes are upper bounds at the assumed rate.

    With an aim, ``duration_ns`` is an upper bound too, and ``measurements`` is the minimum number of trials.
    ``read_back_bytes`` is read for verification. With an aim, it is that of the first trials, and its time is added to
    the budget. ``in_flight_bytes`` is the size of all operations in flight at the ends of trials. They complete after
    it, which ``duration_ns`` does not include.
    """

    cells: int
    measurements: int
    duration_ns: int
    fill_bytes: int
    write_bytes_max: int
    read_back_bytes: int
    assumed_bytes_per_s: int
    in_flight_bytes: int

    @property
    def total_bytes_max(self) -> int:
        """The maximum number of bytes written."""
        return self.fill_bytes + self.write_bytes_max

    def fills(self, span_bytes: int) -> float:
        """The maximum number of bytes written, in multiples of the test region."""
        return self.total_bytes_max / span_bytes


def plan_cost(
    plan: Plan,
    assumed_bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S,
    *,
    overhead_ns: int = CELL_OVERHEAD_NS,
    at_most: bool = True,
) -> Cost:
    """The cost of a plan if each target transfers ``assumed_bytes_per_s``, for any block size and queue depth.

    Targets are read back at the same rate, one after another. ``overhead_ns`` is the extra time of each cell.
    ``at_most`` False is the cost with the fewest rounds, if results decide on their number. A trial of a procedure that
    ends with an amount or once it is steady takes its time limit at most, and the first window of samples at least.
    """
    cells = {cell.cell: cell for cell in plan.cells}
    turns = _trials(plan, at_most=at_most)
    measured = [(timed(cells[turn.cell], turn), plan.phase_of(turn)) for turn in turns]
    fill_bytes = sum(_written(step.cell, assumed_bytes_per_s) for step in plan.writes_first)
    before_ns = preparation_ns(plan.preparation, assumed_bytes_per_s)
    first_ns = sum(
        _trial_ns(cell, phase, assumed_bytes_per_s, at_most=at_most) + overhead_ns for cell, phase in measured
    )
    read_back = sum(read_back_bytes(plan, cell) for cell, _ in measured)
    # Cells with an amount do not use the budget: their time is added to it.
    of_budget_ns = sum(cell_duration_ns(cell) for cell, _ in measured if cell.timing.amount_bytes is None)
    more_ns = 0 if plan.aim is None else max(plan.aim.budget_ns - of_budget_ns, 0)
    return Cost(
        cells=len(plan.cells),
        measurements=len(plan.turns),
        duration_ns=before_ns + first_ns + more_ns + read_back * SECOND_NS // assumed_bytes_per_s,
        fill_bytes=fill_bytes,
        write_bytes_max=sum(
            _trial_written(cell, phase, assumed_bytes_per_s, at_most=at_most) for cell, phase in measured
        )
        + max((_written_in(cell, more_ns, assumed_bytes_per_s) for cell in plan.cells), default=0),
        read_back_bytes=read_back,
        assumed_bytes_per_s=assumed_bytes_per_s,
        in_flight_bytes=sum(_in_flight(cell.workload) for cell, _ in measured),
    )


def _trial_ns(cell: CellPlan, phase: PhasePlan | None, bytes_per_s: int, *, at_most: bool) -> int:
    usual_ns = cell_duration_ns(cell, bytes_per_s, overhead_ns=0)
    limit_ns, window_ns = cell.timing.limit_ns, _first_window_ns(phase)
    if at_most and phase is not None and limit_ns is not None:
        return limit_ns + cell.timing.idle_ns
    return usual_ns if at_most or window_ns is None else min(usual_ns, window_ns + cell.timing.idle_ns)


def _trial_written(cell: CellPlan, phase: PhasePlan | None, bytes_per_s: int, *, at_most: bool) -> int:
    usual, window_ns = _written(cell, bytes_per_s), _first_window_ns(phase)
    return usual if at_most or window_ns is None else min(usual, _written_until(cell, window_ns, bytes_per_s))


def _first_window_ns(phase: PhasePlan | None) -> int | None:
    """The earliest time at which a trial can end because its samples are steady; None if it cannot."""
    stop = None if phase is None else phase.stop
    return stop.window * stop.block_ns if isinstance(stop, SteadySamples) else None


def trials_at_most(plan: Plan) -> tuple[CellTurn, ...]:
    """The trials of a plan, and the maximum number of further ones if the stop rule limits their number."""
    return _trials(plan, at_most=True)


def _trials(plan: Plan, *, at_most: bool) -> tuple[CellTurn, ...]:
    if isinstance(plan.stop, Procedures):
        return procedure_trials(plan.stop, at_most=at_most)
    if not isinstance(plan.stop, SteadyState):
        return plan.turns
    last = plan.stop.rounds_max if at_most else plan.stop.window
    return (*plan.turns, *((last - (plan.last_round[0].round or 1)) * plan.last_round))


def preparation_ns(steps: Sequence[Step], bytes_per_s: int) -> int:
    """The duration of preconditioning steps at the assumed rate."""
    return sum(
        step.duration_ns if isinstance(step, IdleStep) else cell_duration_ns(step.cell, bytes_per_s, overhead_ns=0)
        for step in steps
    )


def timed(cell: CellPlan, turn: CellTurn) -> CellPlan:
    """The cell with the timing of one trial."""
    return cell if turn.timing is None else cell.model_copy(update={"timing": turn.timing})


def cell_overhead_ns(engine: EngineChoice | str) -> int:
    """The extra time of a cell, by the requested engine."""
    return FIO_CELL_OVERHEAD_NS if engine == EngineChoice.FIO else CELL_OVERHEAD_NS


def cell_duration_ns(
    cell: CellPlan, bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S, *, overhead_ns: int = CELL_OVERHEAD_NS
) -> int:
    """The time from a cell's start to the start of the next; for a cell with an amount, at the assumed rate."""
    overhead_ns += cell.timing.idle_ns
    if cell.timing.left_bytes is not None:
        busy_ns = cell.timing.left_bytes * SECOND_NS // _taken_per_s(cell, bytes_per_s)
        needed_ns = cell.workload.time_to_submit_ns(busy_ns)
        return (needed_ns if cell.timing.limit_ns is None else min(needed_ns, cell.timing.limit_ns)) + overhead_ns
    return cell.timing.lasts_ns + overhead_ns


def turn_duration_ns(
    plan: Plan, cell: CellPlan, bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S, *, overhead_ns: int = CELL_OVERHEAD_NS
) -> int:
    """The time of a cell including the read-back for verification, at the assumed rate."""
    back_ns = read_back_bytes(plan, cell) * SECOND_NS // bytes_per_s
    return cell_duration_ns(cell, bytes_per_s, overhead_ns=overhead_ns) + back_ns


def _written(cell: CellPlan, bytes_per_s: int) -> int:
    if cell.timing.left_bytes is not None:
        whole = cell.timing.left_bytes * cell.workload.targets * cell.workload.write_percent // 100
        limit_ns = cell.timing.limit_ns
        return whole if limit_ns is None else min(whole, _written_until(cell, limit_ns, bytes_per_s))
    return _written_until(cell, cell.timing.lasts_ns, bytes_per_s)


def _written_until(cell: CellPlan, time_ns: int, bytes_per_s: int) -> int:
    """Bytes written in this time, and those of the operations in flight at its end, which still complete."""
    return _written_in(cell, time_ns, bytes_per_s) + _in_flight(cell.workload) * cell.workload.write_percent // 100


def _in_flight(workload: Workload) -> int:
    """The bytes of the operations in flight on all targets."""
    return int(workload.operations_in_flight * workload.bytes_per_operation)


def _written_in(cell: CellPlan, time_ns: int, bytes_per_s: int) -> int:
    return (
        cell.workload.targets
        * cell.workload.submitting_ns(time_ns)
        * _taken_per_s(cell, bytes_per_s)
        // SECOND_NS
        * cell.workload.write_percent
        // 100
    )


def _taken_per_s(cell: CellPlan, bytes_per_s: int) -> int:
    """Bytes that a target transfers per second: in an open loop at most the offered load."""
    if cell.workload.rate_per_s is None:
        return bytes_per_s
    return min(int(cell.workload.rate_per_s * cell.workload.bytes_per_operation), bytes_per_s)
