"""The remaining time of a plan after some of its trials, estimated in the same way as its cost."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate

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


class LongestRest:
    """The longest time of the trials that may follow the known ones, if the stop rule limits their number.

    In a procedure it depends on where the last trial is: a phase that ended early leaves fewer trials.
    """

    def __init__(self, plan: Plan, lasts_ns: Callable[[CellTurn], int]) -> None:
        every = trials_at_most(plan)
        # The time of the trials from each place on.
        self._from_ns = tuple(accumulate(map(lasts_ns, reversed(every)), initial=0))[::-1]
        self._first = {_round_of(turn): place for place, turn in reversed(tuple(enumerate(every)))}
        self._has_procedures = bool(plan.procedures)
        self._place = 0
        self._round: tuple[object, ...] | None = None

    def add(self, turns: Iterable[CellTurn]) -> None:
        """Adds the next trials of the run, each once: a round of a hard disk's procedure has a thousand."""
        for turn in turns:
            this_round = (*_round_of(turn), turn.attempt)
            if self._has_procedures and this_round != self._round:
                self._place, self._round = self._first[_round_of(turn)], this_round
            self._place += 1

    @property
    def after_ns(self) -> int:
        """The longest time after the trials added so far."""
        return self._from_ns[min(self._place, len(self._from_ns) - 1)]


def _round_of(turn: CellTurn) -> tuple[str | None, str | None, int]:
    return turn.procedure, turn.phase, turn.round or 1


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

    def lasts_ns(turn: CellTurn) -> int:
        return turn_duration_ns(plan, timed(cells[turn.cell], turn), bytes_per_s, overhead_ns=overhead_ns)

    turns_ns = sum(map(lasts_ns, left))
    if plan.aim is None:
        rest = LongestRest(plan, lasts_ns)
        rest.add((*done, *left))
        return Remaining(turns_ns, rest.after_ns)
    spent_ns = sum(turn_cost_ns(cells[turn.cell], turn) for turn in (*done, *left))
    return Remaining(turns_ns, max(plan.aim.budget_ns - spent_ns, 0))
