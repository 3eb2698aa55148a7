"""The report that lays runs of standard procedures side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from iosonde import __version__
from iosonde.analysis.procedures.side_by_side import Figures, SameTest, Source, same_tests
from iosonde.charts.quantities import significant
from iosonde.failures import FailureLog
from iosonde.printing import printable
from iosonde.records import RunRecord
from iosonde.report.blocks import Answers, Block, Chapter, Folded, Notice, Paragraph, Terms
from iosonde.report.brand import Brand, brands_of
from iosonde.report.page import Page
from iosonde.report.procedures.definitions import DEFINITIONS as TERMS
from iosonde.report.procedures.header import UNKNOWN
from iosonde.report.procedures.side_by_side import comparison_blocks, headline_places
from iosonde.report.procedures.side_by_side_facts import differing_facts, fact_tables, facts_of
from iosonde.report.procedures.side_by_side_tables import shown_of
from iosonde.report.procedures.words import title_of
from iosonde.report.titles import DEFINITIONS, DEFINITIONS_FOLDED, DEFINITIONS_LABEL, IN_SHORT, Heading
from iosonde.vocabulary import ProcedureKind, Quantity

RANKED_MAX: Final = 4
"""The most entries that a sentence names."""

NAMES: Final = {
    ProcedureKind.IOPS: "IOPS test",
    ProcedureKind.THROUGHPUT: "Throughput test",
    ProcedureKind.LATENCY: "Latency test",
    ProcedureKind.WRITE_SATURATION: "Write saturation test",
    ProcedureKind.HOST_IDLE_RECOVERY: "Host idle recovery test",
    ProcedureKind.CROSS_STIMULUS_RECOVERY: "Cross stimulus recovery test",
    ProcedureKind.COMPOSITE_BLOCK_SIZE: "Composite block size workload test",
    ProcedureKind.DEMAND_INTENSITY: "Demand intensity and response time histogram test",
}


def comparison_page(sources: Sequence[Source], failures: FailureLog) -> Page:
    """The page of a comparison. A notice replaces each part that fails."""
    tests = same_tests(sources)
    chapters = tuple(_chapter(test, number, failures) for number, test in enumerate(tests, 1))
    labels = tuple(printable(each.label) for each in sources)
    terms = Folded(DEFINITIONS_FOLDED.format(len(TERMS)), (Terms(TERMS),), on_paper=True)
    runs = [each.run.header.run for each in sources if each.run is not None]
    name = f"{len(sources)} runs side by side"
    return Page(
        run=", ".join(runs) or "of another tool",
        target=", ".join(labels),
        targets=labels,
        subject=f"{name}, iosonde {__version__}",
        identity_pairs=(
            ("Compared", name),
            ("Runs", ", ".join(runs) or UNKNOWN),
            ("Created by", f"iosonde {__version__}"),
        ),
        version=__version__,
        brands=_brands(sources),
        chapters=(_in_short(sources, tests), *chapters, Chapter(*DEFINITIONS, (terms,), label=DEFINITIONS_LABEL)),
    )


def name_of(test: SameTest) -> str:
    """The name of a test; that of a user's procedure is its title."""
    own = test.entries[0].procedures[0].procedure
    return NAMES.get(test.kind) or printable(own.title or own.name)


def _heading(test: SameTest, number: int) -> Heading:
    return Heading(f"test-{number}", name_of(test))


def _chapter(test: SameTest, number: int, failures: FailureLog) -> Chapter:
    heading = _heading(test, number)

    def blocks() -> tuple[Block, ...]:
        return (*fact_tables(test), *comparison_blocks(test, heading.id, failures))

    made = failures.attempt(f'the chapter "{heading.title}"', blocks, lambda failure: (Notice(failure.sentence),))
    return Chapter(*heading, made)


def _in_short(sources: Sequence[Source], tests: Sequence[SameTest]) -> Chapter:
    answers = tuple(sentence for test in tests for sentence in answers_of(test))
    alone = tuple(only_in(sources, tests))
    first = Paragraph(f"The first column is {printable(sources[0].label)}. Differences are from it.")
    return Chapter(*IN_SHORT, (Answers((*answers, *alone)), first))


def answers_of(test: SameTest) -> Iterator[str]:
    """What cannot be compared, then the entries by their foremost figures, best first."""
    unequal = differing_facts(test)
    if unequal:
        yield f"{name_of(test)}: not the same test in all runs. They differ in {', '.join(map(_lower, unequal))}."
    shown = shown_of(test.kind)[0]
    unit = shown.unit(test)
    for place in headline_places(test)[-1:]:
        found = [
            (shown.value(figures[place]) or 0, printable(entry.label))
            for entry, figures in zip(test.entries, test.figures, strict=True)
            if place in figures and shown.value(figures[place])
        ]
        ranked = sorted(found, key=lambda each: each[0], reverse=shown.quantity is not Quantity.LATENCY_NS_MEAN)
        texts = [f"{label} {significant(unit.shown(value))}" for value, label in ranked[:RANKED_MAX]]
        more = f" and {len(ranked) - RANKED_MAX} more" if len(ranked) > RANKED_MAX else ""
        if len(texts) > 1:
            of = "IOPS" if shown.quantity is Quantity.IOPS else f"{_lower(shown.title)} in {unit.name}"
            yield f"{name_of(test)}, {of} of {place}, best first: {', '.join(texts)}{more}."


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]


def only_in(sources: Sequence[Source], tests: Sequence[SameTest]) -> Iterator[str]:
    """The procedures that only one run has."""
    compared = {id(rounds) for test in tests for entry in test.entries for rounds in entry.procedures}
    for source in sources:
        names = [title_of(each.procedure) for each in source.procedures if id(each) not in compared]
        if names:
            yield f"Only in {printable(source.label)}: {', '.join(dict.fromkeys(names))}."


def _brands(sources: Sequence[Source]) -> tuple[Brand, ...]:
    """The brands of all runs. One that only some runs have names them."""
    runs: dict[tuple[str, str], list[str]] = {}
    for source in sources:
        for brand in () if source.run is None else brands_of(source.run):
            runs.setdefault((brand.word, brand.sentence), []).append(printable(source.label))
    return tuple(
        Brand(word, sentence if len(labels) == len(sources) else f"{', '.join(labels)}: {sentence}")
        for (word, sentence), labels in runs.items()
    )


def drive_name(run: RunRecord) -> str:
    """The user's label of a run, else the model of its drive, else the name of its target."""
    target = run.header.target
    device, drive = target.device, target.simulation
    named = (
        run.header.label or (device.model if device is not None else "") or (drive.model if drive is not None else "")
    )
    return printable(named or target.path.rsplit("/", maxsplit=1)[-1] or target.kind)


def plain(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """All figures as JSON: for each test its runs, its conditions, and the values of each cell in the order of runs."""
    return [
        {
            "test": name_of(test),
            "kind": test.kind,
            "runs": [each.label for each in test.entries],
            "conditions": facts_of(test),
            "cells": [
                {**asdict(place), "values": [_plain(each.get(place)) for each in test.figures]} for place in test.places
            ],
        }
        for test in same_tests(sources)
    ]


def _plain(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    cell = figures.cell
    return {
        "cell": cell.cell,
        "rounds": cell.rounds,
        "iops": cell.iops,
        "bytes_per_s": cell.bytes_per_s,
        "latency_ns_mean": cell.latency_ns_mean,
        "latency_ns_five_nines": cell.five_nines_ns,
        "latency_ns_max": cell.latency_ns_max,
    }
