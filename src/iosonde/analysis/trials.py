"""The trials of a run in run order: the throughput of each relative to its cell, and the breaks between them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from statistics import median
from typing import Final

from iosonde.analysis.states import measured_repeats, sort_repeats
from iosonde.analysis.time_series import STRETCH_NS, moments_of
from iosonde.analysis.totals import count_all
from iosonde.records import CellRecord, IdleStep, RunRecord
from iosonde.units import SECOND_NS
from iosonde.vocabulary import DiscardReason

PAUSE_NS_MIN: Final = 10 * SECOND_NS
PAUSE_TIMES: Final = 10
"""A pause is at least this many times as long as the median time between two trials, and at least ten seconds."""

WINDOW_MIN: Final = 9
WINDOW_SHARE: Final = 1 / 30


class BreakKind(StrEnum):
    """Why a trial does not directly follow the one before: ``preconditioning``, a resumption, or a ``pause``."""

    PRECONDITIONING = "preconditioning"
    RESUMED = "resumed"
    PAUSE = "pause"


@dataclass(frozen=True)
class Break:
    """A break before the trial at ``place``, and its length; 0 if unknown."""

    place: int
    kind: BreakKind
    length_ns: int


@dataclass(frozen=True)
class Trial:
    """One finished trial.

    ``place`` is its place in the order of measurement, from 1. ``share`` is its throughput divided by the median of the
    used repeats of its cell. ``lowest`` and ``highest`` are the extremes of its parts of at least ``STRETCH_NS``; None
    without intervals.
    """

    record: CellRecord
    place: int
    wall_ns: int | None
    iops: float
    share: float
    fate: DiscardReason
    lowest: float | None
    highest: float | None


def trials_of(records: Sequence[CellRecord]) -> list[Trial]:
    """The finished trials of a run in the order of measurement."""
    by_cell: dict[str, list[CellRecord]] = defaultdict(list)
    for record in records:
        by_cell[record.cell].append(record)
    places = {order: place for place, order in enumerate(sorted({each.order for each in measured_repeats(records)}), 1)}
    found = [trial for mine in by_cell.values() for trial in _trials(mine, places)]
    return sorted(found, key=lambda trial: trial.place)


def _trials(mine: Sequence[CellRecord], places: dict[int, int]) -> list[Trial]:
    """The finished trials of one cell; none if its median throughput is 0."""
    repeats = sort_repeats(mine)
    rates = {each.order: _rate(each) for each in measured_repeats(mine)}
    middle = median([rates[each.order] for each in repeats.used] or list(rates.values()) or [0.0])
    if not middle:
        return []
    ends: dict[int, list[float]] = defaultdict(list)
    for moment in moments_of(mine, length_ns_min=STRETCH_NS):
        ends[moment.record.order].append(moment.iops / middle)
    return [
        Trial(
            record=each,
            place=places[each.order],
            wall_ns=None if each.clock_start is None else each.clock_start.wall_ns,
            iops=rates[each.order],
            share=rates[each.order] / middle,
            fate=repeats.fates[each.order],
            lowest=min(ends[each.order], default=None),
            highest=max(ends[each.order], default=None),
        )
        for each in measured_repeats(mine)
    ]


def _rate(record: CellRecord) -> float:
    return count_all(record.operations) * SECOND_NS / record.measured_ns


def running_median(trials: Sequence[Trial], breaks: Sequence[Break]) -> list[float]:
    """The median share of the trials around each trial, without those beyond a break: what all cells have in common."""
    borders = sorted({each.place for each in breaks})
    half = max(WINDOW_MIN, round(len(trials) * WINDOW_SHARE)) // 2
    part = [sum(border <= trial.place for border in borders) for trial in trials]
    shares = [trial.share for trial in trials]
    middles = []
    for index in range(len(trials)):
        around = range(max(index - half, 0), min(index + half + 1, len(trials)))
        middles.append(median(shares[each] for each in around if part[each] == part[index]))
    return middles


def breaks_of(run: RunRecord) -> tuple[Break, ...]:
    """The breaks between the trials of a run, in order."""
    measured = sorted(measured_repeats(run.cells), key=lambda each: each.order)
    places = {order: place for place, order in enumerate(sorted({each.order for each in measured}), 1)}
    breaks = {each.place: each for each in _pauses(measured, places)}
    for session in run.sessions:
        resumed_ns = int(datetime.fromisoformat(session.resumed_at).timestamp() * SECOND_NS)
        later = [each for each in measured if each.clock_start is not None and each.clock_start.wall_ns >= resumed_ns]
        if later and places[later[0].order] > 1:
            place = places[later[0].order]
            known = breaks.get(place)
            breaks[place] = Break(place, BreakKind.RESUMED, 0 if known is None else known.length_ns)
    steps = run.header.plan.preparation
    if steps and measured and run.preparation:
        idle_ns = sum(step.duration_ns for step in steps if isinstance(step, IdleStep))
        breaks[1] = Break(1, BreakKind.PRECONDITIONING, idle_ns)
    return tuple(breaks[place] for place in sorted(breaks))


def _pauses(measured: Sequence[CellRecord], places: dict[int, int]) -> list[Break]:
    """The breaks in which much more time passed between two trials than usual."""
    gaps = [
        (places[behind.order], behind.clock_start.wall_ns - before.clock_end.wall_ns - behind.timing.warmup_ns)
        for before, behind in pairwise(measured)
        if before.clock_end is not None and behind.clock_start is not None and behind.order != before.order
    ]
    if not gaps:
        return []
    least_ns = max(PAUSE_NS_MIN, PAUSE_TIMES * median(gap_ns for _, gap_ns in gaps))
    return [Break(place, BreakKind.PAUSE, gap_ns) for place, gap_ns in gaps if gap_ns >= least_ns]
