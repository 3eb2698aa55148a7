"""The remaining time of a plan after some of its trials, estimated in the same way as its cost."""

from collections.abc import Callable, Iterable, Sequence
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
        self._counted = 0
        self._last: CellTurn | None = None
        # The trials of the last one's round so far.
        self._alike = 0

    def after_ns(self, turns: Sequence[CellTurn]) -> int:
        """The longest time after these trials, which are all of the run so far: those of the call before, and more."""
        place = len(turns)
        if turns and self._has_procedures:
            # A round of a hard disk's procedure has a thousand trials, so each is counted once.
            for turn in turns[self._counted :]:
                is_alike = self._last is not None and _attempt_of(turn) == _attempt_of(self._last)
                self._last, self._alike = turn, self._alike + 1 if is_alike else 1
            self._counted = len(turns)
            place = self._first[_round_of(turns[-1])] + self._alike
        return self._from_ns[min(place, len(self._from_ns) - 1)]


def _round_of(turn: CellTurn) -> tuple[str | None, str | None, int]:
    return turn.procedure, turn.phase, turn.round or 1


def _attempt_of(turn: CellTurn) -> tuple[object, ...]:
    return (*_round_of(turn), turn.attempt)


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
        return Remaining(turns_ns, LongestRest(plan, lasts_ns).after_ns((*done, *left)))
    spent_ns = sum(turn_cost_ns(cells[turn.cell], turn) for turn in (*done, *left))
    return Remaining(turns_ns, max(plan.aim.budget_ns - spent_ns, 0))
