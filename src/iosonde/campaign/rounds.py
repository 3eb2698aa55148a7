"""Repeats the first round of a plan until the tracking variables are steady, as the SNIA's procedures ask."""

from collections import defaultdict

import numpy as np

from iosonde.analysis.cells import estimate_cell, plan_of
from iosonde.analysis.figures import figure_of
from iosonde.analysis.series.steady import SteadyRule, holds, window_figures
from iosonde.plans import cell_seed
from iosonde.records import CellRecord, CellTurn, Outcome, Plan, SteadyState
from iosonde.vocabulary import Quantity


class RoundScheduler:
    """The trials of a plan are its first rounds; each that follows has the cells of the last in the same order.

    A round in which a tracked cell did not finish has no value of it, and begins the window anew: five rounds in
    succession are what the criterion asks for. The rounds of an earlier session count like those of this one.
    """

    def __init__(self, plan: Plan, rule: SteadyState) -> None:
        self._plan = plan
        self._rule = rule
        self._criterion = SteadyRule(
            "steady state", rule.window, range_max=rule.range_share, excursion_max=rule.excursion_share
        )
        self._rounds: dict[int, dict[str, CellRecord]] = defaultdict(dict)
        self._round = self._planned_rounds = plan.last_round[0].round or 1
        self._left: list[CellTurn] = []
        self._order = len(plan.turns)

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """What a trial has given; a trial that is repeated after a failure takes the place of the first."""
        self._rounds[turn.round or 1][turn.cell] = record.model_copy(update={"intervals": (), "slowest": ()})

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """A trial of an earlier session: it was chosen as it would be chosen now."""
        if turn.order > len(self._plan.turns):
            self.next_turn()
        self.take(turn, record)

    def next_turn(self) -> CellTurn | None:
        """The next trial of the round, or the first of the next one; None in steady state, or behind the last round."""
        if not self._left:
            if self.is_steady or self._round >= self._rule.rounds_max:
                return None
            self._round += 1
            self._left = [self._repeated(turn, place) for place, turn in enumerate(self._plan.last_round, 1)]
            self._order += len(self._left)
        return self._left.pop(0)

    @property
    def is_steady(self) -> bool:
        """Whether all tracking variables are steady over the same last rounds."""
        last = self._last_rounds()[-self._rule.window :]
        if len(last) < self._rule.window:
            return False
        variables = np.array(last, dtype=np.float64).T
        return all(holds(window_figures(values), self._criterion) for values in variables)

    def _last_rounds(self) -> list[list[float]]:
        """The values of the tracking variables in the last rounds that follow each other, one list a round."""
        found: list[list[float]] = []
        for number in range(1, self._round + 1):
            values = [_value(self._rounds[number].get(each.cell), each.quantity) for each in self._rule.tracked]
            known = [value for value in values if value is not None]
            found = [*found, known] if len(known) == len(values) else []
        return found

    def _repeated(self, turn: CellTurn, place: int) -> CellTurn:
        repeat = turn.repeat + self._round - self._planned_rounds
        seed = cell_seed(self._plan.seed, turn.cell, repeat)
        return turn.model_copy(
            update={"order": self._order + place, "repeat": repeat, "seed": seed, "round": self._round}
        )


def _value(record: CellRecord | None, quantity: Quantity) -> float | None:
    if record is None or record.outcome is not Outcome.FINISHED:
        return None
    cell = plan_of(record)
    estimates = estimate_cell(cell, [record]).of(record.workload.subject)
    return None if estimates is None else figure_of(quantity, estimates, record.cell).value
