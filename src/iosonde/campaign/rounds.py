"""Repeats the last planned round until the tracking variables are in steady state, as the SNIA procedures do."""

from iosonde.campaign.steady_rounds import SteadyRounds
from iosonde.plans import cell_seed
from iosonde.records import CellRecord, CellTurn, Plan, SteadyState


class RoundScheduler:
    """The plan contains the first rounds; each further round measures the cells of the last one in the same order.

    The criterion needs consecutive rounds: one in which a tracked cell did not finish restarts the window. Rounds of
    earlier sessions count as well.
    """

    def __init__(self, plan: Plan, rule: SteadyState) -> None:
        self._plan = plan
        self._rule = rule
        self._steady = SteadyRounds(rule)
        self._round = self._planned_rounds = plan.last_round[0].round or 1
        self._left: list[CellTurn] = []
        self._order = len(plan.turns)

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """Notes the tracking variables of a trial; a trial that is repeated after a failure replaces the first."""
        self._steady.take(turn.round or 1, record)

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial of an earlier session, and advances past it as if it had been chosen now."""
        self.expect(turn)
        self.take(turn, record)

    def expect(self, turn: CellTurn) -> None:
        """Goes on after a trial that an earlier session chose and did not finish."""
        if turn.order > len(self._plan.turns):
            self.next_turn()

    def restart(self, last: CellTurn) -> None:
        """Ignores it: the choice is the same in each session."""

    def next_procedure(self) -> None:
        """None: there are no procedures."""

    def next_turn(self) -> CellTurn | None:
        """The next trial of the round, or the first of the next one; None in steady state or after the last round."""
        if not self._left:
            if self.is_steady or self._round >= self._rule.rounds_max:
                return None
            self._round += 1
            self._left = [self._repeated(turn, place) for place, turn in enumerate(self._plan.last_round, 1)]
            self._order += len(self._left)
        return self._left.pop(0)

    def watch(self, turn: CellTurn) -> None:
        """None: the length of its trials is fixed."""

    @property
    def is_steady(self) -> bool:
        """Whether all tracking variables are steady over the same last rounds."""
        return self._steady.is_steady(self._round)

    def _repeated(self, turn: CellTurn, place: int) -> CellTurn:
        repeat = turn.repeat + self._round - self._planned_rounds
        seed = cell_seed(self._plan.seed, turn.cell, repeat)
        return turn.model_copy(
            update={"order": self._order + place, "repeat": repeat, "seed": seed, "round": self._round}
        )
