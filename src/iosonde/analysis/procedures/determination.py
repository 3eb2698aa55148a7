"""Steady-state determination: the figures of a window for each tracking variable, and the verdict over all rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.procedures.rounds import PhaseRounds
from iosonde.analysis.series.steady import (
    ROUNDING,
    SNIA,
    SteadyRule,
    WindowFigures,
    fio_deviation,
    fio_slope,
    holds,
    reached_and_left,
    recorded_rule,
    window_figures,
)
from iosonde.records import SteadyState, Workload
from iosonde.vocabulary import Quantity

IOPS_TRACKED: Final = ((0, 4096), (65, 65536), (100, 1 << 20))
"""Read percentage and block size of the tracking variables of the IOPS test (SNIA PTS 2.0.2, chapter 7)."""

FIO_DEVIATION: Final = 0.10
"""With a range of at most 20 % of the mean, no value is further than 10 % from it if the values are symmetric."""

FIO_SLOPE: Final = 0.025
"""A change of at most 10 % over four intervals is 2.5 % per round."""


class Verdict(StrEnum):
    """How rounds ended: in steady state, without having reached it, or after they had left it again."""

    REACHED = "reached"
    NOT_REACHED = "not_reached"
    LEFT = "left"


@dataclass(frozen=True)
class Determination:
    """The determination block of one tracking variable (SNIA PTS 2.0.2, 2.1.24 and chapter 7).

    ``rounds`` are those of the window, and ``values`` its values. The best-fit line is ``slope * R + intercept`` over
    rounds R, counted from 1. ``correlation`` is None if all values are equal. ``is_steady`` is whether this window
    fulfils the criterion for this variable. ``reached`` and ``left`` are rounds of this variable alone.
    """

    cell: str
    quantity: Quantity
    workload: Workload
    rounds: tuple[int, ...]
    values: tuple[float, ...]
    average: float
    range_allowed: float
    range_measured: float
    excursion_allowed: float
    excursion_measured: float
    slope: float
    intercept: float
    correlation: float | None
    is_steady: bool
    reached: int | None
    left: int | None

    @property
    def range_share(self) -> float:
        """The measured range as a share of the average."""
        return self.range_measured / self.average

    @property
    def excursion_share(self) -> float:
        """The measured change of the line over the window as a share of the average."""
        return self.excursion_measured / self.average

    @property
    def slope_per_round_share(self) -> float:
        """The change of the line from one round to the next as a share of the average, without its sign."""
        return abs(self.slope) / self.average

    @property
    def slope_all_rounds_share(self) -> float:
        """The slope times the number of rounds in the window, as a share of the average, as some tools take it."""
        return self.slope_per_round_share * len(self.rounds)

    def line_at(self, number: int) -> float:
        """The best-fit line at a round."""
        return self.slope * number + self.intercept


@dataclass(frozen=True)
class Criterion:
    """The verdict of one criterion over all rounds of a phase. ``reached`` and ``left`` are rounds, counted from 1.

    ``of`` says which variables it applies to.
    """

    name: str
    of: str
    rounds: int
    reached: int | None
    left: int | None

    @property
    def verdict(self) -> Verdict:
        """How the rounds ended by this criterion."""
        if self.reached is None:
            return Verdict.NOT_REACHED
        return Verdict.REACHED if self.left is None else Verdict.LEFT


def rule_of(phase: PhaseRounds) -> SteadyRule:
    """The criterion of a phase with tracking variables."""
    assert phase.rule is not None, "only a phase with a criterion has tracking variables"
    return recorded_rule(phase.rule, "SNIA PTS" if _is_snia(phase.rule) else "of the procedure")


def _is_snia(rule: SteadyState) -> bool:
    return (rule.window, rule.range_share, rule.excursion_share) == (SNIA.window, SNIA.range_max, SNIA.excursion_max)


def determinations_of(phase: PhaseRounds) -> tuple[Determination, ...]:
    """The block of each tracking variable whose window is complete."""
    if phase.rule is None or not phase.is_whole_window:
        return ()
    found = (_determined(phase, each.cell, each.quantity) for each in phase.tracked)
    return tuple(each for each in found if each is not None)


def _determined(phase: PhaseRounds, cell: str, quantity: Quantity) -> Determination | None:
    assert phase.rule is not None
    series = phase.series(cell, quantity)
    numbers = np.arange(phase.window.start, phase.window.stop)
    values = series[numbers - 1]
    if np.isnan(values).any() or not values.mean():
        return None
    rule = rule_of(phase)
    figures = window_figures(values)
    slope = figures.slope_share * figures.mean
    holding = _holding(phase, [series], rule)
    reached, left = reached_and_left(holding, rule.window)
    return Determination(
        cell=cell,
        quantity=quantity,
        workload=phase.workloads[cell],
        rounds=tuple(map(int, numbers)),
        values=tuple(map(float, values)),
        average=figures.mean,
        range_allowed=phase.rule.range_share * figures.mean,
        range_measured=figures.range_share * figures.mean,
        excursion_allowed=phase.rule.excursion_share * figures.mean,
        excursion_measured=figures.excursion_share * figures.mean,
        slope=slope,
        intercept=figures.mean - slope * float(numbers.mean()),
        correlation=_correlation(values, figures),
        is_steady=bool(holding[phase.window.stop - 1 - rule.window]),
        reached=reached,
        left=left,
    )


def _correlation(values: NDArray[np.float64], figures: WindowFigures) -> float | None:
    """Pearson's coefficient of the values and their rounds; None if the values are all equal."""
    spread = float(values.std())
    # The sums of equal values have rounding errors.
    if spread <= ROUNDING * abs(figures.mean):
        return None
    rounds = float(np.arange(len(values), dtype=np.float64).std())
    return figures.slope_share * figures.mean * rounds / spread


