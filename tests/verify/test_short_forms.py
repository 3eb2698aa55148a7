"""The comparison of short forms with full ones: what counts as different, and one test on a small drive."""

import pytest

from verify.short_forms import Form, compared, differences

CELL = ("rounds", "65/35", "8 KiB", "4 x 32")


def forms(*iops: float, device_ns: int = 100) -> list[Form]:
    return [Form({(*CELL, "IOPS"): each}, device_ns) for each in iops]


def test_the_medians_over_seeds_are_compared() -> None:
    found = differences("iops", "sata-dc", forms(90, 100, 900), forms(102, 1, 5000, device_ns=9), scale=8)
    assert found.kinds["IOPS"].largest == pytest.approx(0.02)
    assert (found.seeds, found.time_share, found.missed) == (3, 0.09, [])


def test_a_figure_beyond_three_percent_and_too_long_a_time_are_named() -> None:
    found = differences("iops", "sata-dc", forms(100), forms(104, device_ns=11), scale=8)
    assert (found.kinds["IOPS"].cells, found.kinds["IOPS"].beyond) == (1, 1)
    assert found.kinds["IOPS"].largest_of == "rounds 65/35 8 KiB 4 x 32"
    assert found.missed == ["IOPS", "device time"]


def test_a_figure_that_one_form_lacks_is_not_compared() -> None:
    found = differences("iops", "sata-dc", forms(100), [Form({}, 10)], scale=8)
    assert found.kinds == {}


def test_on_a_drive_without_a_state_the_short_form_has_the_figures_of_the_full_one() -> None:
    found = compared("lat", "fixed", seeds=1, scale=1)
    assert found.time_share < 0.2
    assert {kind: each.beyond for kind, each in found.kinds.items()} == dict.fromkeys(found.kinds, 0)
