"""Ratios as text."""

import pytest

from iosonde.analysis.contrasts import Multiple
from iosonde.analysis.ratios import Ratio
from iosonde.charts.ratio_texts import multiple_text, ratio_ends, ratio_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.5, "1,234"), (12.36, "12.4"), (1.0, "1.00"), (0.394, "0.39"), (0.0412, "0.041"), (0.00412, "0.0041")],
)
def test_a_ratio_has_three_significant_digits_or_two_below_1(value: float, text: str) -> None:
    assert ratio_text(value) == text


def test_a_narrow_interval_has_the_decimals_that_tell_its_ends_apart() -> None:
    assert ratio_ends(Ratio(4.951, 4.9499, 4.9523)) == "4.950 to 4.952"
    assert ratio_ends(Ratio(1.0, 0.48, 0.52)) == "0.48 to 0.52"


def test_a_ratio_has_as_many_decimals_as_its_interval() -> None:
    assert multiple_text(Multiple(1.0007, Ratio(1.0007, 1.0004, 1.0011))) == "1.001"
    assert multiple_text(Multiple(1.0007, None)) == "1.00"


def test_ends_that_are_the_same_number_have_no_more_decimals() -> None:
    assert ratio_ends(Ratio(2.0, 2.0, 2.0)) == "2.00 to 2.00"


def test_a_small_ratio_never_has_more_than_six_decimals() -> None:
    assert ratio_text(1e-12) == "0.000000"
