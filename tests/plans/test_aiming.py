"""Plans that end when figures are known."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import (
    TargetInfo,
    campaign_plan,
    load_profile,
    plan_cost,
    read_campaign,
    timing_between,
    turn_cost_ns,
)
from iosonde.records import Aim, Plan

GIB = 1 << 30
SECOND_NS = 10**9
AIM = Aim(precision_percent=5.0, budget_ns=390 * SECOND_NS)
CELL = '[[experiment]]\nname = "a"\npattern = "random"\nread = {read}\nblock_size = "4KiB"\nqueue_depth = 1\n'


def lab(aim: Aim | None = AIM) -> Plan:
    return campaign_plan(load_profile("lab"), TargetInfo(span_bytes=8 * GIB, fill=True), quick=False, seed=3, aim=aim)


def test_the_lab_profile_aims_at_five_percent_in_six_and_a_half_minutes_and_at_ten_of_a_p99() -> None:
    profile = load_profile("lab")
    assert (profile.precision, profile.budget) == (5.0, 390 * SECOND_NS)
    assert AIM.tail_percent == 10.0


def test_first_repeats_are_short_and_all_cells_have_six_of_them() -> None:
    plan = lab()
    assert len(plan.turns) == 6 * len(plan.cells)
    lengths = {turn.timing.measure_ns for turn in plan.turns if turn.timing is not None}
    assert lengths == {90_000_000}


def test_first_repeats_leave_most_of_the_budget_for_where_the_doubt_is() -> None:
    plan = lab()
    cells = {cell.cell: cell for cell in plan.cells}
    assert sum(turn_cost_ns(cells[turn.cell], turn) for turn in plan.turns) < AIM.budget_ns / 5


def test_first_repeats_of_all_cells_are_within_the_budget_and_the_price_says_so() -> None:
    plan = lab()
    cells = {cell.cell: cell for cell in plan.cells}
    assert sum(turn_cost_ns(cells[turn.cell], turn) for turn in plan.turns) < AIM.budget_ns
    fill_ns = plan_cost(lab(None)).duration_ns - sum(6_015_000_000 for _ in lab(None).turns)
    assert plan_cost(plan).duration_ns == fill_ns + AIM.budget_ns


def test_a_budget_that_does_not_hold_the_first_repeats_is_refused_with_one_that_does() -> None:
    with pytest.raises(UsageError, match="is too short for the first 6 repeats of 43 cells") as refused:
        lab(Aim(precision_percent=2.0, budget_ns=30 * SECOND_NS))
    assert "set --budget to 2m or more" in refused.value.hint


def test_every_repeat_has_sixty_intervals_of_half_milliseconds() -> None:
    cell = lab().cells[0]
    for wanted_ns in (1, 500_000_000, 777_777_777, 5 * SECOND_NS):
        timing = timing_between(cell, 0, wanted_ns)
        assert timing.measure_ns == 60 * timing.interval_ns
        assert timing.interval_ns % 500_000 == 0


def test_no_repeat_is_longer_than_the_campaign_allows_by_more_than_its_intervals_are_rounded() -> None:
    cell = lab().cells[0]
    assert timing_between(cell, 0, 90 * SECOND_NS).measure_ns <= cell.timing.measure_ns + 60 * 1_000_000


def test_a_cell_with_an_amount_takes_nothing_of_the_budget() -> None:
    text = 'name = "m"\n' + CELL.format(read=0) + 'amount = "1GiB"\n'
    plan = campaign_plan(
        read_campaign(text, "m.toml"), TargetInfo(span_bytes=GIB, fill=True), quick=False, seed=1, aim=AIM
    )
    assert turn_cost_ns(plan.cells[0], plan.turns[0]) == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('precision = "0%"', 'm.toml:2: precision = "0%" is not in the range 0.1% to 50%'),
        ('precision = "wide"', "is not a share"),
        ("precision = true", "is not a percentage"),
        ('budget = "5m"', "m.toml:2: budget needs a precision"),
    ],
)
def test_an_aim_that_makes_no_sense_is_told_with_its_line(line: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_campaign(f'name = "m"\n{line}\n' + CELL.format(read=100), "m.toml")
    assert words in refused.value.message


def test_a_bare_number_is_clear_enough() -> None:
    assert read_campaign('name = "m"\nprecision = 5\n' + CELL.format(read=100), "m.toml").precision == 5.0


def test_the_length_of_first_repeats_can_be_asked_for_and_shortens_their_warm_up_as_much() -> None:
    text = 'name = "m"\nprecision = "5%"\nwarmup = "2s"\nduration = "10s"\nfirst_duration = "300ms"\n' + CELL.format(
        read=0
    )
    plan = campaign_plan(
        read_campaign(text, "m.toml"), TargetInfo(span_bytes=GIB, fill=True), quick=False, seed=1, aim=AIM
    )
    assert plan.turns[0].timing is not None
    assert (plan.turns[0].timing.measure_ns, plan.turns[0].timing.warmup_ns) == (300_000_000, 60_000_000)


def test_first_repeats_are_no_longer_than_the_longest() -> None:
    text = 'name = "m"\nprecision = "5%"\nduration = "600ms"\nfirst_duration = "9s"\n' + CELL.format(read=100)
    plan = campaign_plan(
        read_campaign(text, "m.toml"), TargetInfo(span_bytes=GIB, fill=True), quick=False, seed=1, aim=AIM
    )
    assert plan.turns[0].timing is not None
    assert plan.turns[0].timing.measure_ns == 600_000_000


def test_without_a_precision_there_are_no_first_repeats() -> None:
    with pytest.raises(UsageError, match="first_duration needs a precision"):
        read_campaign('name = "m"\nfirst_duration = "9s"\n' + CELL.format(read=100), "m.toml")
