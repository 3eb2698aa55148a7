"""The input of every rule: a run and its estimates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.states import Repeats
from iosonde.records import CellRecord, EngineHello, Experiment, HostFacts, Procedures, RunRecord, TargetFacts

if TYPE_CHECKING:
    from iosonde.analysis.procedures import ProcedureRounds

# More names than this make a sentence unreadable. `Finding.cells` still lists all of them.
CELLS_NAMED_MAX = 3

# The usual name of the phase that repeats rounds. It adds nothing to a round number.
ROUNDS = "rounds"


@dataclass(frozen=True)
class HostCase:
    """A host with targets, and the engine that measured there, as recorded at the start of the run.

    ``name`` identifies the host among several. It is empty if there is only one host.
    """

    facts: HostFacts
    engine: EngineHello
    targets: tuple[TargetFacts, ...]
    name: str

    def name_in(self, alone: str, before: str = "") -> str:
        """How a sentence names the host: ``alone`` if it is the only host, else ``before`` and its name."""
        return f"{before} {self.name}".strip() if self.name else alone

    @property
    def has_storage(self) -> bool:
        """Whether any of its targets is storage."""
        return any(target.is_storage for target in self.targets)


@dataclass(frozen=True)
class Case:
    """A run and its estimates."""

    run: RunRecord
    estimates: RunEstimates
    analysis: RunAnalysis

    @classmethod
    def of(cls, analysis: RunAnalysis) -> "Case":
        """The case of an analysed run."""
        return cls(analysis.run, analysis.estimates, analysis)

    @property
    def is_simulated(self) -> bool:
        """Whether the target is a simulated drive. The host does not affect results in virtual time."""
        return self.run.header.is_simulated

    @property
    def procedures(self) -> "tuple[ProcedureRounds, ...]":
        """The standard procedures of the run with their rounds; none for any other run."""
        return self.analysis.procedures

    @cached_property
    def hosts(self) -> tuple[HostCase, ...]:
        """Every host with targets."""
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
        """The trials for which ``holds`` is true, in run order."""
        return [record for record in self.run.cells if holds(record)]

    def repeats_of(self, cell: str) -> Repeats:
        """The finished repeats of a cell, divided into used and discarded."""
        return self._repeats[cell]

    def trials(self, number: int, which: str = "") -> str:
        """A number of measurements of any cells: ``3 repeats``, in a procedure ``3 trials``; ``3 other repeats``."""
        noun = "trial" if self.run.header.plan.procedures else "repeat"
        return count_of(number, f"{which} {noun}".strip())

    def trials_of(self, records: Sequence[CellRecord], which: str = "") -> str:
        """The number of these measurements and the names of their cells: ``3 more trials of a, b``."""
        return f"{self.trials(len(records), which)} of {name_some(distinct(each.cell for each in records))}"

    @property
    def longer(self) -> str:
        """How to measure cells for longer, as a sentence."""
        stop = self.run.header.plan.stop
        if not isinstance(stop, Procedures):
            return "Measure these cells with a longer duration: in a campaign file, or by `iosonde probe --duration`."
        if stop.time_scale > 1:
            capacity = " or of the capacity (scale)" if self.is_simulated else ""
            return f"Run the procedure with a smaller divisor of times (--time-scale){capacity}."
        return "Measure these cells with a longer duration, in a procedure file."

    @cached_property
    def used(self) -> tuple[CellRecord, ...]:
        """The repeats that results are computed from, cell by cell. In a procedure, the trials of every phase."""
        return self._used_of(self.estimates)

    @cached_property
    def judged_level(self) -> tuple[CellRecord, ...]:
        """The repeats whose throughput should be constant: all but those of sustained cells."""
        return self._used_of(self.estimates.without_sustained)

    def _used_of(self, estimates: RunEstimates) -> tuple[CellRecord, ...]:
        found = (self.repeats_of(cell.cell) for cell in estimates.cells)
        return tuple(record for each in found for record in (*each.earlier, *each.used))

    @cached_property
    def _repeats(self) -> Mapping[str, Repeats]:
        """The repeats of every cell, by its name."""
        return {cell.cell: cell.repeats for cell in self.estimates.cells}


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order of first appearance."""
    return tuple(dict.fromkeys(names))


def name_some(cells: tuple[str, ...]) -> str:
    """The first few names, and the number of the others: ``a, b, c and 2 more``."""
    shown = ", ".join(cells[:CELLS_NAMED_MAX])
    more = len(cells) - CELLS_NAMED_MAX
    return f"{shown} and {more} more" if more > 0 else shown


def trial_name(record: CellRecord) -> str:
    """A trial among those of its cell: ``repeat 3``, in a procedure ``round 3`` or ``round 1 (after 5 minutes idle)``.

    Several phases can measure the same cell, and round numbers start again in each phase.
    """
    if Experiment.PROCEDURE not in record.experiments:
        return f"repeat {record.repeat}"
    phase = f" ({record.phase})" if record.phase and record.phase != ROUNDS else ""
    return f"round {record.round or record.repeat}{phase}"


def of_trial(record: CellRecord, text: str) -> tuple[str, str]:
    """A piece of evidence about one trial: the name of its cell, and the text with the number of the trial."""
    return record.cell, f"{trial_name(record)}: {text}"


def count_of(number: int, noun: str) -> str:
    """A number and its noun: ``1 cell``, ``3 cells``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
