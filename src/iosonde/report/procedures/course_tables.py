"""The tables of long trials: totals of each, recovery after another stimulus, wait states, and idle times."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from iosonde.analysis.procedures.courses import LongPhase, Sample
from iosonde.analysis.procedures.recovery import (
    END_PART,
    SMOOTHED,
    TOLERANCE,
    AfterSaturation,
    IdleState,
    Recovery,
    level_of,
)
from iosonde.charts.procedures.styles import Unit, unit_of
from iosonde.charts.quantities import significant
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_amount, format_duration
from iosonde.vocabulary import Quantity

NOTHING_COMPLETED: Final = "no operation completed"
FIRST: Final = "it is the first"
ITS_END: Final = "Its end"
NOT_BACK: Final = f"the last samples are not within {100 * TOLERANCE:g} %"
NOT_MEASURED: Final = "no continuous writes followed"
_HAS_TIME: Final = re.compile(r"\b\d+ (?:s|min|h|seconds?|minutes?|hours?)\b")
"""A time in the name of a trial, such as ``5 s writes, 10 s idle``."""

_SHOWN: Final = (Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN)


def phase_table(
    phases: Sequence[LongPhase],
    capacity_bytes: int,
    quantity: Quantity,
    settled: Sequence[Recovery] = (),
    *,
    name: str = "Trial",
) -> ResultTable:
    """Each long trial with its means, its level at the end, and the writes so far; with ``settled``, its recovery."""
    units = [unit_of(each, (phase.of(each) for phase in phases)) for each in _SHOWN]
    longest, of_end = units[-1], next(each for each in units if each.quantity is quantity)
    times = {id(each.phase): each for each in settled}

    def texts(phase: LongPhase) -> Iterable[str]:
        yield phase.name
        yield format_duration(phase.samples[-1].end_ns - phase.samples[0].start_ns)
        for unit in units:
            yield _shown(phase.of(unit.quantity), unit)
        yield _shown(phase.latency_ns_max, longest)
        yield _shown(level_of(phase.samples, quantity), of_end)
        written = phase.samples[-1].written_bytes
        yield format_amount(written)
        yield significant(written / capacity_bytes, 3)
        if settled:
            yield recovery_text(times.get(id(phase)))

    heads = [Head(name, number=False), Head("Time"), *(Head(each.title, each.name) for each in units)]
    heads += [Head("Maximum latency", longest.name), Head(ITS_END, of_end.name)]
    heads += [Head("Written so far"), Head("Drive fills")]
    notes: tuple[str, ...] = (f"{ITS_END}: the mean of the trial's last {_part()} of samples.",)
    if settled:
        heads.append(Head("Recovery time"))
        notes += (f"Recovery time: {until_text('the level at its own end', settled)}.", *_shares(phases, quantity))
    lines = tuple(Line(tuple(texts(each))) for each in phases if each.samples)
    if any(each.workload.off_ns for each in phases):
        notes += (
            "IOPS and bandwidth of wait states are those of their on-periods; the time includes the idle time.",
            "Their latencies are those of all operations, also of those that complete in the idle time.",
        )
    caption = "Each long trial: its means, its longest operation, and the writes of all long trials up to its end."
    return ResultTable(caption=caption, heads=tuple(heads), lines=lines, notes=notes).explained


def _shares(phases: Sequence[LongPhase], quantity: Quantity) -> Iterator[str]:
    """A sentence for each trial whose workload an earlier trial had: a recovered drive has its level again."""
    first: dict[str, LongPhase] = {}
    for phase in phases:
        before = first.setdefault(phase.cell, phase)
        level, reference = level_of(phase.samples, quantity), level_of(before.samples, quantity)
        if before is not phase and level is not None and reference:
            yield f'At its end, "{phase.name}" has {100 * level / reference:.0f} % of the level of "{before.name}".'


def idle_table(states: Sequence[IdleState]) -> ResultTable:
    """The wait states: what idle time gains, and how long that lasts."""
    returns = [each.back for each in states if each.back is not None]
    lines = tuple(
        Line(
            (
                each.phase.name,
                f"1:{each.off_ns / each.on_ns:.3g}",
                significant(each.before),
                significant(each.during),
                f"{each.gain:.2f}",
                Dash(NOT_MEASURED) if each.back is None else recovery_text(each.back),
            )
        )
        for each in states
    )
    return ResultTable(
        caption=f"Wait states. Each level is the mean of the last {_part()} of samples.",
        heads=(
            Head("Wait state", number=False),
            Head("Writes:idle"),
            Head("Baseline before", "operations/s"),
            Head("In on-periods", "operations/s"),
            Head("Gain", "times"),
            Head("Return to baseline"),
        ),
        lines=lines,
        notes=(
            "Gain: the level in the on-periods as a multiple of the baseline before.",
            f"Return to baseline: {until_text('the baseline before the wait state', returns)}.",
        ),
    ).explained


def with_scale(table: ResultTable, scale: int) -> ResultTable:
    """The table, which says in a shortened run that its times are shortened and the names of its trials are not."""
    if scale == 1 or not any(_HAS_TIME.search(line.texts[0]) for line in table.lines):
        return table
    note = f"Names have the times of the full test. All other times are as measured, 1:{scale} of the full test."
    return replace(table, notes=(*table.notes, note))


def rest_table(found: AfterSaturation, quantity: Quantity) -> ResultTable:
    """The trials after a drive was saturated, each after some idle time."""
    level, unit = found.level, unit_of(quantity)
    times = {id(each.phase): each for each in found.trials}

    def share(value: float | None) -> str:
        return Dash(NOTHING_COMPLETED) if value is None else f"{100 * value / level:.0f} %"

    lines = tuple(
        Line(
            (
                each.name,
                format_duration(each.idle_ns) if each.idle_ns else "none",
                _shown(each.samples[0].of(quantity), unit),
                share(each.samples[0].of(quantity)),
                _shown(each.of(quantity), unit),
                _shown(level_of(each.samples, quantity), unit),
                recovery_text(times.get(id(each))),
            )
        )
        for each in (trial.phase for trial in found.trials)
        if each.samples
    )
    full = f"{significant(unit.shown(level))} {unit.name}"
    return ResultTable(
        caption=f"Recovery after idle time. The saturated drive has {full}: the mean of the last {_part()} of samples "
        f'of "{found.before.name}".',
        heads=(
            Head("Trial", number=False),
            Head("Idle before"),
            Head("First sample", unit.name),
            Head("Of the saturated drive"),
            Head("Whole trial", unit.name),
            Head(ITS_END, unit.name),
            Head("Back at the level"),
        ),
        lines=lines,
        notes=(f"Back at the level: {until_text('that of the saturated drive', found.trials)}.",),
    ).explained


def until_text(level: str, found: Sequence[Recovery]) -> str:
    """What a recovery time is the time from and to."""
    step = lengths_text([each.phase.samples for each in found])
    return (
        f"from the start of the trial to the first sample within {100 * TOLERANCE:g} % of {level}, if the samples "
        f"after it stay there (each replaced by the median of {SMOOTHED} around it, of fewer at the end)"
        f"{f', in steps of one sample ({step})' if step else ''}"
    )


def lengths_text(trials: Sequence[Sequence[Sample]]) -> str:
    """The usual length of a sample of each trial: one for all, or the shortest and the longest. Empty without any."""
    usual = [median(each.end_ns - each.start_ns for each in samples) for samples in trials if samples]
    if not usual:
        return ""
    shortest, longest = (format_duration(round(end(usual))) for end in (min, max))
    return shortest if shortest == longest else f"{shortest} to {longest}"


def _part() -> str:
    return {8: "eighth"}[END_PART]


def recovery_text(found: Recovery | None) -> str:
    """How long a trial took to recover, or why that is not known. None is the first trial."""
    if found is None:
        return Dash(FIRST)
    return Dash(NOT_BACK) if found.time_ns is None else format_duration(found.time_ns)


def _shown(value: float | None, unit: Unit) -> str:
    return Dash(NOTHING_COMPLETED) if value is None else significant(unit.shown(value))
