"""Sweeps over simulated queues find the true knee, the number of servers: a short ``make verify``."""

import pytest

from iosonde.analysis.knee import KneeReason
from verify.knee import Servers, find_knees

SEEDS = (1, 2)


@pytest.mark.parametrize("number", [4, 24, 128])
def test_the_knee_of_a_queue_lies_within_one_step_of_the_number_of_its_servers(number: int) -> None:
    (found,) = find_knees([Servers(number, "exponential", None)], SEEDS)
    assert found.right == len(SEEDS), found.knees


@pytest.mark.parametrize(("number", "reason"), [(1, KneeReason.FLAT), (1024, KneeReason.GROWING)])
def test_a_flat_sweep_and_a_straight_one_have_no_knee_to_be_told(number: int, reason: KneeReason) -> None:
    (found,) = find_knees([Servers(number, "exponential", reason)], SEEDS)
    assert found.right == len(SEEDS), found.knees


def test_what_is_two_steps_off_is_not_right() -> None:
    (found,) = find_knees([Servers(8, "constant", None)], SEEDS[:1])
    (other,) = find_knees([Servers(64, "constant", None)], SEEDS[:1])
    assert found.holds
    assert not type(found)(found.servers, other.knees).holds
