"""Runs standard procedures: chooses each trial from the procedures and the results so far."""

from collections import defaultdict

from iosonde.analysis.operating_points import cells_at_points
from iosonde.campaign.sample_watch import SampleWatch
from iosonde.campaign.steady_rounds import SteadyRounds
from iosonde.plans import cell_seed
from iosonde.records import (
    CellRecord,
    CellTurn,
    PhasePlan,
    Plan,
    Procedure,
    Procedures,
    Rounds,
    SteadySamples,
    SteadyState,
)


class ProcedureScheduler:
    """Chooses the trials of a run of standard procedures, round by round and phase by phase."""

    def __init__(self, plan: Plan, rule: Procedures) -> None:
        self._plan = plan
        self._procedures = rule.procedures
        self._order = 0
        self._number = 0
        self._attempt = 1
        self._repeats: dict[str, int] = defaultdict(int)
        self._left: list[str] = []
        self._cells: tuple[str, ...] = ()
        self._begin_procedure()

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial."""
        self._records[self.phase.name].append(_light(record))
        if self._steady is not None:
            self._steady.take(turn.round or 1, record)

    def expect(self, turn: CellTurn) -> None:
        """Goes on after a trial that was chosen before. Another attempt of a procedure has begun anew."""
        # The procedure before may be complete, and attempts of this one may have no result.
        self._has_next()
        if turn.attempt != self._attempt and turn.procedure == self.procedure.name:
            self._attempt = turn.attempt
            self._begin_procedure()
        self._order = turn.order - 1
        chosen = self.next_turn()
        assert chosen is not None, "the recorded trials must follow the procedures"
        assert (chosen.cell, chosen.round) == (turn.cell, turn.round), "the recorded trials must follow the procedures"

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial of an earlier session."""
        self.expect(turn)
        self.take(turn, record)

    def restart(self, last: CellTurn) -> None:
        """Begins an interrupted procedure anew, since its specification does not allow a gap within it.

        ``last`` is the last trial that was chosen. It may not have finished.
        """
        self._order = max(self._order, last.order)
        if not self._has_next():
            return
        # Attempts without a result are not known here, and the last one shows how many there were.
        chosen = last.attempt if last.procedure == self.procedure.name else 0
        if self._has_begun or chosen >= self._attempt:
            self._attempt = max(self._attempt, chosen) + 1
            self._begin_procedure()

    def next_procedure(self) -> Procedure | None:
        """The procedure that begins with the next trial; None if that trial begins none, or there is none."""
        return self.procedure if self._has_next() and not self._has_begun else None

    def _has_next(self) -> bool:
        """Whether there is another trial. Goes on to its phase and round."""
        while not self._left:
            if self._is_over():
                if not self._next_phase():
                    return False
                continue
            self._round += 1
            self._left = list(self._cells)
        return True

    def next_turn(self) -> CellTurn | None:
        """The next trial; None after the last procedure."""
        if not self._has_next():
            return None
        cell = self._left.pop(0)
        self._order += 1
        self._has_begun = True
        self._repeats[cell] += 1
        repeat = self._repeats[cell]
        return CellTurn(
            order=self._order,
            cell=cell,
            repeat=repeat,
            seed=cell_seed(self._plan.seed, cell, 1 if self.procedure.repeats_offsets else repeat),
            round=self._round,
            procedure=self.procedure.name,
            phase=self.phase.name,
            attempt=self._attempt,
        )

    def watch(self, turn: CellTurn) -> SampleWatch | None:
        """A new watch for a trial whose samples are judged; None for any other."""
        stop = self._phase_of(turn).stop
        if not isinstance(stop, SteadySamples):
            return None
        workload = next(each.workload for each in self._plan.cells if each.cell == turn.cell)
        return SampleWatch(stop, workload.subject)

    def _phase_of(self, turn: CellTurn) -> PhasePlan:
        found = self._plan.phase_of(turn)
        assert found is not None, "each trial is of a phase"
        return found

    @property
    def procedure(self) -> Procedure:
        """The procedure of the next trial, or of the last one."""
        return self._procedures[self._number]

    @property
    def phase(self) -> PhasePlan:
        """The phase of the next trial, or of the last one."""
        return self.procedure.phases[self._phase]

    def _begin_procedure(self) -> None:
        self._records: dict[str, list[CellRecord]] = defaultdict(list)
        self._has_begun = False
        self._begin_phase(0)

    def _begin_phase(self, number: int) -> None:
        self._phase = number
        self._round = 0
        self._left = []
        self._cells = self._cells_of(self.phase)
        stop = self.phase.stop
        self._steady = SteadyRounds(stop, self.procedure.gap_ns_max) if isinstance(stop, SteadyState) else None

    def _cells_of(self, phase: PhasePlan) -> tuple[str, ...]:
        if phase.points is None:
            return phase.cells
        return cells_at_points(phase.points, self._records[phase.points.phase])

    def _is_over(self) -> bool:
        """Whether the phase needs no further round. The trials of the current one are all done."""
        match self.phase.stop:
            case Rounds(rounds=rounds):
                return self._round >= rounds
            case SteadySamples():
                return self._round >= 1
            case SteadyState(rounds_max=most):
                assert self._steady is not None, "such a phase judges its rounds"
                return self._round >= most or self._steady.is_steady(self._round)

    def _next_phase(self) -> bool:
        """Goes on to the next phase or procedure; False if there is none."""
        if self._phase + 1 < len(self.procedure.phases):
            self._begin_phase(self._phase + 1)
            return True
        if self._number + 1 == len(self._procedures):
            return False
        self._number += 1
        self._attempt = 1
        self._begin_procedure()
        return True


def _light(record: CellRecord) -> CellRecord:
    """The part of a record that later choices need. A run has thousands of trials."""
    return record.model_copy(update={"intervals": (), "slowest": ()})
