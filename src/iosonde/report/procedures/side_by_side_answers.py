"""What runs of a test have in common, what they failed, and which of them is best: in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from iosonde.analysis.procedures.courses import LongPhase
from iosonde.analysis.procedures.recovery import level_of, shown_quantity
from iosonde.analysis.procedures.side_by_side import Entry, SameTest, overlaps
from iosonde.charts.procedures.styles import Unit, unit_of
from iosonde.charts.quantities import significant
from iosonde.printing import printable
from iosonde.report.procedures.side_by_side import headline_places
from iosonde.report.procedures.side_by_side_facts import differing_facts, failed_conditions, unsteady_elsewhere
from iosonde.report.procedures.side_by_side_tables import SAME, entry_sign, shown_of
from iosonde.report.signs import DOUBTFUL, INVALID
from iosonde.vocabulary import ProcedureKind, Quantity

INVALID_WORD: Final = " (invalid)"
RANKED_MAX: Final = 8
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


def name_of(test: SameTest) -> str:
    """The name of a test; that of a user's procedure is its title."""
    own = test.entries[0].procedures[0].procedure
    return NAMES.get(test.kind) or printable(own.title or own.name)


def answers_of(test: SameTest) -> Iterator[str]:
    """What cannot be compared, what a run failed, then the entries by their foremost figures.

    The best comes first. If the runs are not of the same test, none is called the best.
    """
    unequal = differing_facts(test)
    name = name_of(test)
    if unequal:
        yield f"{name}: not the same test in all runs. They differ in {', '.join(map(_lower, unequal))}."
    for entry in test.entries:
        failed = (*failed_conditions(entry), *unsteady_elsewhere(entry))
        if failed:
            yield f"{name}, {entry.label}: {'; '.join(failed)}."
    is_same = not unequal
    yield from _course_ranks(test, is_same=is_same)
    if test.zoned:
        yield from _zone_ranks(test, is_same=is_same)
    shown = shown_of(test.kind)[0]
    order = _Order(is_same, shown.quantity is not Quantity.LATENCY_NS_MEAN)
    # The foremost cell that most entries have.
    places = headline_places(test)[::-1]
    for place in sorted(places, key=lambda each: -sum(each in figures for figures in test.figures))[:1]:
        found = [
            _Ranked(value, entry.label, each[place].of_rounds(shown.quantity), _word(entry, each[place].cell.cell))
            for entry, each in zip(test.entries, test.figures, strict=True)
            if place in each and (value := shown.value(each[place])) is not None
        ]
        yield from _ranked(f"{name}, {shown.title} of {place}", shown.unit(test), found, order)


@dataclass(frozen=True)
class _Ranked:
    """The figure of a run, its values by round, and ``(invalid)`` or ``(doubtful)`` if a finding says so."""

    value: float
    label: str
    rounds: list[float] = field(default_factory=list)
    word: str = ""

    @property
    def is_invalid(self) -> bool:
        """Whether a finding makes it invalid."""
        return self.word == INVALID_WORD


def _word(entry: Entry, cell: str) -> str:
    is_unfinished = entry.source.run is not None and not entry.source.run.finished
    otherwise = " (unfinished run)" if is_unfinished else ""
    return {INVALID: INVALID_WORD, DOUBTFUL: " (doubtful)"}.get(entry_sign(entry, cell), otherwise)


@dataclass(frozen=True)
class _Order:
    """Whether the runs are of the same test, and whether higher values are better."""

    is_same: bool
    is_highest_first: bool = True

    @property
    def words(self) -> str:
        if self.is_same:
            return "best first"
        return "highest first" if self.is_highest_first else "lowest first"


def _course_ranks(test: SameTest, *, is_same: bool) -> Iterator[str]:
    """The entries by the throughput at the end of their longest trial."""
    found = [(entry.label, phases) for entry in test.entries if (phases := entry.long_trials)]
    if test.all_places or not found:
        return
    quantity = shown_quantity([each for _, phases in found for each in phases])
    longest = max(found[0][1], key=_lasts_ns).name
    entries = {entry.label: entry for entry in test.entries}
    ends = [
        _Ranked(value, label, [], _word(entries[label], each.cell))
        for label, phases in found
        for each in phases
        if each.name == longest and (value := level_of(each.samples, quantity)) is not None
    ]
    unit = unit_of(quantity)
    yield from _ranked(
        f"{name_of(test)}, {unit.title} at the end of the longest trial, {longest}", unit, ends, _Order(is_same)
    )


def _lasts_ns(phase: LongPhase) -> int:
    return phase.samples[-1].end_ns - phase.samples[0].start_ns if phase.samples else 0


def _zone_ranks(test: SameTest, *, is_same: bool) -> Iterator[str]:
    """The entries, ranked by the mean over the zones of the first workload."""
    name, entries = next(iter(test.zoned.items()))
    quantity = test.zoned_quantity
    found = [
        _Ranked(figures.mean, label)
        for label, each in entries.items()
        if (figures := each.figures(quantity)) is not None
    ]
    unit = unit_of(quantity, (each.value for each in found))
    what = f"{unit.title} of {name}, mean of the zones"
    yield from _ranked(f"{name_of(test)}, {what}", unit, found, _Order(is_same))


def _ranked(what: str, unit: Unit, found: Sequence[_Ranked], order: _Order) -> Iterator[str]:
    """The entries in order. The sign stands between neighbours whose rounds overlap."""
    if len(found) <= 1:
        return
    # Invalid figures are listed but not ranked.
    valid = [each for each in found if not each.is_invalid]
    ranked = sorted(valid or found, key=lambda each: each.value, reverse=order.is_highest_first)
    others = [each for each in found if each.is_invalid] if valid else []
    words = order.words if valid else _Order(is_same=False, is_highest_first=order.is_highest_first).words
    texts = [
        f"{each.label}: {significant(unit.shown(each.value))} {unit.name}{each.word}" for each in ranked[:RANKED_MAX]
    ]
    joins = [f" {SAME} " if overlaps(a.rounds, b.rounds) else "; " for a, b in pairwise(ranked[:RANKED_MAX])]
    told = texts[0] + "".join(f"{join}{text}" for join, text in zip(joins, texts[1:], strict=True))
    more = f"; and {len(ranked) - RANKED_MAX} more" if len(ranked) > RANKED_MAX else ""
    apart = [f"{each.label}: {significant(unit.shown(each.value))} {unit.name}" for each in others[:RANKED_MAX]]
    left = f". Invalid, and not ranked: {'; '.join(apart)}" if apart else ""
    yield f"{what}, {words}: {told}{more}{left}."


def _lower(name: str) -> str:
    return name[0].lower() + name[1:]