def criteria_of(phase: PhaseRounds) -> tuple[Criterion, ...]:
    """The verdict of the procedure's criterion on all tracking variables together, then those of other tools."""
    if phase.rule is None or not phase.tracked:
        return ()
    window = phase.rule.window
    first, every = phase.tracked[0], phase.tracked
    own = "SNIA PTS" if _is_snia(phase.rule) else "this procedure"
    all_of_them = "all tracking variables" if len(every) > 1 else "the tracking variable"
    found = [_judged(phase, every, rule_of(phase), own, all_of_them)]
    rules: list[tuple[str, SteadyRule]] = [
        ("TKperf", SNIA),
        ("fio, largest deviation of 10 %", fio_deviation(window, FIO_DEVIATION)),
        ("fio, slope of 2.5 % per round", fio_slope(window, FIO_SLOPE)),
    ]
    # A criterion with a larger window than the procedure's may have too few rounds to be judged at all.
    judged = [each for each in rules if each[1].window <= max(window, phase.rounds)]
    return (*found, *(_judged(phase, (first,), rule, name, "the first tracking variable") for name, rule in judged))


def known_rounds(phase: PhaseRounds) -> list[bool]:
    """Whether each round has a value of all tracking variables."""
    tracked = [phase.series(each.cell, each.quantity) for each in phase.tracked]
    return [all(not np.isnan(values[number]) for values in tracked) for number in range(phase.rounds)]


def last_whole_window(phase: PhaseRounds) -> int | None:
    """The last round of the last window that has all values; None if no window has."""
    size, known = rule_of(phase).window, known_rounds(phase)
    return next((last for last in range(phase.rounds, size - 1, -1) if all(known[last - size : last])), None)


def no_window_text(phase: PhaseRounds) -> str:
    """Why no window can be judged, in words; empty if one can."""
    size, counted = rule_of(phase).window, phase.counted
    if phase.rounds < size:
        return f"there {'is' if phase.rounds == 1 else 'are'} only {counted.times(phase.rounds)}"
    return f"no {size} consecutive {counted.many} have all values" if last_whole_window(phase) is None else ""


def _judged(phase: PhaseRounds, tracked: Sequence[object], rule: SteadyRule, name: str, of: str) -> Criterion:
    series = [phase.series(each.cell, each.quantity) for each in phase.tracked if each in tracked]
    return Criterion(name, of, phase.rounds, *reached_and_left(_holding(phase, series, rule), rule.window))


def _holding(phase: PhaseRounds, series: Sequence[NDArray[np.float64]], rule: SteadyRule) -> list[bool | None]:
    """Whether each window fulfils a rule for each of the series, from the first complete window on.

    None for a window with a gap or an unknown value, which cannot be judged.
    """
    broken = phase.broken or frozenset()

    def is_holding(last: int) -> bool | None:
        first = last - rule.window + 1
        if broken & set(range(first + 1, last + 1)) or any(np.isnan(each[first - 1 : last]).any() for each in series):
            return None
        # A range of zeros is within any bound, but in such rounds nothing was measured.
        windows = [values[first - 1 : last] for values in series]
        return all(window.any() and holds(window_figures(window), rule) for window in windows)

    return [is_holding(last) for last in range(rule.window, phase.rounds + 1)]
