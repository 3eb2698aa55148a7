"""How long trials recover, with a column for each drive or run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures.courses import scale_of
from iosonde.analysis.procedures.recovery import TrialRecovery, trial_recoveries
from iosonde.analysis.procedures.side_by_side import SameTest
from iosonde.report.dashes import Dash
from iosonde.report.procedures.course_tables import NOT_MEASURED, lengths_text, recovery_text, until_text, with_scale
from iosonde.report.procedures.side_by_side_tables import (
    COLUMNS_MAX,
    NO_TRIAL,
    compared_text,
    entry_sign,
    trial_tables,
)
from iosonde.report.tables import ResultTable
from iosonde.vocabulary import ProcedureKind

DIFFERENT_SCALES: Final = " as measured; the runs have different time scales, so that it is not compared"
NO_GAIN: Final = "the first sample has no completed operation"


@dataclass(frozen=True)
class _Figure:
    """A figure of a trial: its title, the notes of its table, its text (a dash with a reason) and its number."""

    title: str
    notes: tuple[str, ...]
    text: Callable[[TrialRecovery], str]
    value: Callable[[TrialRecovery], float | None]


@dataclass(frozen=True)
class _Words:
    """The captions of a test's gains and times, and what its times end at. ``gain`` is empty without gains."""

    gain: str
    time: str
    level: str


WORDS: Final = {
    ProcedureKind.HOST_IDLE_RECOVERY: _Words(
        "Gain: the level of the on-periods as a multiple of the baseline before",
        "Return to baseline",
        "the baseline before the wait state",
    ),
    ProcedureKind.CROSS_STIMULUS_RECOVERY: _Words("", "Recovery time", "the level of the group"),
}
AFTER_SATURATION: Final = _Words(
    "Gain of idle time: the first sample as a multiple of the level of the saturated drive",
    "Time back at the level",
    "the level of the saturated drive",
)


def recovery_tables(test: SameTest, columns_max: int = COLUMNS_MAX) -> Iterator[ResultTable]:
    """The gains and the recovery times of a test that has them: a row for each trial, a column for each entry."""
    found = [
        {each.phase.name: each for each in trial_recoveries(test.kind, entry.long_trials)} for entry in test.entries
    ]
    if not any(found):
        return
    words = WORDS.get(test.kind, AFTER_SATURATION)
    every = [each for one in found for each in one.values()]
    scales = {scale_of(each.source.run) for each in test.entries if each.source.run is not None}
    is_scaled_alike = len(scales) <= 1
    is_of_sample = words is AFTER_SATURATION
    of_sample = f"The first sample: {lengths_text([each.phase.samples[:1] for each in every if each.phase.samples])}."
    of_time = f"{words.time}: {until_text(words.level, [each.back for each in every if each.back is not None])}."
    figures = [
        _Figure(words.gain, (of_sample,) if is_of_sample else (), _gain_text, lambda each: each.gain),
        _Figure(words.time, (of_time,), _back_text, _time_ns),
    ]
    for figure in figures if words.gain else figures[1:]:
        # The gain of a wait state is a ratio of levels, which does not depend on the scale of times.
        is_compared = is_scaled_alike or (figure is figures[0] and not is_of_sample)
        how = f", with the difference from {test.entries[0].label}" if is_compared else DIFFERENT_SCALES
        names = dict.fromkeys(name for each in found for name in each)
        rows = {
            name: _texts(test, [each.get(name) for each in found], figure, is_compared=is_compared) for name in names
        }
        for table in trial_tables(test, f"{figure.title}{how}.", rows, columns_max, figure.notes):
            yield with_scale(table, *scales) if len(scales) == 1 else table


def _texts(test: SameTest, trials: Sequence[TrialRecovery | None], figure: _Figure, *, is_compared: bool) -> list[str]:
    """The texts of a trial, one for each entry; with the difference from the first one if they are compared."""
    values = [None if each is None else figure.value(each) for each in trials]
    texts: list[str] = []
    for number, (entry, mine, value) in enumerate(zip(test.entries, trials, values, strict=True)):
        base = values[0] if number and is_compared else None
        if mine is None:
            texts.append(Dash(NO_TRIAL))
        elif value is None:
            texts.append(figure.text(mine))
        else:
            texts.append(compared_text(figure.text(mine), entry_sign(entry, mine.phase.cell), value, base))
    return texts


def _gain_text(mine: TrialRecovery) -> str:
    return Dash(NO_GAIN) if mine.gain is None else f"{mine.gain:.2f}"


def _back_text(mine: TrialRecovery) -> str:
    return Dash(NOT_MEASURED) if mine.back is None else recovery_text(mine.back)


def _time_ns(mine: TrialRecovery) -> float | None:
    return None if mine.back is None else mine.back.time_ns
