"""How quantities are written."""

import pytest

from iosonde.charts.quantities import depth_label, value_with_interval


@pytest.mark.parametrize(
    ("achieved", "device", "label"),
    [
        (None, None, "depth 8"),
        (7.9, None, "depth 8"),
        (7.2, None, "depth 8 (7.20 achieved)"),
        (7.2, 7.19, "depth 8 (7.20 achieved)"),
        (7.9, 6.1, "depth 8 (6.10 at the device)"),
        (7.9, 7.8, "depth 8"),
    ],
)
def test_a_depth_that_was_not_reached_says_where_it_was_counted(
    achieved: float | None, device: float | None, label: str
) -> None:
    assert depth_label(8, achieved, device) == label


def test_a_value_has_its_half_width_with_as_many_decimals() -> None:
    assert value_with_interval(1_234.5, 12.34) == "1,234 ± 12"
    assert value_with_interval(12.345, None) == "12.35"
    assert value_with_interval(5_000_000, 1_000, 1e-6) == "5.000 ± 0.001"
