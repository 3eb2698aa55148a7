"""What was measured, how and on what, for each of several runs of a test."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from iosonde.analysis.procedures import criteria_of
from iosonde.analysis.procedures.conditions import conditions_of, verdict_text
from iosonde.analysis.procedures.courses import scale_of
from iosonde.analysis.procedures.side_by_side import Entry, SameTest
from iosonde.report.procedures.header import UNKNOWN, device_facts
from iosonde.report.procedures.words import parameters_text, preconditioning_text, specification_text
from iosonde.report.tables import Head, Line, ResultTable

FACT_COLUMNS_MAX: Final = 4
MUST_AGREE: Final = ("Specification", "Form", "Test parameters", "Time scale", "Active range", "Precondition")
"""Facts in which entries must agree for their figures to be of the same test."""


def fact_tables(test: SameTest, *, differing_only: bool = False) -> Iterator[ResultTable]:
    """What was measured, how and on what: what differs between the runs is first, or alone."""
    facts = facts_of(test)
    found = [(agreement, name) for agreement in Agreement for name in facts if agreement_of(facts[name]) is agreement]
    shown = [each for each in found if not differing_only or each[0] is not Agreement.SAME]
    for start in range(0, len(test.entries), FACT_COLUMNS_MAX):
        columns = slice(start, start + FACT_COLUMNS_MAX)
        lines = [Line((name, str(agreement), *facts[name][columns])) for agreement, name in shown]
        labels = [Head(each.label, number=False) for each in test.entries[columns]]
        yield ResultTable(
            caption=f"Conditions of each run: what differs{'' if differing_only else ' is first'}.",
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
    yield "Form", _each("PTS-like" if each.procedure.is_like else "full" for each in procedures)
    judged = [criteria_of(each.judged) for each in procedures if each.judged is not None]
    yield "Steady state", _each(verdict_text(each[0]) for each in judged if each) or "not judged"
    if run is None:
        yield "Test software", "another tool"
        return
    yield from device_facts(run)
    yield "Active range", _each(f"{each.procedure.active_range_percent} %" for each in procedures)
    yield "Time scale", f"1:{scale_of(run)}"
    yield "Test parameters", _each(parameters_text(run, each.procedure) for each in procedures)
    yield "Precondition", _each(_without_amount(preconditioning_text(run, each.procedure)) for each in procedures)
    for name in ("Purge", "Write cache", "Data pattern", "Link", "Temperature"):
        states = [each for rounds in procedures for each in conditions_of(run, rounds) if each.name == name]
        if states:
            yield name, _each(f"{each.state}: {each.reason}" for each in states)
    yield "Host", f"{run.header.host.hostname}, {run.header.host.cpu_model}"
    yield "Test software", f"iosonde {run.header.iosonde_version}"
    yield "Run start", run.header.created_at.split(".", maxsplit=1)[0].replace("T", " ")


def _without_amount(text: str) -> str:
    """Preconditioning without its amount, which differs between drives of different capacity."""
    return text.rpartition(", ")[0] or text


def _each(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(texts))


def differing_facts(test: SameTest) -> list[str]:
    """The facts by which the entries are not of the same test."""
    facts = facts_of(test)
    return [name for name in MUST_AGREE if name in facts and agreement_of(facts[name]) is Agreement.DIFFERS]
