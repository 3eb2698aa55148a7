"""What the comparison of reports with older ones takes for the same."""

from math import inf

import pytest

from tools.same_reports import ROUNDED_MAX, distance


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"low": 5595.616893326988}', '{"low": 5595.616893326987}'),
        ("1e+16,1e-05", "1e16,0.00001"),
        (f'"data-{"a" * 32}": [1.0]', f'"data-{"b" * 32}": [1.0]'),
    ],
)
def test_figures_that_are_rounded_otherwise_are_the_same(old: str, new: str) -> None:
    assert distance(old, new) <= ROUNDED_MAX


def test_another_figure_is_a_difference_of_its_size() -> None:
    assert distance("1000000000.25", "1100000000.275") == pytest.approx(1 / 11)
    assert distance("0.0", "1e-9") == 1.0


@pytest.mark.parametrize(("old", "new"), [("12 ms", "12 us"), ("a 1", "a 1 2"), ("quick", "slow"), ("1.5", "1.50")])
def test_other_words_and_other_digits_that_are_shown_are_a_difference(old: str, new: str) -> None:
    assert distance(old, new) == inf
