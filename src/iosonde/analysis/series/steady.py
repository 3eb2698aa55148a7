"""Steady state of rounds: reached, not reached, or left again.

The SNIA criterion (Solid State Storage Performance Test Specification 2.0.2, section 2.1.24) has two conditions for the
last five rounds of every tracking variable: its values range over at most 20 % of their mean, and the best-fit line
changes by at most 10 % of it over the window. fio (``steadystate``) requires one of the two, TKperf both. The rules
have the names of these tools, so that results can be compared with theirs. The criteria apply to consecutive rounds of
equal length. Code that applies their arithmetic to other repeats reports that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iosonde.records import SteadySamples, SteadyState
from iosonde.units import format_percent


@dataclass(frozen=True)
class SteadyRule:
    """The conditions for the last ``window`` rounds, as shares of their mean; None is no condition.

    ``range_max`` bounds the largest value less the smallest, ``deviation_max`` the distance of any value from the mean,
    ``excursion_max`` the change of the least-squares line over the window, and ``slope_max`` its change per round.
    """

    name: str
    window: int
    range_max: float | None = None
    deviation_max: float | None = None
    excursion_max: float | None = None
    slope_max: float | None = None


ROUNDING: Final = 1e-9
"""A share that is exactly at its bound may be above it by the rounding of its sums."""

SNIA: Final = SteadyRule("SNIA PTS and TKperf", window=5, range_max=0.20, excursion_max=0.10)
"""TKperf uses the criterion of the specification, so it has both names and is reported once."""


def recorded_rule(rule: SteadyState | SteadySamples, name: str = "steady state") -> SteadyRule:
    """The criterion of a plan."""
    return SteadyRule(name, rule.window, range_max=rule.range_share, excursion_max=rule.excursion_share)


def fio_deviation(window: int, share: float) -> SteadyRule:
    """The rule ``iops:SHARE`` of fio (or ``bw``, ``lat``) over a window of this many checks."""
    return SteadyRule(f"fio, {format_percent(share)} of the mean", window, deviation_max=share)


def fio_slope(window: int, share: float) -> SteadyRule:
    """The rule ``iops_slope:SHARE`` of fio (or ``bw``, ``lat``) over a window of this many checks."""
    return SteadyRule(f"fio, slope of {format_percent(share)} per check", window, slope_max=share)


@dataclass(frozen=True)
class Steadiness:
    """When rounds, counted from 1, reached steady state, and whether they left it.

    ``reached`` is the last round of the first window that fulfils the rule, ``left`` the last round of the first later
    window that does not; None if that did not happen. ``rounds`` is the number of rounds.
    """

    rule: SteadyRule
    rounds: int
    reached: int | None
    left: int | None

    @property
    def holds(self) -> bool:
        """Whether steady state was reached and not left again."""
        return self.reached is not None and self.left is None


@dataclass(frozen=True)
class WindowFigures:
    """The statistics of a window of one variable, as shares of its mean. The slope is the change per round."""

    mean: float
    range_share: float
    deviation_share: float
    slope_share: float
    rounds: int

    @property
    def line_share(self) -> float:
        """The change of the best-fit line over the window, with its sign."""
        return self.slope_share * (self.rounds - 1)

    @property
    def excursion_share(self) -> float:
        """The change of the best-fit line over the window, without its sign."""
        return abs(self.line_share)


def judge_steadiness(variables: Mapping[str, ArrayLike], rule: SteadyRule) -> Steadiness:
    """Applies a rule to every tracking variable. Each has one value per round, in time order."""
    series = [np.asarray(values, dtype=np.float64) for values in variables.values()]
    assert series, "expected at least one tracking variable"
    rounds = len(series[0])
    assert all(len(values) == rounds for values in series), "expected one value per round for each tracking variable"
    holding = [
        all(holds(window_figures(values[last - rule.window : last]), rule) for values in series)
        for last in range(rule.window, rounds + 1)
    ]
    return Steadiness(rule, rounds, *reached_and_left(holding, rule.window))


def window_figures(values: NDArray[np.float64]) -> WindowFigures:
    """The figures of one window of at least two rounds."""
    mean = float(values.mean())
    if not mean:
        return WindowFigures(mean, 0.0, 0.0, 0.0, len(values))
    places = np.arange(len(values)) - (len(values) - 1) / 2
    slope = float((places * values).sum() / (places**2).sum())
    deviation = float(np.abs(values - mean).max())
    return WindowFigures(mean, float(np.ptp(values)) / mean, deviation / mean, slope / mean, len(values))


def holds(figures: WindowFigures, rule: SteadyRule) -> bool:
    """Whether a window fulfils a rule."""
    asked = (
        (figures.range_share, rule.range_max),
        (figures.deviation_share, rule.deviation_max),
        (figures.excursion_share, rule.excursion_max),
        (abs(figures.slope_share), rule.slope_max),
    )
    return all(most is None or share <= most * (1 + ROUNDING) for share, most in asked)


def is_steady(values: Sequence[float | None] | NDArray[np.float64], rule: SteadyRule) -> bool:
    """Whether the values of one window fulfil a rule. A window with an unknown value (None or NaN) does not."""
    found = np.asarray(values, dtype=np.float64)
    return not np.isnan(found).any() and holds(window_figures(found), rule)


def reached_and_left(holding: Sequence[bool | None], window: int) -> tuple[int | None, int | None]:
    """The last round of the first window that holds, and that of the first later one that does not.

    ``holding`` is whether each window holds, from the first complete one on; None if it cannot be judged. Rounds count
    from 1.
    """
    first = next((index for index, each in enumerate(holding) if each), None)
    if first is None:
        return None, None
    lost = next((index for index, each in enumerate(holding) if index > first and each is False), None)
    return window + first, None if lost is None else window + lost
