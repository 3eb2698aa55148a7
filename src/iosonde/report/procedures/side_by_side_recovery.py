"""How long trials recover, with a column for each drive or run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.procedures.courses import scale_of
from iosonde.analysis.procedures.recovery import TrialRecovery, trial_recoveries
from iosonde.analysis.procedures.side_by_side import Entry, SameTest
from iosonde.report.dashes import Dash
from iosonde.report.procedures.course_tables import NOT_MEASURED, lengths_text, recovery_text, until_text, with_scale
from iosonde.report.procedures.side_by_side_tables import (
    COLUMNS_MAX,
    difference_text,
    entry_sign,
    short_label,
    sign_notes,
    table_columns,
)
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.vocabulary import ProcedureKind

NO_TRIAL: Final = "the run has no such trial"
DIFFERENT_SCALES: Final = " as measured; the runs have different time scales, so that it is not compared"
NO_GAIN: Final = "the first sample has no completed operation"


@dataclass(frozen=True)
class _Shown:
    """What a table shows of a trial: its value as text, which has the reason of a missing one, and as a number.

    Without ``is_compared`` there are no differences: the runs' times are scaled differently.
    """

    text: Callable[[TrialRecovery], str]
    value: Callable[[TrialRecovery], float | None]
    is_compared: bool = True


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
    found = [{each.phase.name: each for each in _recoveries(test, entry)} for entry in test.entries]
    if not any(found):
        return
    words = WORDS.get(test.kind, AFTER_SATURATION)
    every = [each for one in found for each in one.values()]
    is_scaled_alike = len(_scales(test)) <= 1
    if words.gain:
        is_of_sample = words is AFTER_SATURATION
        lengths = lengths_text([each.phase.samples[:1] for each in every if each.phase.samples])
        notes = (f"The first sample: {lengths}.",) if is_of_sample else ()
        shown = _Shown(_gain_text, lambda each: each.gain, is_compared=is_scaled_alike or not is_of_sample)
        yield from _tables(test, words.gain, notes, found, shown, columns_max)
    notes = (f"{words.time}: {until_text(words.level, [each.back for each in every if each.back is not None])}.",)
    yield from _tables(test, words.time, notes, found, _Shown(_back_text, _time_ns, is_scaled_alike), columns_max)


def _scales(test: SameTest) -> set[int]:
    """By how much the times of the runs were divided."""
    return {scale_of(each.source.run) for each in test.entries if each.source.run is not None}


def _recoveries(test: SameTest, entry: Entry) -> Sequence[TrialRecovery]:
    return trial_recoveries(test.kind, entry.long_trials)


def _tables(  # noqa: PLR0913, PLR0917 - a table with its words and its values
    test: SameTest,
    title: str,
    notes: tuple[str, ...],
    found: Sequence[Mapping[str, TrialRecovery]],
    shown: _Shown,
    columns_max: int,
) -> Iterator[ResultTable]:
    names = list(dict.fromkeys(name for each in found for name in each))
    for columns in table_columns(test, columns_max):
        lines = tuple(
            Line((name, *(_text(test.entries[number], name, found, number, shown) for number in columns)))
            for name in names
        )
        heads = (Head("Trial", number=False), *(Head(short_label(test.entries[number].label)) for number in columns))
        how = f", with the difference from {test.entries[0].label}" if shown.is_compared else DIFFERENT_SCALES
        table = ResultTable(f"{title}{how}.", heads, lines, (*notes, *sign_notes(lines))).explained
        scales = _scales(test)
        yield with_scale(table, scales.pop()) if len(scales) == 1 else table


def _text(
    entry: Entry,
    name: str,
    found: Sequence[Mapping[str, TrialRecovery]],
    number: int,
    shown: _Shown,
) -> str:
    mine, first = found[number].get(name), found[0].get(name)
    if mine is None:
        return Dash(NO_TRIAL)
    text, value, base = shown.text(mine), shown.value(mine), None if first is None else shown.value(first)
    if value is None:
        return text
    marked = f"{text} {entry_sign(entry, mine.phase.cell)}".rstrip()
    return f"{marked} ({difference_text(value / base)})" if number and base and shown.is_compared else marked


def _gain_text(mine: TrialRecovery) -> str:
    return Dash(NO_GAIN) if mine.gain is None else f"{mine.gain:.2f}"


def _back_text(mine: TrialRecovery) -> str:
    return Dash(NOT_MEASURED) if mine.back is None else recovery_text(mine.back)


def _time_ns(mine: TrialRecovery) -> float | None:
    return None if mine.back is None else mine.back.time_ns
