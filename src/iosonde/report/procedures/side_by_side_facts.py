"""What was measured, how and on what, for each of several runs of a test."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from iosonde.analysis.procedures import PhaseRounds, Verdict, criteria_of
from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.procedures.courses import scale_of
from iosonde.analysis.procedures.side_by_side import Entry, SameTest
from iosonde.analysis.procedures.steady_condition import STEADY_STATE, steady_text
from iosonde.printing import printable
from iosonde.records import CellPlan, Procedure, RunRecord, Timing, Workload
from iosonde.report.procedures.header import UNKNOWN, device_facts
from iosonde.report.procedures.side_by_side_tables import short_label
from iosonde.report.procedures.words import (
    EXACT_MAX,
    measured_groups,
    preconditioning_text,
    specification_text,
    workloads_text,
)
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import MILLISECOND_NS, exact_duration, exact_size, format_amount, short_duration

FACT_COLUMNS_MAX: Final = 4
DEMANDS_MAX: Final = 3
MUST_AGREE: Final = (
    *("Specification", "Form", "Parameters", "Access pattern", "Demand", "Unscaled trial length", "Time scale"),
    *("Active range", "Precondition", "Drives at once"),
)
"""Runs that differ in one of these are not of the same test."""


def fact_tables(test: SameTest) -> Iterator[ResultTable]:
    """What was measured, how and on what: what differs between the runs is first."""
    facts = facts_of(test)
    found = [(agreement, name) for agreement in Agreement for name in facts if agreement_of(facts[name]) is agreement]
    for start in range(0, len(test.entries), FACT_COLUMNS_MAX):
        columns = slice(start, start + FACT_COLUMNS_MAX)
        lines = [Line((name, str(agreement), *facts[name][columns])) for agreement, name in found]
        labels = [Head(short_label(each.label), number=False) for each in test.entries[columns]]
        yield ResultTable(
            caption="Conditions of each run, those that differ first.",
            heads=(Head("Condition", number=False), Head("", number=False), *labels),
            lines=tuple(lines),
            notes=(),
        )


class Agreement(StrEnum):
    """Whether a fact is the same of all runs. ``UNKNOWN``: it is not known of each."""

    DIFFERS = "differs"
    UNKNOWN = "unknown"
    SAME = "same"


def agreement_of(values: Sequence[str]) -> Agreement:
    """Whether the values of all runs agree, as far as they are known."""
    known = {each for each in values if each != UNKNOWN}
    if len(known) > 1:
        return Agreement.DIFFERS
    return Agreement.UNKNOWN if UNKNOWN in values else Agreement.SAME


def facts_of(test: SameTest) -> dict[str, list[str]]:
    """The facts of each entry, by name. One that an entry does not have is unknown."""
    found = [dict(_entry_facts(each)) for each in test.entries]
    names = dict.fromkeys(name for each in found for name in each)
    return {name: [each.get(name, UNKNOWN) for each in found] for name in names}


def _entry_facts(entry: Entry) -> Iterator[tuple[str, str]]:
    procedures = entry.procedures
    run = entry.source.run
    if run is not None:
        yield "Specification", _each(specification_text(each.procedure) or "none" for each in procedures)
    yield "Form", _each(_form(each.procedure) for each in procedures)
    workloads = [each for phase in entry.phases for each in phase.workloads.values()]
    if workloads:
        yield "Access pattern", _each(sorted({str(each.pattern) for each in workloads}))
        yield "Demand", _demand_text(workloads)
    judged = [each.judged for each in procedures if each.judged is not None and criteria_of(each.judged)]
    yield STEADY_STATE, _each(_steady(entry, each) for each in judged) or _condition(entry, STEADY_STATE)
    if run is None:
        yield "Software", "another tool"
        yield from ((name, printable(text)) for name, text in entry.source.facts)
        return
    yield from device_facts(run)
    yield "Test region", _region_text(run)
    yield "Active range", _each(f"{each.procedure.active_range_percent} %" for each in procedures)
    yield "Time scale", f"1:{scale_of(run)}"
    yield "Drives at once", str(len(run.header.targets))
    groups = [measured_groups(run, each.procedure) for each in procedures]
    yield "Parameters", _each("; ".join(map(workloads_text, each)) for each in groups)
    yield "Unscaled trial length", _each("; ".join(_times(plans, scale_of(run)) for plans in each) for each in groups)
    yield "Precondition", _each(_without_amount(preconditioning_text(run, each.procedure)) for each in procedures)
    for name in ("Purge", "Write cache", "Data pattern", "Link", "Temperature"):
        yield name, _condition(entry, name)
    yield "OS", f"{run.header.host.distribution} {run.header.host.kernel}".strip() or UNKNOWN
    yield "Host", f"{run.header.host.hostname}, {run.header.host.cpu_model}"
    yield "Software", f"iosonde {run.header.iosonde_version}"
    yield "Run start", run.header.created_at.split(".", maxsplit=1)[0].replace("T", " ")


def _steady(entry: Entry, phase: PhaseRounds) -> str:
    """The steady-state verdict on a phase, with the round numbers of its source."""
    first = entry.source.first_round
    text = steady_text(entry.source.run, phase, first_round=first)
    return text if first == 1 or " in round " not in text else f"{text} (counted from {first})"


def _demand_text(workloads: Sequence[Workload]) -> str:
    demands = sorted({(each.jobs, each.queue_depth) for each in workloads})
    texts = [f"{jobs} × QD {depth}" for jobs, depth in demands]
    return "; ".join(texts) if len(texts) <= DEMANDS_MAX else f"{len(texts)}, from {texts[0]} to {texts[-1]}"


def _form(procedure: Procedure) -> str:
    form = "PTS-like" if procedure.is_like else "full"
    return f"{form}, the same offsets in each round" if procedure.repeats_offsets else form


def failed_conditions(entry: Entry) -> Iterator[str]:
    """The conditions that an entry failed: ``steady state, failed (not reached after 25 rounds)``."""
    for each in dict.fromkeys(each for _, each in entry.conditions):
        if each.state is ConditionState.FAILED:
            yield f"{each.name.lower()}, {each.state} ({each.reason})"


def unsteady_elsewhere(entry: Entry) -> Iterator[str]:
    """The verdict on rounds of another tool that are not in steady state."""
    for each in entry.procedures if entry.source.run is None else ():
        phase = each.judged
        if phase is not None and criteria_of(phase)[0].verdict is not Verdict.REACHED:
            yield f"{STEADY_STATE.lower()} {_steady(entry, phase)}"


def _condition(entry: Entry, name: str) -> str:
    """A condition of all procedures of an entry. Each is named if they differ."""
    if entry.source.run is None:
        return UNKNOWN
    found = {test: f"{each.state}: {each.reason}" for test, each in entry.conditions if each.name == name}
    texts = dict.fromkeys(found.values())
    return "; ".join(texts if len(texts) == 1 else (f"{test} {text}" for test, text in found.items())) or "not judged"


def _region_text(run: RunRecord) -> str:
    """The size of the test region. It may differ in runs of one test, as that of drives of different capacity does."""
    span_bytes, targets = run.header.plan.span_bytes, len(run.header.targets)
    exact = exact_size(span_bytes)
    text = exact if len(exact) <= EXACT_MAX else f"{format_amount(span_bytes)} ({span_bytes:,} bytes)"
    return text if targets == 1 else f"{text} on each of {targets} targets"


def _times(plans: Sequence[CellPlan], scale: int) -> str:
    """How long trials take without the scale of the run, or that they transfer an amount."""
    return _each(_time(each.timing, scale) for each in plans)


def _time(timing: Timing, scale: int) -> str:
    if timing.amount_bytes is None:
        return _duration(_unscaled_ns(timing.measure_ns, timing, scale))
    limit = timing.limit_ns
    return f"until an amount{' or ' + _duration(_unscaled_ns(limit, timing, scale)) if limit else ''}"


def _unscaled_ns(time_ns: int, timing: Timing, scale: int) -> int:
    """A time of the procedure before the time scale divided it and rounded it down to whole nanoseconds.

    In a duty cycle, that is so of each interval. The time is rounded to the first power of ten above the most that is
    lost.
    """
    if scale == 1:
        return time_ns
    lost_ns = scale * (time_ns // timing.interval_ns + 1)
    step_ns: int = 10 ** len(str(2 * lost_ns))
    return round(time_ns * scale / step_ns) * step_ns


def _duration(time_ns: int) -> str:
    """A duration that only equal durations have as well."""
    return short_duration(time_ns) if time_ns % MILLISECOND_NS == 0 else exact_duration(time_ns)


def _without_amount(text: str) -> str:
    """Preconditioning without its amount, which differs between drives of different capacity."""
    return text.rpartition(", ")[0] or text


def _each(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(texts))


def differing_facts(test: SameTest) -> list[str]:
    """The facts by which the entries are not of the same test."""
    facts = facts_of(test)
    return [name for name in MUST_AGREE if name in facts and agreement_of(facts[name]) is Agreement.DIFFERS]
