"""The part of a chapter on long trials: their course, their steady state and their recovery."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iosonde.analysis.procedures import ProcedureRounds, determinations_of
from iosonde.analysis.procedures.courses import (
    LongPhase,
    capacity_of,
    is_long,
    long_phases,
    sample_rule,
    scale_of,
)
from iosonde.analysis.procedures.from_run import trials_of_phase
from iosonde.analysis.procedures.of_targets import done_early
from iosonde.analysis.procedures.recovery import (
    END_PART,
    after_saturation,
    idle_states,
    level_of,
    recoveries,
    shown_quantity,
)
from iosonde.analysis.procedures.steady_condition import block_text
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import measurement_window
from iosonde.charts.procedures.courses import (
    Across,
    Course,
    against_bytes,
    against_fills,
    against_time,
    latency_course,
    throughput_course,
)
from iosonde.charts.procedures.styles import unit_of
from iosonde.charts.quantities import significant
from iosonde.findings import Finding
from iosonde.records import RunRecord, SteadySamples
from iosonde.report.blocks import Block, Charts, Folded, Paragraph
from iosonde.report.procedures.course_tables import NOT_BACK, idle_table, phase_table, rest_table, with_scale
from iosonde.report.procedures.draw_chart import DrawChart, Drawing
from iosonde.report.procedures.end_words import end_text
from iosonde.report.procedures.steady_tables import criteria_table, determination_table
from iosonde.report.procedures.tables import sign_notes
from iosonde.report.procedures.words import title_of
from iosonde.report.signs import INVALID, signed
from iosonde.report.tables import ResultTable
from iosonde.report.validity import Doubtful, Invalid, mark_of, marked
from iosonde.units import format_duration
from iosonde.vocabulary import PhaseRole, ProcedureKind, Quantity

CONTINUOUS = "continuous writes"
SAME_SHARE = 0.05
"""A difference between the end of a trial and its mean, as a share of the mean, that is not worth a second figure."""


def course_blocks(
    run: RunRecord, rounds: ProcedureRounds, draw: Drawing, invalid: Invalid, doubtful: Doubtful
) -> Iterator[Block]:
    """The course of all long trials of a procedure; nothing without any."""
    phases = [each for each in long_phases(run, rounds) if each.samples]
    if not phases:
        return
    capacity = capacity_of(run)
    quantity = shown_quantity(phases)
    yield from map(Paragraph, _done_early(run, rounds))
    yield from _courses(rounds.procedure.kind, phases, quantity, capacity, draw.chart)
    for table, name in _tables(rounds.procedure.kind, phases, quantity, capacity):
        shown = signed_rows(with_scale(table, scale_of(run)), phases, invalid, doubtful)
        yield Folded(name, (shown,), on_paper=True) if name else shown
    yield from map(Paragraph, _ends(run, rounds))
    yield from sample_blocks(rounds, draw.figure, invalid)


def _ends(run: RunRecord, rounds: ProcedureRounds) -> Iterator[str]:
    """The reason for the end of each trial that can end at steady state."""
    for phase in rounds.procedure.phases:
        if isinstance(phase.stop, SteadySamples):
            for record in trials_of_phase(run, rounds.procedure.name, phase.name):
                if why := end_text(record, rounds, len(run.header.targets)):
                    yield f'"{phase.name}" ended because {why}.'


def _done_early(run: RunRecord, rounds: ProcedureRounds) -> Iterator[str]:
    """A sentence for each long trial in which one of several targets was done before the others."""
    if len(run.header.targets) == 1:
        return
    for phase in filter(is_long, rounds.procedure.phases):
        for record in trials_of_phase(run, rounds.procedure.name, phase.name):
            for target, share in done_early(record):
                yield (
                    f'In "{phase.name}", {run.header.targets[target].path} had transferred its amount after about '
                    f"{100 * share:.0f} % of the time. Samples after that, and the level at the end, are those of the "
                    "other targets."
                )


def signed_rows(table: ResultTable, phases: Sequence[LongPhase], invalid: Invalid, doubtful: Doubtful) -> ResultTable:
    """The table with invalid rows struck through, and a sign after the names of doubtful trials."""
    cells = {phase.name: phase.cell for phase in phases}
    lines = tuple(
        replace(line, texts=(signed(line.texts[0], cell, (), doubtful), *line.texts[1:]), cell=cell)
        if (cell := cells.get(line.texts[0]))
        else line
        for line in table.lines
    )
    notes = sign_notes([line.cell for line in lines if line.cell], {}, doubtful)
    return marked(replace(table, lines=lines, notes=(*table.notes, *notes)), invalid, INVALID)


def _courses(
    kind: ProcedureKind, phases: Sequence[LongPhase], quantity: Quantity, capacity: int, chart: DrawChart
) -> Iterator[Block]:
    name = unit_of(quantity).title
    courses = _named(phases)
    time = against_time(courses)

    def throughput(identity: str, across: Across, drawn: Sequence[Course] = courses, of: str = name) -> Figure:
        title = f"{of} against {across.words}"
        return chart(f"course-{identity}", title, throughput_course, drawn, quantity, across)

    yield Charts((throughput("time", time),))
    if kind is ProcedureKind.HOST_IDLE_RECOVERY:
        states = [Course.of(each).from_zero for each in phases if each.role is PhaseRole.IDLE_RECOVERY]
        if states:
            yield Charts(
                (throughput("states", against_time(states), states, "IOPS of each wait state from its start"),)
            )
        return
    if any(each.role is PhaseRole.SATURATION for each in phases):
        yield Charts((throughput("bytes", against_bytes()), throughput("fills", against_fills(capacity))))
    title = "Mean and maximum latency against time"
    yield Charts((chart("course-latency", title, latency_course, courses, time),))


def _named(phases: Sequence[LongPhase]) -> list[Course]:
    """A line for each trial. Continuous writes before and between wait states share one name, and come last.

    So the wait states have the same colours in both charts.
    """
    states = [Course.of(each) for each in phases if each.role is PhaseRole.IDLE_RECOVERY]
    others = [each for each in phases if each.role is not PhaseRole.IDLE_RECOVERY]
    shared = (PhaseRole.PRECONDITIONING, PhaseRole.BASELINE) if states else ()
    return [*states, *(Course.of(each, CONTINUOUS if each.role in shared else "") for each in others)]


def _tables(
    kind: ProcedureKind, phases: Sequence[LongPhase], quantity: Quantity, capacity: int
) -> Iterator[tuple[ResultTable, str]]:
    """The tables of long trials, with the heading of one that is folded."""
    if kind is ProcedureKind.HOST_IDLE_RECOVERY:
        if states := idle_states(phases):
            yield idle_table(states), ""
        yield phase_table(phases, capacity, quantity), "All trials"
        return
    if kind is ProcedureKind.CROSS_STIMULUS_RECOVERY:
        yield phase_table(phases, capacity, quantity, recoveries(phases, quantity), name="Group"), ""
        return
    yield phase_table(phases, capacity, quantity), ""
    after = after_saturation(phases, quantity)
    if after is not None:
        yield rest_table(after, quantity), ""


def sample_blocks(rounds: ProcedureRounds, figure: DrawChart, invalid: Invalid) -> Iterator[Block]:
    """The steady state of a long trial, judged by one sample of each block of its time."""
    rule = sample_rule(rounds)
    if rule is None:
        return
    phase = rounds.samples
    how = f"the {rule.sample_of.value} {format_duration(rule.sample_ns)} of every {format_duration(rule.block_ns)}"
    if phase is None:
        yield Paragraph(f"Steady state is judged by {how} of measurement. No such block is complete.")
        return
    told = f'Steady state of "{phase.name}" is judged by {how} of measurement. It was {block_text(phase)}.'
    found, among = determinations_of(phase), list(phase.workloads.values())
    yield Paragraph(told)
    if found:
        windows = enumerate(found, 1)
        drawn = (
            figure(f"samples-{number}", "Measurement window", measurement_window, each, among, phase.counted)
            for number, each in windows
        )
        yield Charts(tuple(drawn))
        yield determination_table(found, invalid, among, phase.counted)
    table = criteria_table(phase)
    if table is not None and found:
        yield table


def course_answer(run: RunRecord, rounds: ProcedureRounds, findings: Sequence[Finding]) -> str:
    """The first figures of the long trials in words; empty if rounds are what a procedure reports."""
    if rounds.main is not None:
        return ""
    phases = [each for each in long_phases(run, rounds) if each.samples]
    if not phases:
        return ""
    quantity = shown_quantity(phases)
    return f"{title_of(rounds.procedure)}: {'; '.join(_answers(rounds, phases, quantity, findings))}."


def _throughput_text(phase: LongPhase, quantity: Quantity) -> str:
    """The throughput at the end of a long trial, and its mean over the trial if it differs; empty if unknown."""
    unit = unit_of(quantity)
    name = "IOPS" if quantity is Quantity.IOPS else unit.name
    mean, end = phase.of(quantity), level_of(phase.samples, quantity)
    if mean is None or end is None:
        return "" if mean is None else f"{significant(unit.shown(mean))} {name}"
    if abs(end - mean) <= SAME_SHARE * mean:
        return f"{significant(unit.shown(mean))} {name}"
    part = f"last 1/{END_PART} of its samples" if len(phase.samples) >= 2 * END_PART else "its last sample"
    return (
        f"{significant(unit.shown(end))} {name} at its end ({part}), "
        f"{significant(unit.shown(mean))} {name} over the whole trial"
    )


def _answers(
    rounds: ProcedureRounds,
    phases: Sequence[LongPhase],
    quantity: Quantity,
    findings: Sequence[Finding],
) -> Iterator[str]:
    if sample_rule(rounds) is not None:
        yield f"steady state {block_text(rounds.samples)}"
    states = idle_states(phases)
    for state in states:
        yield f"{state.phase.name}: {state.gain:.2f} times the baseline{mark_of(state.phase.cell, findings)}"
    if states:
        return
    for phase in phases:
        if said := _throughput_text(phase, quantity):
            yield f"{phase.name} {said}{mark_of(phase.cell, findings)}"
    if rounds.procedure.kind is ProcedureKind.CROSS_STIMULUS_RECOVERY:
        for each in recoveries(phases, quantity)[-1:]:
            time = "none" if each.time_ns is None else format_duration(each.time_ns)
            why = f" ({NOT_BACK} of its level)" if each.time_ns is None else ""
            yield f"recovery time of {each.phase.name} {time}{why}"
