"""A deadline uses the clock that it is given."""

from iosonde.children import Deadline


def test_a_deadline_is_over_when_its_clock_has_passed_it() -> None:
    now_s = 100.0
    deadline = Deadline(5.0, lambda: now_s)
    assert (deadline.left_s, deadline.is_over) == (5.0, False)
    now_s = 105.0
    assert (deadline.left_s, deadline.is_over) == (0.0, False)
    now_s = 105.5
    assert (deadline.left_s, deadline.is_over) == (0.0, True)
