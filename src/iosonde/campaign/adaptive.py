"""Chooses the next measurement of a plan with a precision, so that as many cells as possible reach it in the budget.

The plan measures the first repeats of all cells. After them come rounds: each round measures once more every cell
that the remaining budget can still bring to the requested precision. Cells stay interleaved, so drift of the target
shows up as spread between repeats. A round starts with cells that have too few repeats to estimate their need; then
come the cells that the headline reports, then all others. Within each group, the cells with the smallest total need
come first. Once all cells are known as well as was asked, tail cells are measured on until p99.99 has its samples,
where the budget left holds that.

All decisions follow from the plan and the records alone, so a resumed run makes the same ones.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

from iosonde.analysis.cells import CellEstimate, estimate_cell, was_looked_at
from iosonde.analysis.histogram import PERCENTS, SAMPLES_BEYOND_MIN
from iosonde.analysis.kinds import leading_cells
from iosonde.analysis.precision import AimedFigure, Precision, Reason, precision_of
from iosonde.analysis.totals import total_of
from iosonde.plans import CELL_OVERHEAD_NS, ROUNDING_NS, cell_seed, timing_between, turn_cost_ns
from iosonde.records import Aim, CellPlan, CellRecord, CellTurn, Experiment, Outcome, Plan, Timing
from iosonde.units import SECOND_NS

# A repeat that is to be longer than the warm-up that was seen begins behind it with some room.
WARM_UP_ROOM: Final = 1.5
# What is missing is spread over so many repeats: how they differ is part of what is to be known.
REPEATS_AHEAD: Final = 3
GROWTH: Final = 3
# How repeats differ is known to a fifth with so many of them; what a cell needs is guessed from fewer at random.
JUDGED_MIN: Final = 12
# So many operations have 10 beyond the last of the percentiles.
TAIL_COUNT_MIN: Final = SAMPLES_BEYOND_MIN * round(100 / (100 - PERCENTS[-1]))


@dataclass(frozen=True)
class _Known:
    """What so many repeats have shown of a cell."""

    repeats: int
    estimate: CellEstimate
    precision: Precision


class AdaptiveScheduler:
    """Decides turn by turn, and is told what came of each."""

    def __init__(self, plan: Plan, aim: Aim) -> None:
        self._plan = plan
        self._aim = aim
        self._cells = {cell.cell: cell for cell in plan.cells}
        self._first = {turn.cell: turn.timing for turn in plan.turns if turn.timing is not None}
        self._records: dict[str, list[CellRecord]] = defaultdict(list)
        self._spent_ns: dict[str, int] = defaultdict(int)
        self._found: dict[str, _Known] = {}
        self._round: list[Precision] = []
        self._round_number = max((turn.round or 0 for turn in plan.turns), default=0)
        self._order = 0
        self._left_ns = aim.budget_ns

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """What a turn has given: with its subject added up once, without what only pages show, since all are kept."""
        self._order = max(self._order, turn.order)
        cost_ns = turn_cost_ns(self._cells[turn.cell], turn)
        self._left_ns -= cost_ns
        self._spent_ns[turn.cell] += cost_ns
        whole = total_of(record.operations, record.workload.subject)
        operations = record.operations | ({} if whole is None else {record.workload.subject: whole})
        light = {"intervals": (), "slowest": (), "operations": operations}
        self._records[turn.cell].append(record.model_copy(update=light))

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
            self._round_number += 1
            turn = self._next_of_round()
        return turn

    def _next_of_round(self) -> CellTurn | None:
        while self._round:
            turn = self._turn(self._round.pop(0))
            if turn_cost_ns(self._cells[turn.cell], turn) <= self._left_ns:
                return turn
        return None

    def _doubtful(self) -> list[Precision]:
        """The cells that are worth another turn, in their order.

        Those that the budget left holds to their end, beside all that come before them, are alone in the round: time
        that goes to what can't be known with it would be lost for what can. Where it holds none of them, all are. Each
        has one turn in a round, so that this holds until it is measured.
        """
        known = [self._known(cell) for cell in self._cells.values()]
        leading = leading_cells([each.estimate for each in known])
        found = [each.precision for each in known if self._goes_on(each.precision)]
        found.sort(key=lambda each: (not _is_unsure(each), each.cell not in leading, self._whole_ns(each), -each.doubt))
        held = self._held([(each, self._missing_ns(each)) for each in found])
        return held or found or self._held([(each.precision, self._tail_ns(each)) for each in known if _is_thin(each)])

    def _held(self, wanted: Sequence[tuple[Precision, float]]) -> list[Precision]:
        """Those whose missing time, nanoseconds, the budget left holds beside that of all held before them."""
        held, free_ns = list[Precision](), float(self._left_ns)
        for each, missing_ns in wanted:
            if missing_ns <= free_ns:
                held.append(each)
                free_ns -= missing_ns
        return held

    def _tail_ns(self, known: _Known) -> float:
        """About how much of the budget the last percentile of a cell needs yet."""
        cell, missing_ns = self._cells[known.estimate.cell], _missing_tail_ns(known.estimate)
        repeats = GROWTH + missing_ns / cell.timing.measure_ns
        return missing_ns + repeats * (self._first[cell.cell].warmup_ns + CELL_OVERHEAD_NS)

    def _goes_on(self, known: Precision) -> bool:
        """Whether a cell is to be measured once more: not one that failed, unless it sent nothing for so short a time.

        A flush that waits for all that others have written takes longer than any repeat but the longest.
        """
        if known.met or self._cells[known.cell].timing.amount_bytes is not None:
            return False
        last = self._records[known.cell][-1] if self._records[known.cell] else None
        if last is None or last.outcome is Outcome.FINISHED:
            return True
        is_short = known.repeats_used > 0 or last.timing.measure_ns < self._cells[known.cell].timing.measure_ns
        return last.is_silent and is_short

    def _whole_ns(self, known: Precision) -> float:
        """About what a cell takes of the budget in all: errors fall with the square root of the time."""
        return self._spent_ns[known.cell] * max(known.doubt, 1.0) ** 2 if self._records[known.cell] else inf

    def _missing_ns(self, known: Precision) -> float:
        """About how much of it is still missing; of a cell with few repeats, as much as will tell."""
        spent_ns = self._spent_ns[known.cell]
        if not spent_ns:
            return inf
        # Repeats that were discarded were paid for as well.
        each_ns = spent_ns / max(known.repeats_used, 1)
        if _is_unsure(known):
            return (JUDGED_MIN - known.repeats_used) * each_ns
        return max(self._whole_ns(known) - spent_ns, each_ns)

    def _known(self, cell: CellPlan) -> _Known:
        records = self._records[cell.cell]
        found = self._found.get(cell.cell)
        if found is None or found.repeats != len(records):
            estimate = estimate_cell(cell, records, looked=was_looked_at(self._plan, records), for_aim=True)
            found = _Known(len(records), estimate, precision_of(estimate, self._aim.precision_percent))
            self._found[cell.cell] = found
        return found

    def _turn(self, known: Precision) -> CellTurn:
        cell = self._cells[known.cell]
        repeat = len(self._records[cell.cell]) + 1
        return CellTurn(
            order=self._order + 1,
            cell=cell.cell,
            repeat=repeat,
            seed=cell_seed(self._plan.seed, cell.cell, repeat),
            timing=self._timing(cell, known),
            round=self._round_number,
        )

    def _timing(self, cell: CellPlan, known: Precision) -> Timing:
        """As long as what is missing asks for, as the budget left gives to each cell, and as the campaign allows."""
        first, records = self._first[cell.cell], self._records[cell.cell]
        usual_ns = sum(record.timing.measure_ns for record in records) / len(records)
        wanted_ns = self._length_ns(first, usual_ns, known, len(records))
        fair_ns = self._left_ns / (len(self._round) + 1) - first.warmup_ns - CELL_OVERHEAD_NS - ROUNDING_NS
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
        if known.met:
            return min(_missing_tail_ns(self._found[known.cell].estimate), most_ns)
        last = self._records[known.cell][-1]
        if last.is_silent:
            return GROWTH * float(last.timing.measure_ns)
        if known.reason is Reason.TAIL_TOO_THIN:
            return most_ns
        if known.doubt == inf:
            # Repeats differ by so much that there is no interval.
            return usual_ns
        beside_ns = first.warmup_ns + CELL_OVERHEAD_NS
        best = (self._best_ns(each, usual_ns, beside_ns, repeats) for each in known.known)
        return min(max(best), most_ns)

    def _best_ns(self, figure: AimedFigure, usual_ns: float, beside_ns: float, repeats: int) -> float:
        doubt, share = figure.doubt(self._aim.precision_percent), figure.between_share or 0.0
        if doubt <= 1:
            return 0.0
        ahead_ns = repeats * usual_ns * (doubt**2 - 1) / REPEATS_AHEAD
        return ahead_ns if not share else min(ahead_ns, sqrt(beside_ns * usual_ns * (1 - share) / share))


def _missing_tail_ns(cell: CellEstimate) -> float:
    """How long a cell has to be measured yet for the samples that its last percentile needs; 0 where it has none."""
    if cell.subject is None or cell.subject.saturated or not cell.subject.iops.mean:
        return 0.0
    return max(TAIL_COUNT_MIN - cell.subject.count, 0) / cell.subject.iops.mean * SECOND_NS


def _is_thin(known: _Known) -> bool:
    """Whether a cell that is about the tail, and known as well as was asked, lacks samples for its last percentile."""
    is_tail = Experiment.TAIL in known.estimate.experiments and known.precision.met
    return is_tail and _missing_tail_ns(known.estimate) > 0


def _is_unsure(known: Precision) -> bool:
    return known.repeats_used < JUDGED_MIN
