"""The remaining time of a plan after some of its trials, estimated in the same way as its cost."""

from collections.abc import Iterable
from dataclasses import dataclass

from iosonde.plans.cost import ASSUMED_WRITE_BYTES_PER_S, CELL_OVERHEAD_NS, timed, trials_at_most, turn_duration_ns
from iosonde.plans.precision import turn_cost_ns
from iosonde.records import CellTurn, Plan


@dataclass(frozen=True)
class Remaining:
    """The remaining time: that of the known trials, and that of possible further ones, from the budget or stop rule."""

    turns_ns: int
    more_ns: int

    @property
    def total_ns(self) -> int:
        """The sum of both; with an aim, an upper bound."""
        return self.turns_ns + self.more_ns


def remaining(
    plan: Plan,
    done: Iterable[CellTurn],
    left: Iterable[CellTurn],
    bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S,
    *,
    overhead_ns: int = CELL_OVERHEAD_NS,
) -> Remaining:
    """The time of the trials that are ``left``, and the rest of the budget after them and those already ``done``."""
    cells, done, left = {cell.cell: cell for cell in plan.cells}, tuple(done), tuple(left)

    def lasts_ns(turns: Iterable[CellTurn]) -> int:
        return sum(
            turn_duration_ns(plan, timed(cells[turn.cell], turn), bytes_per_s, overhead_ns=overhead_ns)
            for turn in turns
        )

    if plan.aim is None:
        return Remaining(lasts_ns(left), lasts_ns(trials_at_most(plan)[len(done) + len(left) :]))
    spent_ns = sum(turn_cost_ns(cells[turn.cell], turn) for turn in (*done, *left))
    return Remaining(lasts_ns(left), max(plan.aim.budget_ns - spent_ns, 0))
