"""What a plan costs before anything is touched: time, bytes written, fills of the target."""

from dataclasses import dataclass
from typing import Final

from iosonde.plans.verifying import read_back_bytes
from iosonde.records import CellPlan, CellTurn, IdleStep, Plan, SteadyState
from iosonde.units import SECOND_NS
from iosonde.vocabulary import EngineChoice

# Nobody knows a drive's speed before measuring it. A PCIe 3 x4 link carries about this much, so that a plan errs on
# the side of more wear; the user can say otherwise.
ASSUMED_WRITE_BYTES_PER_S: Final = 3 * 10**9
# Setting up, draining and writing down a cell: seen on two-core machines, 7 to 15 ms.
CELL_OVERHEAD_NS: Final = 15_000_000
# fio starts and ends for each cell: seen there, 400 to 600 ms.
FIO_CELL_OVERHEAD_NS: Final = 500_000_000


@dataclass(frozen=True)
class Cost:
    """The price of a plan; bytes are upper bounds at the assumed rate.

    With an aim the time is one as well, and ``measurements`` are those that will be made at least. ``fills`` is all
    that is written, in multiples of the span. ``read_back_bytes`` is what is read to verify it; with an aim, that of
    the first measurements, whose time comes on top of the budget.
    """

    cells: int
    measurements: int
    duration_ns: int
    fill_bytes: int
    write_bytes_max: int
    read_back_bytes: int
    assumed_bytes_per_s: int

    @property
    def total_bytes_max(self) -> int:
        """All that may be written."""
        return self.fill_bytes + self.write_bytes_max

    def fills(self, span_bytes: int) -> float:
        """All that may be written, in multiples of the span."""
        return self.total_bytes_max / span_bytes


def plan_cost(
    plan: Plan, assumed_bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S, *, overhead_ns: int = CELL_OVERHEAD_NS
) -> Cost:
    """The price of a plan on targets that take ``assumed_bytes_per_s`` each, whatever the block size or depth.

    They are read back at the same rate, one after the other.

    ``overhead_ns`` is what each cell takes beside its own time.
    """
    cells = {cell.cell: cell for cell in plan.cells}
    measured = [timed(cells[turn.cell], turn) for turn in trials_at_most(plan)]
    fill_bytes = sum(_written(step.cell, assumed_bytes_per_s) for step in plan.writes_first)
    before_ns = preparation_ns(plan, assumed_bytes_per_s)
    first_ns = sum(cell_duration_ns(cell, assumed_bytes_per_s, overhead_ns=overhead_ns) for cell in measured)
    read_back = sum(read_back_bytes(plan, cell) for cell in measured)
    # What moves an amount takes nothing of a budget, and comes on top of it.
    of_budget_ns = sum(cell_duration_ns(cell) for cell in measured if cell.timing.amount_bytes is None)
    more_ns = 0 if plan.aim is None else max(plan.aim.budget_ns - of_budget_ns, 0)
    return Cost(
        cells=len(plan.cells),
        measurements=len(plan.turns),
        duration_ns=before_ns + first_ns + more_ns + read_back * SECOND_NS // assumed_bytes_per_s,
        fill_bytes=fill_bytes,
        write_bytes_max=sum(_written(cell, assumed_bytes_per_s) for cell in measured)
        + max((_written_in(cell, more_ns, assumed_bytes_per_s) for cell in plan.cells), default=0),
        read_back_bytes=read_back,
        assumed_bytes_per_s=assumed_bytes_per_s,
    )


def trials_at_most(plan: Plan) -> tuple[CellTurn, ...]:
    """The trials of a plan, and those that may follow where the rule by which it ends says how many these are."""
    if not isinstance(plan.stop, SteadyState):
        return plan.turns
    rounds = plan.stop.rounds_max - (plan.last_round[0].round or 1)
    return (*plan.turns, *(rounds * plan.last_round))


def preparation_ns(plan: Plan, bytes_per_s: int) -> int:
    """How long the preparation takes, at the rate that is assumed."""
    return sum(
        step.duration_ns if isinstance(step, IdleStep) else cell_duration_ns(step.cell, bytes_per_s, overhead_ns=0)
        for step in plan.preparation
    )


def timed(cell: CellPlan, turn: CellTurn) -> CellPlan:
    """The cell as one turn measures it."""
    return cell if turn.timing is None else cell.model_copy(update={"timing": turn.timing})


def cell_overhead_ns(engine: EngineChoice | str) -> int:
    """What a cell takes beside its own time, by the engine that was asked for."""
    return FIO_CELL_OVERHEAD_NS if engine == EngineChoice.FIO else CELL_OVERHEAD_NS


def cell_duration_ns(
    cell: CellPlan, bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S, *, overhead_ns: int = CELL_OVERHEAD_NS
) -> int:
    """How long a cell takes, from its start to the start of the next; with an amount, at the rate that is assumed."""
    if cell.timing.amount_bytes is not None:
        return cell.timing.amount_bytes * SECOND_NS // _taken_per_s(cell, bytes_per_s) + overhead_ns
    return cell.timing.lasts_ns + overhead_ns


def turn_duration_ns(
    plan: Plan, cell: CellPlan, bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S, *, overhead_ns: int = CELL_OVERHEAD_NS
) -> int:
    """The same with what is read back to verify what the cell has written, at the rate that is assumed."""
    back_ns = read_back_bytes(plan, cell) * SECOND_NS // bytes_per_s
    return cell_duration_ns(cell, bytes_per_s, overhead_ns=overhead_ns) + back_ns


def _written(cell: CellPlan, bytes_per_s: int) -> int:
    if cell.timing.amount_bytes is not None:
        return cell.timing.amount_bytes * cell.workload.targets * cell.workload.write_percent // 100
    return _written_in(cell, cell.timing.lasts_ns, bytes_per_s)


def _written_in(cell: CellPlan, time_ns: int, bytes_per_s: int) -> int:
    return (
        cell.workload.targets
        * time_ns
        * _taken_per_s(cell, bytes_per_s)
        // SECOND_NS
        * cell.workload.write_percent
        // 100
    )


def _taken_per_s(cell: CellPlan, bytes_per_s: int) -> int:
    """Bytes that a target takes a second: in an open loop no more than are wanted."""
    if cell.workload.rate_per_s is None:
        return bytes_per_s
    return min(int(cell.workload.rate_per_s * cell.workload.bytes_per_operation), bytes_per_s)
