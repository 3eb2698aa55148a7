"""Which trial is next in a plan with a requested precision."""

from collections.abc import Mapping

import numpy as np

from iosonde.campaign.adaptive import JUDGED_MIN, AdaptiveScheduler
from iosonde.plans import TargetInfo, campaign_plan, read_campaign, turn_cost_ns
from iosonde.records import (
    Aim,
    CellPlan,
    CellRecord,
    CellTurn,
    Failure,
    Neighbour,
    Operation,
    Outcome,
    Plan,
)
from iosonde.vocabulary import FailureKind
from tests.analysis.test_states import SETTLED
from tests.builders import cell_record, totals_of

SECOND_NS = 10**9
MS = 1_000_000
TEXT = """
name = "two"
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [1, 2]
"""
CALM, RESTLESS = "random-read-4KiB-qd1", "random-read-4KiB-qd2"
WITH_A_MIX = """
name = "two"
precision = "2%"
first_duration = "120ms"
[[experiment]]
name = "reads"
kind = "baseline"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
[[experiment]]
name = "mix"
kind = "mix"
pattern = "random"
read = 70
block_size = "4KiB"
queue_depth = 2
"""
TAILS = TEXT.replace('name = "reads"', 'name = "reads"\nkind = "tail"')
MIX = "random-mix70-4KiB-qd2"


def planned(budget_s: int = 60, text: str = TEXT) -> Plan:
    aim = Aim(precision_percent=2.0, budget_ns=budget_s * SECOND_NS)
    ground = TargetInfo(span_bytes=1 << 30, fill=False)
    return campaign_plan(read_campaign(text, "two.toml"), ground, quick=False, seed=5, aim=aim)


class Drive:
    """Makes records whose throughput has a relative standard deviation of ``spread`` / sqrt(length in seconds)."""

    def __init__(self, plan: Plan, spread: Mapping[str, float]) -> None:
        self.cells = {cell.cell: cell for cell in plan.cells}
        self._spread = spread
        self._random = np.random.default_rng(1)

    def measure(self, turn: CellTurn) -> CellRecord:
        assert turn.timing is not None
        cell = CellPlan(**(dict(self.cells[turn.cell]) | {"timing": turn.timing}))
        seconds = turn.timing.measure_ns / SECOND_NS
        factor = 1 + self._random.normal(0, self._spread[turn.cell] / np.sqrt(seconds))
        count = max(round(4000 * seconds * factor), 1)
        error = self._spread[turn.cell] / np.sqrt(seconds)
        within = SETTLED.model_copy(update={"throughput_error": error, "latency_error": 0.0, "beyond_error": 0.0})
        operations = {Operation.READ: totals_of([MS] * count)}
        return cell_record(cell, operations, repeat=turn.repeat, order=turn.order, within=within)


def scheduled(plan: Plan, spread: Mapping[str, float]) -> list[CellTurn]:
    """The trials that the scheduler adds to those of the plan."""
    assert plan.aim is not None
    scheduler, drive = AdaptiveScheduler(plan, plan.aim), Drive(plan, spread)
    for first in plan.turns:
        scheduler.take(first, drive.measure(first))
    chosen = []
    while (turn := scheduler.next_turn()) is not None:
        chosen.append(turn)
        scheduler.take(turn, drive.measure(turn))
    return chosen


def test_cells_that_are_known_after_their_first_repeats_are_left_alone() -> None:
    assert scheduled(planned(), {CALM: 0.0001, RESTLESS: 0.0001}) == []


def test_time_goes_to_the_cell_in_doubt_until_it_is_known() -> None:
    chosen = scheduled(planned(), {CALM: 0.0001, RESTLESS: 0.02})
    assert {turn.cell for turn in chosen} == {RESTLESS}
    assert [turn.repeat for turn in chosen] == list(range(7, 7 + len(chosen)))


def test_once_all_is_known_tail_cells_are_measured_until_their_last_percentile_has_its_samples() -> None:
    # At 4,000 per second, 100,000 operations take 25 seconds.
    plan = planned(text=TAILS)
    chosen = scheduled(plan, {CALM: 0.0001, RESTLESS: 0.0001})
    assert {turn.cell for turn in chosen} == {CALM, RESTLESS}
    for cell in (CALM, RESTLESS):
        lengths_ns = [turn.timing.measure_ns for turn in (*plan.turns, *chosen) if turn.cell == cell and turn.timing]
        assert 25 <= sum(lengths_ns) / SECOND_NS <= 27


