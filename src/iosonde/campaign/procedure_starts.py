"""The start of a standard procedure: its purge, as far as the targets allow one."""

from collections.abc import Sequence
from typing import Final

from iosonde.records import CellTurn, ProcedureStart, PurgeRecord, RunHeader
from iosonde.sources import BlockDevice, SimulatedDrive, Source, Target
from iosonde.vocabulary import PurgeState

NO_DEVICE: Final = "a file cannot be purged"
NOT_ASKED: Final = "no purge method was given"
NO_STATE: Final = "the simulated drive has no fresh-out-of-box state: its model is no solid-state drive"


class ProcedureStarts:
    """Purges the targets of a session before each procedure, and says how that went."""

    def __init__(
        self, header: RunHeader, source: Source, targets: Sequence[Target], purges: tuple[PurgeRecord, ...]
    ) -> None:
        self._procedures = {each.name: each for each in header.plan.procedures}
        self._source = source
        self._targets = targets
        self._purges = purges

    def begin(self, turn: CellTurn) -> ProcedureStart:
        """Purges the targets for the procedure that begins with this trial."""
        assert turn.procedure is not None, "only a procedure has a start"
        purged = self._procedures[turn.procedure].purged
        state, reason = self._purge(purged=purged)
        return ProcedureStart(
            procedure=turn.procedure,
            attempt=turn.attempt,
            order=turn.order,
            purge=state,
            reason=reason,
            records=self._purges if purged else (),
        )

    def _purge(self, *, purged: bool) -> tuple[PurgeState, str]:
        if not purged:
            return PurgeState.SKIPPED, "the procedure has no purge"
        if isinstance(self._targets[0], SimulatedDrive):
            # Before the first trial as well, so that each procedure begins in the same way.
            return (PurgeState.SIMULATED, "") if self._source.purge_simulated() else (PurgeState.SKIPPED, NO_STATE)
        if self._purges:
            return PurgeState.VERIFIED, ""
        return PurgeState.SKIPPED, NOT_ASKED if isinstance(self._targets[0], BlockDevice) else NO_DEVICE
