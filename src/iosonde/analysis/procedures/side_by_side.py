"""The same test of several drives or runs: which of their cells are the same, and how their figures differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from iosonde.analysis.procedures.condition import Condition
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.courses import LongPhase, long_phases
from iosonde.analysis.procedures.determination import Verdict, criteria_of
from iosonde.analysis.procedures.other_settings import other_settings
from iosonde.analysis.procedures.reported import ReportedCell
from iosonde.analysis.procedures.rounds import PhaseRounds, ProcedureRounds
from iosonde.analysis.procedures.zones import ZonedWorkload, zoned_quantity, zoned_workloads
from iosonde.records import RunRecord, Workload
from iosonde.vocabulary import ProcedureKind, Quantity


@dataclass(frozen=True)
class Source:
    """A run, or a test that another tool measured (``run`` is None). ``label`` names it in tables and charts.

    ``invalid`` has the cells whose figures are invalid, each with the findings that say so, and ``doubtful`` those with
    doubtful findings. ``notes`` are sentences on what limits its figures. ``facts`` are what a file of another tool
    says of the drive, the host and the software, by the names of reports. ``first_round`` is the number that it gives
    to the first round.
    """

    label: str
    procedures: tuple[ProcedureRounds, ...]
    run: RunRecord | None = None
    invalid: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    doubtful: tuple[tuple[str, tuple[str, ...]], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    first_round: int = 1


@dataclass(frozen=True)
class Place:
    """What is compared: a mix and a block size. ``demand`` and ``zone`` are empty where a test has only one of them.

    ``others`` are further settings, if cells of a test differ only in these.
    """

    mix: str
    size: str
    demand: str = ""
    zone: str = ""
    others: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.size, self.mix, self.demand, self.zone, self.others)))


@dataclass(frozen=True)
class Figures:
    """A cell of one entry: its reported figures, and the phase that they are from.

    ``is_steady`` is whether the phase has a steady-state criterion and its window meets it.
    """

    cell: ReportedCell
    phase: PhaseRounds
    is_steady: bool

    def of_rounds(self, quantity: Quantity) -> list[float]:
        """The known values of the rounds of the window; none without steady state, where ranges overlap too easily."""
        if not self.is_steady:
            return []
        values = (each.of(quantity) for each in self.phase.in_window(self.cell.cell))
        return [each for each in values if each is not None]


@dataclass(frozen=True)
class Entry:
    """A test of one source. The procedures of a test have different cells, such as one for each block size."""

    label: str
    source: Source
    procedures: tuple[ProcedureRounds, ...]

    @property
    def phases(self) -> tuple[PhaseRounds, ...]:
        """The phases with the reported rounds."""
        return tuple(each.main for each in self.procedures if each.main is not None)

    @cached_property
    def conditions(self) -> tuple[tuple[str, Condition], ...]:
        """The mandatory conditions, each with the name of its procedure; none of another tool's rounds."""
        run = self.source.run
        if run is None:
            return ()
        invalid = dict(self.source.invalid)
        return tuple(
            (each.procedure.name, found) for each in self.procedures for found in conditions_of(run, each, invalid)
        )

    @cached_property
    def long_trials(self) -> tuple[LongPhase, ...]:
        """The long trials that have samples; none of another tool's rounds."""
        run = self.source.run
        if run is None:
            return ()
        return tuple(each for rounds in self.procedures for each in long_phases(run, rounds) if each.samples)


