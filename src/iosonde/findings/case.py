"""What the rules look at."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.states import Repeats
from iosonde.records import CellRecord, RunRecord

# More names than this make a sentence unreadable; the finding still carries all of them.
CELLS_NAMED_MAX = 3


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
