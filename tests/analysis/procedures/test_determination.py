from dataclasses import replace

import pytest

from iosonde.analysis.procedures import Verdict, criteria_of, determinations_of, procedures_of
from iosonde.analysis.procedures.rounds import PhaseRounds
from iosonde.records import CellRecord
from tests.procedure_builder import READ, WRITE, procedure_run, steady_procedure, write_rounds


def judged(*values: int | None, gaps_s: dict[int, int] | None = None) -> PhaseRounds:
    run = procedure_run(steady_procedure(), write_rounds(*values), gaps_s=gaps_s)
    [rounds] = procedures_of(run)
    assert rounds.judged is not None
    return rounds.judged


def test_the_determination_block_has_the_figures_computed_by_hand() -> None:
    [found] = determinations_of(judged(1000, 1020, 980, 1010, 990))

    assert found.rounds == (1, 2, 3, 4, 5)
    assert found.average == 1000
    assert found.range_allowed == 200
    assert found.range_measured == pytest.approx(40)
    # The sum of (R - 3) * y is -30, and that of (R - 3)² is 10.
    assert found.slope == pytest.approx(-3)
    assert found.intercept == pytest.approx(1009)
    assert found.excursion_allowed == 100
    assert found.excursion_measured == pytest.approx(12)
    # Both deviations are the root of 2 (of rounds) and of 200 (of values).
    assert found.correlation == pytest.approx(-0.3)
    assert found.is_steady


def test_the_three_readings_of_a_slope_are_per_round_over_the_intervals_and_over_the_rounds() -> None:
    [found] = determinations_of(judged(1000, 1020, 980, 1010, 990))

    assert found.slope_per_round_share == pytest.approx(0.003)
    assert found.excursion_share == pytest.approx(0.012)
    assert found.slope_all_rounds_share == pytest.approx(0.015)


def test_a_window_of_later_rounds_has_its_line_over_their_numbers() -> None:
    [found] = determinations_of(judged(5000, 100, 101, 102, 103, 104))

    assert found.rounds == (2, 3, 4, 5, 6)
    assert found.slope == pytest.approx(1)
    assert found.intercept == pytest.approx(98)
    assert found.line_at(6) == pytest.approx(104)
    assert found.correlation == pytest.approx(1)


def test_equal_values_have_no_correlation() -> None:
    [found] = determinations_of(judged(100, 100, 100, 100, 100))

    assert found.correlation is None
    assert found.is_steady


def test_steady_state_is_reached_in_the_last_round_of_the_first_window_that_holds() -> None:
    # Rounds 1 to 5 range over 100 of an average of 120.
    own = criteria_of(judged(200, 100, 100, 100, 100, 100))[0]

    assert (own.reached, own.left, own.verdict) == (6, None, Verdict.REACHED)


def test_a_criterion_with_a_larger_window_is_left_out_if_there_are_too_few_rounds() -> None:
    phase = judged(100, 100, 100, 100)
    assert phase.rule is not None
    short = replace(phase, rule=phase.rule.model_copy(update={"window": 4}))

    assert [each.name for each in criteria_of(short) if each.name == "TKperf"] == []
    assert {each.verdict for each in criteria_of(short)} == {Verdict.REACHED}
    assert "TKperf" in {each.name for each in criteria_of(phase)}


def test_a_range_of_exactly_a_fifth_of_the_average_is_steady() -> None:
    assert criteria_of(judged(110, 90, 100, 90, 110))[0].verdict is Verdict.REACHED
    assert criteria_of(judged(111, 90, 100, 90, 110))[0].verdict is Verdict.NOT_REACHED


def test_a_line_that_changes_by_more_than_a_tenth_is_not_steady() -> None:
    # The range is 12 of 100, and the line changes by 12.
    assert criteria_of(judged(94, 97, 100, 103, 106))[0].verdict is Verdict.NOT_REACHED


def test_rounds_that_leave_the_steady_state_again_say_in_which_round() -> None:
    own = criteria_of(judged(100, 100, 100, 100, 100, 300))[0]

    assert (own.reached, own.left, own.verdict) == (5, 6, Verdict.LEFT)


def test_all_tracking_variables_must_be_steady_in_the_same_window() -> None:
    procedure = steady_procedure((WRITE, READ), (WRITE, READ))
    values: list[dict[str, int | CellRecord | None]] = [
        {WRITE.cell: 100, READ.cell: read} for read in (900, 500, 500, 500, 500, 500)
    ]
    [rounds] = procedures_of(procedure_run(procedure, values, (WRITE, READ)))
    assert rounds.judged is not None

    own, tkperf, *_ = criteria_of(rounds.judged)

    assert own.reached == 6
    assert (tkperf.name, tkperf.reached) == ("TKperf", 5)
    assert [each.reached for each in determinations_of(rounds.judged)] == [5, 6]


def test_the_criteria_of_fio_are_named_and_judged_for_comparison() -> None:
    # No value is further than 10 % from 100; the line changes by 1.2 per round.
    found = {each.name: each.reached for each in criteria_of(judged(94, 108, 98, 102, 98))}

    assert found["fio, largest deviation of 10 %"] == 5
    assert found["fio, slope of 2.5 % per round"] == 5


def test_a_failed_trial_begins_a_new_window() -> None:
    own = criteria_of(judged(100, 100, None, 100, 100, 100, 100, 100))[0]

    assert own.reached == 8


def test_a_gap_begins_a_new_window() -> None:
    own = criteria_of(judged(100, 100, 100, 100, 100, 100, 100, gaps_s={3: 11}))[0]

    assert own.reached == 7


def test_too_few_rounds_have_no_determination() -> None:
    phase = judged(100, 100, 100)

    assert determinations_of(phase) == ()
    assert criteria_of(phase)[0].verdict is Verdict.NOT_REACHED
