"""Whether rounds have become steady: reached, not reached, or left again.

The SNIA's criterion (Solid State Storage Performance Test Specification 2.0.2, section 2.1.24) asks two things of the
last five rounds, of every tracking variable: that its values lie within 20 % of their mean, and that the line through
them moves by no more than 10 % of it over the window. fio (``steadystate``) asks one of the two, TKperf the same two as
the SNIA; their names stand for what they compare, for whoever has figures that were judged by them. The criteria are
about rounds of one procedure, equally long and one right after the other: whoever applies their arithmetic to anything
else says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class SteadyRule:
    """What the last ``window`` rounds must fulfil; shares are of their mean, None asks for nothing.

    ``range_max`` bounds the largest value less the smallest, ``deviation_max`` the distance of any value from the mean,
    ``excursion_max`` how far the least-squares line moves over the window, and ``slope_max`` how far from one round to
    the next.
    """

    name: str
    window: int
    range_max: float | None = None
    deviation_max: float | None = None
    excursion_max: float | None = None
    slope_max: float | None = None


SNIA: Final = SteadyRule("SNIA PTS and TKperf", window=5, range_max=0.20, excursion_max=0.10)
"""One criterion, which TKperf took from the specification: it has both names and is told once."""


def fio_deviation(window: int, share: float) -> SteadyRule:
    """What fio calls ``iops:SHARE`` (or ``bw``, ``lat``) over a window of so many checks."""
    return SteadyRule(f"fio, {share:.0%} of the mean", window, deviation_max=share)


def fio_slope(window: int, share: float) -> SteadyRule:
    """What fio calls ``iops_slope:SHARE`` (or ``bw``, ``lat``) over a window of so many checks."""
    return SteadyRule(f"fio, slope of {share:.0%} a check", window, slope_max=share)


@dataclass(frozen=True)
class Steadiness:
    """When rounds, counted from 1, became steady, and whether they stayed so.

    ``reached`` is the last round of the first window that holds, ``left`` the last round of the first later window that
    does not; ``rounds`` is how many there were. None where that did not happen.
    """

    rule: SteadyRule
    rounds: int
    reached: int | None
    left: int | None

    @property
    def holds(self) -> bool:
        """Whether the last window holds, and every one since the first that did."""
        return self.reached is not None and self.left is None


@dataclass(frozen=True)
class WindowFigures:
    """What a window of one variable comes to, as shares of its mean; the slope is that from one round to the next."""

    mean: float
    range_share: float
    deviation_share: float
    slope_share: float
    rounds: int

    @property
    def excursion_share(self) -> float:
        """How far the line through the values moves over the window."""
        return abs(self.slope_share) * (self.rounds - 1)


def judge_steadiness(variables: Mapping[str, ArrayLike], rule: SteadyRule) -> Steadiness:
    """Judges rounds by every tracking variable; all have one value a round, in the order of time."""
    series = [np.asarray(values, dtype=np.float64) for values in variables.values()]
    assert series, "there is nothing to judge"
    rounds = len(series[0])
    assert all(len(values) == rounds for values in series), "every variable has one value a round"
    holding = [
        all(holds(window_figures(values[last - rule.window : last]), rule) for values in series)
        for last in range(rule.window, rounds + 1)
    ]
    return Steadiness(rule, rounds, *_turns(holding, rule.window))


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
    return all(most is None or share <= most for share, most in asked)


def _turns(holding: Sequence[bool], window: int) -> tuple[int | None, int | None]:
    first = next((index for index, each in enumerate(holding) if each), None)
    if first is None:
        return None, None
    lost = next((index for index, each in enumerate(holding) if index > first and not each), None)
    return window + first, None if lost is None else window + lost