def test_a_tail_that_the_budget_does_not_hold_takes_none_of_it() -> None:
    calm = {CALM: 0.0001, RESTLESS: 0.0001}
    assert scheduled(planned(budget_s=20, text=TAILS), calm) == []
    assert len({turn.cell for turn in scheduled(planned(budget_s=40, text=TAILS), calm)}) == 1


def test_what_can_be_known_comes_before_what_can_not() -> None:
    # A precision of 2 % with a spread of 2.0 takes ten thousand one-second repeats.
    chosen = scheduled(planned(budget_s=60), {CALM: 0.03, RESTLESS: 2.0})
    calm = [place for place, turn in enumerate(chosen) if turn.cell == CALM]
    restless = [place for place, turn in enumerate(chosen) if turn.cell == RESTLESS and turn.repeat > JUDGED_MIN]
    assert max(calm) < min(restless)


def test_cells_that_can_all_be_known_stay_interleaved() -> None:
    chosen = scheduled(planned(budget_s=200), {CALM: 0.05, RESTLESS: 0.06})
    assert {turn.cell for turn in chosen[:2]} == {CALM, RESTLESS}


def test_repeats_grow_where_much_is_missing() -> None:
    plan = planned()
    chosen = scheduled(plan, {CALM: 0.0001, RESTLESS: 0.1})
    assert plan.turns[0].timing is not None
    assert all(turn.timing and turn.timing.measure_ns > plan.turns[0].timing.measure_ns for turn in chosen[:1])


def test_the_budget_is_never_exceeded() -> None:
    plan = planned(budget_s=20)
    assert plan.aim is not None
    chosen = scheduled(plan, {CALM: 0.2, RESTLESS: 0.2})
    cells = {cell.cell: cell for cell in plan.cells}
    spent_ns = sum(turn_cost_ns(cells[turn.cell], turn) for turn in (*plan.turns, *chosen))
    assert 0.9 * plan.aim.budget_ns < spent_ns <= plan.aim.budget_ns


def test_orders_go_on_behind_the_plan_and_seeds_are_never_used_twice() -> None:
    plan = planned()
    chosen = scheduled(plan, {CALM: 0.05, RESTLESS: 0.1})
    assert [turn.order for turn in chosen] == list(range(len(plan.turns) + 1, len(plan.turns) + 1 + len(chosen)))
    seeds = [turn.seed for turn in (*plan.turns, *chosen)]
    assert len(set(seeds)) == len(seeds)


def test_who_follows_what_an_earlier_session_did_decides_as_it_did() -> None:
    plan = planned()
    assert plan.aim is not None
    spread = {CALM: 0.05, RESTLESS: 0.1}
    chosen = scheduled(plan, spread)
    assert len(chosen) > 4
    drive, scheduler = Drive(plan, spread), AdaptiveScheduler(plan, plan.aim)
    for each in (*plan.turns, *chosen[:3]):
        scheduler.follow(each, drive.measure(each))
    assert scheduler.next_turn() == chosen[3]


def after_failures(kind: FailureKind, repeats: frozenset[int]) -> CellTurn | None:
    """The trial after those of the plan, if these repeats of the cell RESTLESS have failed with ``kind``."""
    plan = planned()
    assert plan.aim is not None
    scheduler, drive = AdaptiveScheduler(plan, plan.aim), Drive(plan, {CALM: 0.0001, RESTLESS: 0.5})
    for turn in plan.turns:
        record = drive.measure(turn)
        if turn.cell == RESTLESS and turn.repeat in repeats:
            failure = Failure(kind=kind, message="it failed")
            record = record.model_copy(update={"outcome": Outcome.FAILED, "failure": failure, "operations": {}})
        scheduler.take(turn, record)
    return scheduler.next_turn()


def test_a_cell_that_fails_gets_no_more_time() -> None:
    assert after_failures(FailureKind.IO, frozenset({6})) is None


def test_a_target_that_stood_still_for_one_repeat_is_measured_on() -> None:
    chosen = after_failures(FailureKind.NOTHING_COMPLETED, frozenset({6}))
    assert chosen is not None
    assert (chosen.cell, chosen.repeat) == (RESTLESS, 7)


def test_a_target_on_which_nothing_completes_is_measured_for_longer_and_then_given_up() -> None:
    plan = planned(budget_s=200)
    assert plan.aim is not None
    scheduler, drive, lengths_ns = AdaptiveScheduler(plan, plan.aim), Drive(plan, {CALM: 0.0001, RESTLESS: 0.1}), []

    def measure(turn: CellTurn) -> None:
        record = drive.measure(turn)
        if turn.cell == RESTLESS:
            why = "not one read completed within the measured time"
            failure = Failure(kind=FailureKind.NOTHING_COMPLETED, message=why)
            record = record.model_copy(update={"outcome": Outcome.FAILED, "failure": failure, "operations": {}})
        scheduler.take(turn, record)

    for first in plan.turns:
        measure(first)
    while (turn := scheduler.next_turn()) is not None:
        assert (turn.cell, turn.timing is None) == (RESTLESS, False)
        assert turn.timing is not None
        lengths_ns.append(turn.timing.measure_ns)
        measure(turn)
    assert lengths_ns == [990 * MS, 2970 * MS, 5010 * MS]


