"""What the rules look at."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.states import Repeats
from iosonde.records import CellRecord, EngineHello, HostFacts, RunRecord, TargetFacts

# More names than this make a sentence unreadable; the finding still carries all of them.
CELLS_NAMED_MAX = 3


@dataclass(frozen=True)
class HostCase:
    """One of the hosts that targets are on, with the engine that measured there, as the run began.

    ``name`` tells it from the others; it is empty where it is the only one.
    """

    facts: HostFacts
    engine: EngineHello
    targets: tuple[TargetFacts, ...]
    name: str

    def name_in(self, alone: str, before: str = "") -> str:
        """Words for it in a sentence: ``alone`` where it is the only one, else its name with what stands before it."""
        return f"{before} {self.name}".strip() if self.name else alone

    @property
    def has_storage(self) -> bool:
        """Whether I/O was done on any of its targets."""
        return any(target.is_storage for target in self.targets)


@dataclass(frozen=True)
class Case:
    """A run and its estimates."""

    run: RunRecord
    estimates: RunEstimates

    @classmethod
    def of(cls, analysis: RunAnalysis) -> "Case":
        """The case of a run that is analysed."""
        return cls(analysis.run, analysis.estimates)

    @property
    def is_simulated(self) -> bool:
        """Whether a simulated drive was measured: in its time, the host is in nobody's way."""
        return self.run.header.is_simulated

    @cached_property
    def hosts(self) -> tuple[HostCase, ...]:
        """Every host that targets are on."""
        header = self.run.header
        return tuple(
            HostCase(
                facts=facts,
                engine=engine,
                targets=tuple(target for target in header.targets if target.host == number),
                name=(facts.hostname or f"host {number + 1}") if len(header.hosts) > 1 else "",
            )
            for number, (facts, engine) in enumerate(header.engines)
        )

    def records_where(self, holds: Callable[[CellRecord], bool]) -> list[CellRecord]:
        """The measurements for which something holds, in their order."""
        return [record for record in self.run.cells if holds(record)]

    def repeats_of(self, cell: str) -> Repeats:
        """The finished repeats of a cell, sorted by what its figures come from."""
        return self._repeats[cell]

    @cached_property
    def used(self) -> tuple[CellRecord, ...]:
        """The repeats of all cells that figures come from, cell by cell."""
        return tuple(record for cell in self.estimates.cells for record in self.repeats_of(cell.cell).used)

    @cached_property
    def _repeats(self) -> Mapping[str, Repeats]:
        """Those of every cell."""
        return {cell.cell: cell.repeats for cell in self.estimates.cells}


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in the order of appearance."""
    return tuple(dict.fromkeys(names))


def name_some(cells: tuple[str, ...]) -> str:
    """A few names for a sentence, and how many more there are."""
    shown = ", ".join(cells[:CELLS_NAMED_MAX])
    more = len(cells) - CELLS_NAMED_MAX
    return f"{shown} and {more} more" if more > 0 else shown


def count_of(number: int, noun: str) -> str:
    """A number with its noun: ``1 cell``, ``3 cells``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
