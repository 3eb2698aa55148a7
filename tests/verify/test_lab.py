"""The criteria that compare a lab campaign with a requested precision with one of fixed times."""

from verify.lab import Known, compared

FIXED = Known({"a": (100.0, 10.0, 40.0), "b": (50.0, 20.0, 80.0)}, frozenset(), device_s=100)
TRUTH = Known({"a": (110.0, 10.0, 40.0), "b": (50.0, 25.0, 100.0)}, frozenset(), device_s=1_000)


def test_all_cells_known_in_a_fifth_with_errors_within_what_was_asked_hold() -> None:
    known = Known({"a": (109.0, 10.0, 40.0), "b": (50.0, 24.9, 99.0)}, frozenset({"a", "b"}), device_s=20)
    found = compared("x", TRUTH, FIXED, known)
    assert found.holds
    assert (found.met, found.cells, found.share, found.beyond, found.beyond_fixed) == (2, 2, 0.2, 0, 0.5)
    assert found.error < found.error_fixed


def test_a_cell_that_is_not_known_does_not_hold() -> None:
    known = Known({"a": (110.0, 10.0, 40.0), "b": (50.0, 25.0, None)}, frozenset({"a"}), device_s=20)
    assert not compared("x", TRUTH, FIXED, known).holds


def test_larger_errors_do_not_hold() -> None:
    known = Known({"a": (150.0, 15.0, 60.0), "b": (75.0, 37.0, 150.0)}, frozenset({"a", "b"}), device_s=20)
    assert not compared("x", TRUTH, FIXED, known).holds


def test_errors_as_small_as_asked_but_larger_than_those_of_fixed_times_do_not_hold() -> None:
    fixed = Known(TRUTH.figures, frozenset(), device_s=100)
    known = Known({"a": (109.0, 9.9, 39.9), "b": (49.9, 24.9, 99.0)}, frozenset({"a", "b"}), device_s=20)
    found = compared("x", TRUTH, fixed, known)
    assert found.known
    assert not found.no_larger
    assert not found.holds


def test_errors_beyond_what_was_asked_do_not_hold() -> None:
    known = Known({"a": (110.0, 10.0, 40.0), "b": (50.0, 25.0, 103.0)}, frozenset({"a", "b"}), device_s=20)
    found = compared("x", TRUTH, FIXED, known)
    assert not found.holds
    assert found.beyond == 1 / 6


def test_more_than_a_fifth_of_the_time_does_not_hold() -> None:
    assert not compared("x", TRUTH, FIXED, Known(TRUTH.figures, frozenset({"a", "b"}), device_s=21)).holds
