"""Parentheses in sentences of the report are never nested."""

import pytest

from iosonde.report.parentheses import in_parentheses, with_note


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth 128", "(depth 128)"),
        ("depth 128 (120 achieved)", "(depth 128, 120 achieved)"),
        ("depth 16 (14.2 achieved) on 2 targets", "(depth 16, 14.2 achieved, on 2 targets)"),
        ("4 KiB, depth 8 (7.2 achieved), verified", "(4 KiB, depth 8, 7.2 achieved, verified)"),
    ],
)
def test_parentheses_inside_parentheses_become_commas(text: str, expected: str) -> None:
    assert in_parentheses(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth 128", "depth 128 (95 % CI 64 to 128)"),
        ("depth 128 (120 achieved)", "depth 128 (120 achieved; 95 % CI 64 to 128)"),
    ],
)
def test_a_note_joins_the_parentheses_that_end_a_text(text: str, expected: str) -> None:
    assert with_note(text, "95 % CI 64 to 128") == expected