def test_no_cell_is_measured_on_while_another_has_too_few_repeats_to_say_what_it_needs() -> None:
    plan = planned(budget_s=200)
    chosen = scheduled(plan, {CALM: 0.05, RESTLESS: 0.1})
    few = [turn.cell for turn in chosen[: 2 * (JUDGED_MIN - plan.repeats)]]
    assert few.count(CALM) == few.count(RESTLESS)


def test_a_cell_that_leads_and_can_not_be_known_costs_no_other_its_time() -> None:
    chosen = scheduled(planned(budget_s=25, text=WITH_A_MIX), {CALM: 2.0, MIX: 0.03})
    behind = [turn.cell for turn in chosen if turn.repeat > JUDGED_MIN]
    assert MIX in behind
    assert CALM not in behind[: behind.count(MIX)]


def test_what_a_reader_looks_at_first_is_known_first() -> None:
    chosen = scheduled(planned(budget_s=25, text=WITH_A_MIX), {CALM: 0.04, MIX: 0.04})
    behind = [turn.cell for turn in chosen if turn.repeat > JUDGED_MIN]
    assert behind.index(CALM) < behind.index(MIX) if MIX in behind else CALM in behind


def test_repeats_that_move_together_give_the_next_one_a_longer_warm_up() -> None:
    plan = planned()
    assert plan.aim is not None
    scheduler, drive = AdaptiveScheduler(plan, plan.aim), Drive(plan, {CALM: 0.0001, RESTLESS: 0.0001})
    for turn in plan.turns:
        record = drive.measure(turn)
        if turn.cell == RESTLESS:
            assert record.within is not None
            moved = record.within.model_copy(update={"settled": False, "geweke": 5.0, "warm_up_ns": SECOND_NS})
            record = record.model_copy(update={"within": moved})
        scheduler.take(turn, record)
    chosen = scheduler.next_turn()
    assert chosen is not None
    assert chosen.timing is not None
    assert (chosen.cell, chosen.timing.warmup_ns) == (RESTLESS, SECOND_NS * 3 // 2)


def test_a_contaminated_repeat_is_measured_again() -> None:
    plan = planned()
    assert plan.aim is not None
    scheduler, drive = AdaptiveScheduler(plan, plan.aim), Drive(plan, {CALM: 0.0001, RESTLESS: 0.0001})
    for turn in plan.turns:
        beside = (Neighbour(process=1, device="sda"),) if (turn.cell, turn.repeat) == (CALM, 2) else ()
        scheduler.take(turn, drive.measure(turn).model_copy(update={"neighbours": beside}))
    again = scheduler.next_turn()
    assert again is not None
    assert (again.cell, again.repeat, again.timing) == (CALM, 7, plan.turns[0].timing)
    scheduler.take(again, drive.measure(again))
    assert scheduler.next_turn() is None


def lengths_s(between: float, within: float) -> list[float]:
    """Lengths of the added trials, if RESTLESS varies by these shares between repeats and within one of a second."""
    plan = planned(budget_s=200)
    assert plan.aim is not None
    random, scheduler, chosen = np.random.default_rng(6), AdaptiveScheduler(plan, plan.aim), list[float]()
    drive = Drive(plan, {CALM: 0.0001, RESTLESS: within})

    def measure(turn: CellTurn) -> None:
        record = drive.measure(turn)
        if turn.cell == RESTLESS:
            time_ns = round(record.measured_ns * np.exp(random.normal(0, between)))
            record = record.model_copy(update={"measured_ns": time_ns})
        scheduler.take(turn, record)

    for first in plan.turns:
        measure(first)
    while (turn := scheduler.next_turn()) is not None:
        assert turn.timing is not None
        chosen.append(turn.timing.measure_ns / SECOND_NS)
        measure(turn)
    return chosen


def test_where_repeats_differ_more_of_them_are_measured_and_no_longer_ones() -> None:
    chosen = lengths_s(between=0.05, within=0.005)
    assert len(chosen) > 10
    assert max(chosen) <= 1.0


def test_where_each_is_restless_by_itself_longer_ones_are_measured() -> None:
    assert max(lengths_s(between=0.0, within=0.1)) >= 1.5
