"""Which measurement is next when a plan has an aim: the budget goes first to the cells that it can make known.

After the first repeats of all cells come rounds. In each, every cell that the budget left can still make known is
measured once more, the quickest to finish first; so cells stay interleaved, and a drift of the target shows as one.
All decisions follow from the plan and the records alone: a run that goes on after it was broken off decides the same.
"""

from collections import defaultdict
from itertools import accumulate
from math import inf, sqrt
from typing import Final

from iosonde.analysis.cells import estimate_cell, was_looked_at
from iosonde.analysis.precision import Figure, Precision, Reason, precision_of
from iosonde.plans import CELL_OVERHEAD_NS, cell_seed, first_timing, timing_between, turn_cost_ns
from iosonde.records import Aim, CellPlan, CellRecord, CellTurn, Outcome, Plan, Timing
from iosonde.records.workload import AIM_REPEATS_MIN

# A repeat that is to be longer than the warm-up that was seen begins behind it with some room.
WARM_UP_ROOM: Final = 1.5
# What is missing is spread over so many repeats: how they differ is part of what is to be known.
REPEATS_AHEAD: Final = 3
GROWTH: Final = 3


class AdaptiveScheduler:
    """Decides turn by turn, and is told what came of each."""

    def __init__(self, plan: Plan, aim: Aim) -> None:
        self._plan = plan
        self._aim = aim
        self._cells = {cell.cell: cell for cell in plan.cells}
        self._records: dict[str, list[CellRecord]] = defaultdict(list)
        self._spent_ns: dict[str, int] = defaultdict(int)
        self._round: list[Precision] = []
        self._order = 0
        self._left_ns = aim.budget_ns

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """What a turn has given. Without what only pages show, since all of them are kept."""
        self._order = max(self._order, turn.order)
        cost_ns = turn_cost_ns(self._cells[turn.cell], turn)
        self._left_ns -= cost_ns
        self._spent_ns[turn.cell] += cost_ns
        self._records[turn.cell].append(record.model_copy(update={"intervals": (), "slowest": ()}))

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """A turn that an earlier session has chosen and measured."""
        if turn.order > len(self._plan.turns):
            self.next_turn()
        self.take(turn, record)

    def next_turn(self) -> CellTurn | None:
        """The next turn; None when every cell is known, or nothing more fits into the budget."""
        turn = self._next_of_round()
        if turn is None:
            self._round = self._doubtful()
            turn = self._next_of_round()
        return turn

    def _next_of_round(self) -> CellTurn | None:
        while self._round:
            turn = self._turn(self._round.pop(0))
            if turn_cost_ns(self._cells[turn.cell], turn) <= self._left_ns:
                return turn
        return None

    def _doubtful(self) -> list[Precision]:
        """The cells that are worth another turn, those that are known soonest first.

        Those that the budget left would hold to their end, one after another, are alone in the round: time that goes to
        what can't be known with it would be lost for what can. Where it holds none of them, all are. Each has one turn
        in a round, so that this holds until it is measured.
        """
        found = [
            (self._missing_ns(each), each)
            for name, cell in self._cells.items()
            if cell.timing.amount_bytes is None
            and not self._has_failed(name)
            and not (each := self._precision(cell)).met
        ]
        found.sort(key=lambda each: (each[0], -each[1].doubt))
        reached = accumulate(missing_ns for missing_ns, _ in found)
        held = [each for (_, each), whole_ns in zip(found, reached, strict=True) if whole_ns <= self._left_ns]
        return held or [each for _, each in found]

    def _missing_ns(self, known: Precision) -> float:
        """About how much of the budget a cell still takes: errors fall with the square root of the time."""
        records = self._records[known.cell]
        if not records:
            return inf
        each_ns = self._spent_ns[known.cell] / len(records)
        clean = known.repeats_used or 1
        few_ns = max(AIM_REPEATS_MIN - clean, 0) * each_ns
        return max(few_ns, clean * each_ns * (max(known.doubt, 1.0) ** 2 - 1))

    def _has_failed(self, name: str) -> bool:
        records = self._records[name]
        return bool(records) and records[-1].outcome is not Outcome.FINISHED

    def _precision(self, cell: CellPlan) -> Precision:
        records = self._records[cell.cell]
        looked = was_looked_at(self._plan, records)
        return precision_of(estimate_cell(cell, records, looked=looked), self._aim.precision_percent)

    def _turn(self, known: Precision) -> CellTurn:
        cell = self._cells[known.cell]
        repeat = len(self._records[cell.cell]) + 1
        return CellTurn(
            order=self._order + 1,
            cell=cell.cell,
            repeat=repeat,
            seed=cell_seed(self._plan.seed, cell.cell, repeat),
            timing=self._timing(cell, known),
        )

    def _timing(self, cell: CellPlan, known: Precision) -> Timing:
        """As long as what is missing asks for, as the budget left gives to each cell, and as the campaign allows."""
        first, records = first_timing(cell), self._records[cell.cell]
        usual_ns = sum(record.timing.measure_ns for record in records) / len(records)
        wanted_ns = self._length_ns(first, usual_ns, known, len(records))
        fair_ns = self._left_ns / (len(self._round) + 1) - first.warmup_ns
        moving = [record.within.warm_up_ns for record in records if record.within is not None and not record.settled]
        warmup_ns = max((record.timing.warmup_ns for record in records), default=first.warmup_ns)
        if known.reason is Reason.WARMING_UP:
            warmup_ns = max([warmup_ns, *(round(each * WARM_UP_ROOM) for each in moving)])
        return timing_between(cell, warmup_ns, round(max(min(wanted_ns, fair_ns), first.measure_ns)))

    def _length_ns(self, first: Timing, usual_ns: float, known: Precision, repeats: int) -> float:
        """The length of a repeat by which what is missing is known soonest.

        Where repeats differ, more of them help and longer ones don't: the best length weighs what a repeat costs
        beside its measuring against what is lost by cutting it short (Cochran, Sampling Techniques, section 10.6).
        """
        if known.reason is Reason.TOO_FEW_REPEATS:
            return usual_ns
        most_ns = GROWTH * usual_ns
        if known.doubt == inf:
            return most_ns
        beside_ns = first.warmup_ns + CELL_OVERHEAD_NS
        best = (self._best_ns(each, usual_ns, beside_ns, repeats) for each in known.known)
        return min(max(best), most_ns)

    def _best_ns(self, figure: Figure, usual_ns: float, beside_ns: float, repeats: int) -> float:
        doubt, share = figure.doubt(self._aim.precision_percent), figure.between_share or 0.0
        if doubt <= 1:
            return 0.0
        ahead_ns = repeats * usual_ns * (doubt**2 - 1) / REPEATS_AHEAD
        return ahead_ns if not share else min(ahead_ns, sqrt(beside_ns * usual_ns * (1 - share) / share))
