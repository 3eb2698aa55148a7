"""A short version of the check of regime changes: one change that must be found, and a run without any."""

from iosonde.analysis.regimes import regimes_of
from iosonde.units import SECOND_NS
from verify.regimes import OFF_NS_MAX, has_moved, measured_switch, measured_without_change, written


def test_a_switch_of_the_model_is_found_within_two_seconds() -> None:
    at_ns, found = measured_switch((1.5, 2))
    assert len(found) == 2
    assert abs(found[1].start_ns - at_ns) <= OFF_NS_MAX


def test_where_nothing_changes_nothing_is_found() -> None:
    assert len(measured_without_change(("mm1", 2, 1))) == 1


def test_the_moment_at_which_a_drive_begins_to_collect_is_found_within_two_seconds() -> None:
    scale, whole_ns = 60, 20 * SECOND_NS
    _, second, *_ = regimes_of(written(scale, whole_ns))
    assert not has_moved(written(scale, second.start_ns - OFF_NS_MAX))
    assert has_moved(written(scale, second.start_ns + OFF_NS_MAX))