@dataclass(frozen=True)
class SameTest:
    """A test with an entry for each source that has it."""

    kind: ProcedureKind
    entries: tuple[Entry, ...]

    @cached_property
    def all_figures(self) -> tuple[dict[Place, Figures], ...]:
        """The cells of each entry."""
        with_demand = any(_demands(each) > 1 for each in self.entries)
        found = [list(_figures(each, with_demand=with_demand)) for each in self.entries]
        if all(len({place for place, _ in each}) == len(each) for each in found):
            return tuple(map(dict, found))
        among = [each.cell.workload for entry in found for _, each in entry]
        return tuple(
            {replace(place, others=other_settings(each.cell.workload, among)): each for place, each in entry}
            for entry in found
        )

    @cached_property
    def zoned(self) -> dict[str, dict[str, ZonedWorkload]]:
        """Each workload that has zones, by the label of the entry. Empty if an entry has figures but no zones."""
        found: dict[str, dict[str, ZonedWorkload]] = {}
        for entry, figures in zip(self.entries, self.all_figures, strict=True):
            workloads = zoned_workloads([each.cell for each in figures.values()])
            if figures and not workloads:
                return {}
            names = {each.cell.cell: str(replace(place, zone="")) for place, each in figures.items()}
            for each in workloads:
                found.setdefault(names[each.cells[0].cell], {})[entry.label] = each
        return found

    @cached_property
    def figures(self) -> tuple[dict[Place, Figures], ...]:
        """The cells of each entry that are compared one by one: all that belong to no zoned workload."""
        zoned = {
            (label, cell.cell)
            for entries in self.zoned.values()
            for label, each in entries.items()
            for cell in each.cells
        }
        return tuple(
            {place: each for place, each in figures.items() if (entry.label, each.cell.cell) not in zoned}
            for entry, figures in zip(self.entries, self.all_figures, strict=True)
        )

    @property
    def zoned_quantity(self) -> Quantity:
        """The quantity that is compared of zones."""
        return zoned_quantity([each for entries in self.zoned.values() for each in entries.values()])

    @property
    def places(self) -> tuple[Place, ...]:
        """The cells that are compared one by one, in the order of the first entry that has them."""
        return _places_of(self.figures)

    @property
    def all_places(self) -> tuple[Place, ...]:
        """All cells, with those in zones."""
        return _places_of(self.all_figures)


def _places_of(figures: Sequence[Mapping[Place, Figures]]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(place for each in figures for place in each))


def same_tests(sources: Sequence[Source]) -> tuple[SameTest, ...]:
    """The tests that at least two entries have, in the order of the first source. Only begun procedures count."""
    tests: dict[tuple[ProcedureKind, str], list[Entry]] = {}
    for source in sources:
        for key, procedures in _by_test(source).items():
            tests.setdefault(key, []).extend(_entries(source, procedures))
    return tuple(SameTest(kind, tuple(entries)) for (kind, _), entries in tests.items() if len(entries) > 1)


def share_a_test(sources: Sequence[Source]) -> bool:
    """Whether two of the sources have a test in common."""
    every = [test for source in sources for test in _by_test(source)]
    return len(every) > len(set(every))


def _by_test(source: Source) -> dict[tuple[ProcedureKind, str], list[ProcedureRounds]]:
    """The procedures of each test. Those of a user are the same if they have one name."""
    found: dict[tuple[ProcedureKind, str], list[ProcedureRounds]] = {}
    for each in source.procedures:
        kind = each.procedure.kind
        if each.is_begun:
            found.setdefault((kind, each.procedure.name if kind is ProcedureKind.ROUNDS else ""), []).append(each)
    return found


def _entries(source: Source, procedures: Sequence[ProcedureRounds]) -> Iterator[Entry]:
    """One entry if all cells differ, else one for each procedure: a drive was then tested twice in one run."""
    cells = [_setting(workload) for each in procedures if each.main for workload in each.main.workloads.values()]
    if len(procedures) == 1 or (cells and len(cells) == len(set(cells))):
        yield Entry(source.label, source, tuple(procedures))
        return
    for each in procedures:
        yield Entry(f"{source.label}: {each.procedure.name}", source, (each,))


def _setting(workload: Workload) -> tuple[object, ...]:
    return (workload.read_percent, workload.size_text, workload.jobs, workload.queue_depth, workload.offset_bytes)


def _demands(entry: Entry) -> int:
    return len({(each.jobs, each.queue_depth) for phase in entry.phases for each in phase.workloads.values()})


def _figures(entry: Entry, *, with_demand: bool) -> Iterator[tuple[Place, Figures]]:
    for phase in entry.phases:
        cells = phase.reported
        is_steady = any(each.verdict is Verdict.REACHED for each in criteria_of(phase)[:1])
        zones = {
            cell.cell: f"zone {number}" for each in zoned_workloads(cells) for number, cell in enumerate(each.cells, 1)
        }
        for cell in cells:
            asked = cell.workload
            place = Place(
                mix=f"{asked.read_percent}/{asked.write_percent}",
                size=asked.size_text,
                demand=f"{asked.jobs} × QD {asked.queue_depth}" if with_demand else "",
                zone=zones.get(cell.cell, ""),
            )
            yield place, Figures(cell, phase, is_steady)


def overlaps(first: Sequence[float], second: Sequence[float]) -> bool | None:
    """Whether the values of the rounds of two cells overlap; None with fewer than two rounds of either."""
    if min(len(first), len(second)) <= 1:
        return None
    return min(first) <= max(second) and min(second) <= max(first)
