"""Chooses the next measurement of a plan with a precision, so that as many cells as possible reach it in the budget.

The plan measures the first repeats of all cells. Rounds follow: each round measures again every cell that the
remaining budget can still bring to the requested precision. Cells stay interleaved, so drift of the target shows up
as spread between repeats. A round starts with cells that have too few repeats to estimate the time they need. The
cells of the headline follow, then all others. Within each group, the cells that need the least total time are first.
Once all cells have reached the requested precision, tail cells are measured until p99.99 has enough samples, if the
remaining budget is large enough.

All decisions depend only on the plan and the records, so a resumed run makes the same ones.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Final

from iosonde.analysis.cells import CellEstimate, estimate_cell, was_looked_at
from iosonde.analysis.histogram import PERCENTS, SAMPLES_BEYOND_MIN
from iosonde.analysis.precision import AimedFigure, Precision, Reason, precision_of
from iosonde.analysis.totals import total_of
from iosonde.analysis.workload_kinds import leading_cells
from iosonde.plans import CELL_OVERHEAD_NS, ROUNDING_NS, cell_seed, timing_between, turn_cost_ns
from iosonde.records import Aim, CellPlan, CellRecord, CellTurn, Experiment, Outcome, Plan, Timing
from iosonde.units import SECOND_NS

# A longer warm-up is this factor times the warm-up that was observed.
WARM_UP_ROOM: Final = 1.5
# The missing time is divided among this many repeats, because the estimate needs the spread between repeats.
REPEATS_AHEAD: Final = 3
# A repeat is at most this many times as long as the mean repeat so far.
GROWTH: Final = 3
# This many repeats give the spread between repeats to about 20 %. With fewer, the time that a cell needs is a guess.
JUDGED_MIN: Final = 12
# With this many operations, 10 are above the highest percentile.
TAIL_COUNT_MIN: Final = SAMPLES_BEYOND_MIN * round(100 / (100 - PERCENTS[-1]))


@dataclass(frozen=True)
class _Known:
    """The estimate of a cell after ``repeats`` repeats."""

    repeats: int
    estimate: CellEstimate
    precision: Precision


class AdaptiveScheduler:
    """Chooses one trial at a time from the results of all trials before it."""

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
        """Takes the result of a trial.

        All records stay in memory, so intervals and slowest operations are dropped. The total is computed once.
        """
        self._order = max(self._order, turn.order)
        cost_ns = turn_cost_ns(self._cells[turn.cell], turn)
        self._left_ns -= cost_ns
        self._spent_ns[turn.cell] += cost_ns
        whole = total_of(record.operations, record.workload.subject)
        operations = record.operations | ({} if whole is None else {record.workload.subject: whole})
        light = {"intervals": (), "slowest": (), "operations": operations}
        self._records[turn.cell].append(record.model_copy(update=light))

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial that an earlier session chose and measured."""
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
        """The next trial; None when every cell is precise enough, or no other trial fits into the budget."""
        turn = self._next_of_round()
        if turn is None:
            self._round = self._next_round()
            self._round_number += 1
            turn = self._next_of_round()
        return turn

    def watch(self, turn: CellTurn) -> None:
        """None: the length of its trials is fixed."""

    def _next_of_round(self) -> CellTurn | None:
        while self._round:
            turn = self._turn(self._round.pop(0))
            if turn_cost_ns(self._cells[turn.cell], turn) <= self._left_ns:
                return turn
        return None

    def _next_round(self) -> list[Precision]:
        """The cells of the next round, in their order.

        They are the cells that can all reach the precision within the remaining budget. Time for any other cell would
        be taken from these. If the budget is too small for every single cell, all unfinished cells are in the round.
        A cell has one trial in a round, so the choice stays valid until the cell is measured.
        """
        known = [self._known(cell) for cell in self._cells.values()]
        leading = leading_cells([each.estimate for each in known])
        found = [each.precision for each in known if self._is_unfinished(each.precision)]
        found.sort(key=lambda each: (not _is_unsure(each), each.cell not in leading, self._total_ns(each), -each.doubt))
        fitting = self._fitting([(each, self._missing_ns(each)) for each in found])
        thin = [(each.precision, self._tail_ns(each)) for each in known if _is_thin(each)]
        return fitting or found or self._fitting(thin)

    def _fitting(self, candidates: Sequence[tuple[Precision, float]]) -> list[Precision]:
        """The cells that fit into the remaining budget, chosen in order. Each comes with its missing time in ns."""
        fitting, free_ns = list[Precision](), float(self._left_ns)
        for each, missing_ns in candidates:
            if missing_ns <= free_ns:
                fitting.append(each)
                free_ns -= missing_ns
        return fitting

    def _tail_ns(self, known: _Known) -> float:
        """About how much of the budget, in ns, a cell still needs for its highest percentile."""
        cell, missing_ns = self._cells[known.estimate.cell], _missing_tail_ns(known.estimate)
        repeats = GROWTH + missing_ns / cell.timing.measure_ns
        return missing_ns + repeats * (self._first[cell.cell].warmup_ns + CELL_OVERHEAD_NS)

    def _is_unfinished(self, known: Precision) -> bool:
        """Whether a cell is measured again.

        A cell that failed is not, unless it completed nothing in a short repeat. A flush that waits for the writes of
        other programs takes longer than most repeats.
        """
        if known.met or self._cells[known.cell].timing.amount_bytes is not None:
            return False
        last = self._records[known.cell][-1] if self._records[known.cell] else None
        if last is None or last.outcome is Outcome.FINISHED:
            return True
        is_short = known.repeats_used > 0 or last.timing.measure_ns < self._cells[known.cell].timing.measure_ns
        return last.is_silent and is_short

    def _total_ns(self, known: Precision) -> float:
        """About how much of the budget, in ns, a cell needs in total: errors fall with the square root of the time."""
        return self._spent_ns[known.cell] * max(known.doubt, 1.0) ** 2 if self._records[known.cell] else inf

    def _missing_ns(self, known: Precision) -> float:
        """About how much of the budget, in ns, a cell still needs; with few repeats, the time for ``JUDGED_MIN``."""
        spent_ns = self._spent_ns[known.cell]
        if not spent_ns:
            return inf
        # Discarded repeats used up budget as well.
        each_ns = spent_ns / max(known.repeats_used, 1)
        if _is_unsure(known):
            return (JUDGED_MIN - known.repeats_used) * each_ns
        return max(self._total_ns(known) - spent_ns, each_ns)

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
        """The timing of the next repeat: as long as needed, within its share of the budget and the cell's bounds."""
        first, records = self._first[cell.cell], self._records[cell.cell]
        usual_ns = sum(record.timing.measure_ns for record in records) / len(records)
        needed_ns = self._length_ns(first, usual_ns, known, len(records))
        fair_ns = self._left_ns / (len(self._round) + 1) - first.warmup_ns - CELL_OVERHEAD_NS - ROUNDING_NS
        moving = [record.within.warm_up_ns for record in records if record.within is not None and not record.settled]
        warmup_ns = max((record.timing.warmup_ns for record in records), default=first.warmup_ns)
        if known.reason is Reason.WARMING_UP:
            warmup_ns = max([warmup_ns, *(round(each * WARM_UP_ROOM) for each in moving)])
        return timing_between(cell, warmup_ns, round(max(min(needed_ns, fair_ns), first.measure_ns)))

    def _length_ns(self, first: Timing, usual_ns: float, known: Precision, repeats: int) -> float:
        """The length of a repeat, in ns, that reaches the precision soonest.

        If repeats differ, more repeats help and longer repeats do not. The best length balances the fixed cost of a
        repeat (warm-up and overhead) against its measurement time (Cochran, Sampling Techniques, section 10.6).
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
            # Repeats differ so much that there is no interval.
            return usual_ns
        fixed_ns = first.warmup_ns + CELL_OVERHEAD_NS
        best = (self._best_ns(each, usual_ns, fixed_ns, repeats) for each in known.known)
        return min(max(best), most_ns)

    def _best_ns(self, figure: AimedFigure, usual_ns: float, fixed_ns: float, repeats: int) -> float:
        doubt, share = figure.doubt(self._aim.precision_percent), figure.between_share or 0.0
        if doubt <= 1:
            return 0.0
        ahead_ns = repeats * usual_ns * (doubt**2 - 1) / REPEATS_AHEAD
        return ahead_ns if not share else min(ahead_ns, sqrt(fixed_ns * usual_ns * (1 - share) / share))


def _missing_tail_ns(cell: CellEstimate) -> float:
    """The time, in ns, to measure a cell until its highest percentile has enough samples; 0 without percentiles."""
    if cell.subject is None or cell.subject.saturated or not cell.subject.iops.mean:
        return 0.0
    return max(TAIL_COUNT_MIN - cell.subject.count, 0) / cell.subject.iops.mean * SECOND_NS


def _is_thin(known: _Known) -> bool:
    """Whether a tail cell has the requested precision, but too few samples for its highest percentile."""
    is_tail = Experiment.TAIL in known.estimate.experiments and known.precision.met
    return is_tail and _missing_tail_ns(known.estimate) > 0


def _is_unsure(known: Precision) -> bool:
    return known.repeats_used < JUDGED_MIN
