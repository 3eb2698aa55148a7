"""The rounds of a procedure, independent of what measured them: values by phase, round and cell."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.procedures.reported import ReportedCell, reported_cell
from iosonde.analysis.procedures.round_value import TRACKABLE, RoundValue
from iosonde.records import Procedure, SteadyState, Tracked, Workload
from iosonde.vocabulary import PhaseRole, Quantity


class Counted(StrEnum):
    """What is judged and counted: rounds, or the blocks of a long trial, each of which has one sample."""

    ROUND = "round"
    BLOCK = "block"

    @property
    def symbol(self) -> str:
        """The variable of a formula: ``R``."""
        return self.value[0].upper()

    def times(self, number: int) -> str:
        """``1 round``, ``12 blocks``."""
        return f"{number} {self if number == 1 else self.many}"

    @property
    def many(self) -> str:
        """The plural."""
        return f"{self}s"


@dataclass(frozen=True)
class PhaseRounds:
    """The rounds of one phase, counted from 1.

    ``values`` has a row for each complete round, with a value for each of ``cells``. A cell may be there several times.
    ``rule`` is the criterion that ends the phase, None if it has a fixed number of rounds. ``broken`` has the rounds
    that follow or contain a gap that is too long, None if the gaps are unknown. ``drain_ns_longest`` is the longest
    time in which the operations of a trial completed after its end, None if it is unknown. ``window_end`` is the last
    round of the window if that is not the last round of all: rounds of other tools can go on after steady state.
    ``counted`` is what a round of the phase is called.
    """

    name: str
    role: PhaseRole
    cells: tuple[str, ...]
    workloads: Mapping[str, Workload]
    values: tuple[tuple[RoundValue, ...], ...]
    rule: SteadyState | None = None
    broken: frozenset[int] | None = None
    gap_ns_longest: int | None = None
    drain_ns_longest: int | None = None
    window_end: int | None = None
    counted: Counted = Counted.ROUND

    @property
    def rounds(self) -> int:
        """The number of complete rounds."""
        return len(self.values)

    @property
    def window(self) -> range:
        """The rounds that are reported: the last ones of a steady-state criterion, else all."""
        end = self.rounds if self.window_end is None else self.window_end
        size = end if self.rule is None else min(self.rule.window, end)
        return range(end - size + 1, end + 1)

    @property
    def is_whole_window(self) -> bool:
        """Whether there are as many rounds as the criterion needs."""
        return self.rounds > 0 and (self.rule is None or self.rounds >= self.rule.window)

    @property
    def tracked(self) -> tuple[Tracked, ...]:
        """The tracking variables."""
        return () if self.rule is None else self.rule.tracked

    def series(self, cell: str, quantity: Quantity) -> NDArray[np.float64]:
        """The value of each round of a cell's first place in it; NaN where it is unknown."""
        return self.array(quantity)[:, self.cells.index(cell)]

    def array(self, quantity: Quantity) -> NDArray[np.float64]:
        """The values of all rounds (rows) and cells (columns); NaN where they are unknown."""
        return self._arrays[quantity]

    @property
    def with_throughput(self) -> Self:
        """The rounds with the IOPS and the bandwidth of each value of which one is known."""
        sizes = [self.workloads[cell].bytes_per_operation for cell in self.cells]
        values = tuple(
            tuple(value.with_throughput(size) for value, size in zip(row, sizes, strict=True)) for row in self.values
        )
        return replace(self, values=values)

    def in_window(self, cell: str) -> tuple[RoundValue, ...]:
        """The values of a cell in the rounds that are reported."""
        places = [place for place, each in enumerate(self.cells) if each == cell]
        return tuple(self.values[number - 1][place] for number in self.window for place in places)

    @cached_property
    def reported(self) -> tuple[ReportedCell, ...]:
        """The reported figures of each cell, each once, in the order of the round."""
        cells = dict.fromkeys(self.cells)
        return tuple(reported_cell(each, self.workloads[each], self.in_window(each)) for each in cells)

    @cached_property
    def _arrays(self) -> dict[Quantity, NDArray[np.float64]]:
        return {
            quantity: np.array(
                [[np.nan if (value := each.of(quantity)) is None else value for each in row] for row in self.values],
                dtype=np.float64,
            ).reshape(self.rounds, len(self.cells))
            for quantity in TRACKABLE
        }


@dataclass(frozen=True)
class ProcedureRounds:
    """A procedure and the rounds of its phases, in order. A phase that was not reached has no rounds.

    ``attempt`` counts from 1: only the last attempt of an interrupted procedure is used. ``samples`` are those by which
    a long trial is judged: a round for each whole block of its time. None without such a trial, or such a block.
    """

    procedure: Procedure
    phases: tuple[PhaseRounds, ...]
    samples: PhaseRounds | None = None
    attempt: int = 1
    is_begun: bool = field(default=True)

    def of(self, role: PhaseRole) -> PhaseRounds | None:
        """The last phase of a role that has rounds, or None."""
        return next(reversed(self.all_of(role)), None)

    def all_of(self, role: PhaseRole) -> tuple[PhaseRounds, ...]:
        """The phases of a role that have rounds, in order."""
        return tuple(each for each in self.phases if each.role is role and each.rounds)

    @property
    def main(self) -> PhaseRounds | None:
        """The phase with the reported rounds."""
        return self.of(PhaseRole.ROUNDS)

    @property
    def judged(self) -> PhaseRounds | None:
        """The last phase with tracking variables: the reported one, or the screening of a short form before it."""
        return self.all_judged[-1] if self.all_judged else None

    @property
    def all_judged(self) -> tuple[PhaseRounds, ...]:
        """All phases with tracking variables and rounds, in order."""
        return tuple(each for each in self.phases if each.rounds and each.tracked)

    @property
    def every_judged(self) -> tuple[PhaseRounds, ...]:
        """All that steady state is judged by: the samples of a long trial, and then the rounds of each phase."""
        return self.all_judged if self.samples is None else (self.samples, *self.all_judged)
