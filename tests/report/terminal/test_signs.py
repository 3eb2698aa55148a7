"""Bars and sparklines, and what stands for them in ASCII."""

import pytest
from rich.console import Console

from iosonde.report.terminal.symbols import EIGHTHS, FULL, LEVELS, Harmless, bar, in_ascii, sparkline


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, ""), (1.0, "████"), (0.5, "██"), (0.53, "██▏"), (0.0001, "▏"), (7.0, "████")]
)
def test_a_bar_is_as_long_as_its_share_to_an_eighth(share: float, text: str) -> None:
    assert bar(share, 4) == text


def test_a_sparkline_stands_on_a_scale_from_zero() -> None:
    assert sparkline([0.0, 50.0, 100.0], 10) == "▁▅█"
    assert sparkline([99.0, 100.0], 10) == "██"


def test_a_sparkline_shows_a_value_that_is_not_there_as_a_gap() -> None:
    assert sparkline([1.0, None, 1.0], 10) == "█ █"
    assert sparkline([], 10) == ""


def test_a_sparkline_averages_what_is_more_than_its_width() -> None:
    assert sparkline([0.0, 0.0, 100.0, 100.0], 2) == "▁█"


def test_two_sparklines_can_share_a_scale() -> None:
    assert sparkline([50.0], 10, top=100.0) == "▅"


@pytest.mark.parametrize("text", [EIGHTHS, LEVELS, FULL, "12 ± 3", "7 ±52%", "–", "a…b", "4 × 5"])
def test_ascii_takes_as_many_columns(text: str) -> None:
    plain = in_ascii(text)
    assert plain.isascii()
    assert len(plain) == len(text)


def test_no_control_character_reaches_the_terminal() -> None:
    console = Console(width=40, force_terminal=False)
    with console.capture() as capture:
        console.print(Harmless("a\x1b]0;owned\x07b\u202ec\nd", ascii_only=False), markup=False)
    assert "\x1b" not in capture.get()
    assert "\u202e" not in capture.get()
    assert capture.get().endswith("\nd\n")
