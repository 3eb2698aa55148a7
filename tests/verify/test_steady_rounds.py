"""The check of the round in which procedures find steady state: its arithmetic, and one test on a model."""

from pathlib import Path

import numpy as np
import pytest

from verify.kept_rounds import keep, kept
from verify.steady_rounds import Drive, edge_sentences, found_rounds, steady_rounds

STEADY = [100.0] * 8
SATA, FIXED = Drive("sata-dc", 300), Drive("fixed", 300)
LATE = [300.0, 200.0, *[100.0] * 6]


def test_the_true_round_is_that_of_the_mean_of_all_seeds() -> None:
    found = found_rounds(SATA, "iops", [[np.array(LATE)], [np.array(LATE)], [np.array(STEADY)]], stopped=7)
    # The means are 233, 167, 100, ...: the first window without the first two rounds ends with round 7.
    assert (found.of_mean, found.of_seeds, found.near) == (7, (7, 7, 5), 2)
    assert not found.holds


def test_a_round_that_is_too_far_from_the_true_one_is_explained_by_the_ranges_there() -> None:
    # A spike in the middle of the first window, with a range just below or above the limit.
    below, above = ([np.array([100.0, 100.0, spike, *[100.0] * 7])] for spike in (119, 122))
    found = found_rounds(SATA, "iops", [below, above, above], stopped=5)
    assert (found.of_mean, found.of_seeds) == (8, (5, 8, 8))
    (edge,) = found.edges
    assert edge.round == 5
    assert edge.ranges == pytest.approx((21 / 104.2, 19 / 103.8, 22 / 104.4))
    assert edge.lines == pytest.approx((0, 0, 0), abs=1e-9)
    assert "round 5: range 20.2% (seeds 18.3% to 21.1%), limit 20 %" in edge_sentences([found])
    assert edge_sentences([found_rounds(FIXED, "iops", [[np.array(STEADY)]], stopped=5)]) == ""


def test_a_seed_that_is_found_late_is_explained_by_the_true_round() -> None:
    steep = [np.array([100.0, 103.0, 106.0, 109.0, 112.0, *[112.0] * 5])]
    flat = [np.array([100.0] * 10)]
    found = found_rounds(SATA, "iops", [steep, flat, flat, flat], stopped=5)
    assert (found.of_mean, found.of_seeds) == (5, (6, 5, 5, 5))
    assert found.edges == ()
    steeper = [np.array([100.0, 105.0, 110.0, 115.0, 120.0, 125.0, 126.0, *[126.0] * 5])]
    found = found_rounds(SATA, "iops", [steeper, *[[np.array([100.0] * 12)]] * 3], stopped=5)
    (edge,) = found.edges
    assert (found.of_mean, edge.round) == (5, 5)
    assert edge.lines[2] == pytest.approx(20 / 110)


@pytest.mark.parametrize(("stopped", "holds"), [(7, True), (8, False)])
def test_the_procedure_must_end_in_the_round_that_is_found(stopped: int, *, holds: bool) -> None:
    assert found_rounds(SATA, "iops", [[np.array(LATE)]], stopped).holds is holds


def test_a_model_without_a_state_must_be_steady_in_the_first_window() -> None:
    assert found_rounds(FIXED, "iops", [[np.array(STEADY)]], stopped=5).holds
    assert not found_rounds(FIXED, "iops", [[np.array(LATE)]], stopped=7).holds


def test_a_shipped_test_is_steady_where_it_should_be() -> None:
    for each in steady_rounds(["tp"], [FIXED, SATA], seeds=2):
        assert each.holds, each


def test_a_drive_that_is_measured_again_replaces_its_older_result(tmp_path: Path) -> None:
    older = found_rounds(SATA, "iops", [[np.array(LATE)], [np.array(STEADY)], [np.array(STEADY)]], stopped=7)
    other, newer = (found_rounds(each, "iops", [[np.array(STEADY)]], stopped=5) for each in (FIXED, SATA))
    assert older.edges
    keep([other, older], tmp_path)
    assert kept(tmp_path) == [older, other]
    keep([newer], tmp_path)
    assert kept(tmp_path) == [newer, other]
    assert "| iops | sata-dc 1:300 | 5 |" in (tmp_path / "steady-rounds.md").read_text(encoding="utf-8")
