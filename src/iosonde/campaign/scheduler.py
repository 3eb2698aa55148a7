"""Schedulers choose the trials that follow those of the plan: one for each stop rule."""

from typing import Protocol, assert_never

from iosonde.records import (
    Aim,
    CellRecord,
    CellTurn,
    FixedTrials,
    IntervalRecord,
    Plan,
    Procedure,
    Procedures,
    SteadyState,
)


class Watch(Protocol):
    """Watches one trial, and decides from its intervals alone when it is long enough.

    A replay of the trial therefore makes the same decisions.
    """

    def take(self, interval: IntervalRecord) -> None:
        """Takes an interval of the trial, also one of the warm-up."""

    def is_enough(self) -> bool:
        """Whether the trial ends now. Called at the moments of decision of its timing."""


class Scheduler(Protocol):
    """Chooses one trial at a time from the plan and the results so far, and from nothing else.

    A resumed run therefore makes the same choices as an uninterrupted one.
    """

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial."""

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Takes the result of a trial of an earlier session, whose scheduler may have chosen it."""

    def expect(self, turn: CellTurn) -> None:
        """Goes on after a trial that an earlier session chose and did not finish. It is measured now."""

    def restart(self, last: CellTurn) -> None:
        """Another session continues the run. ``last`` is the last trial that was chosen."""

    def next_procedure(self) -> Procedure | None:
        """The procedure that begins with the next trial; None if that trial begins none, or there is none."""

    def next_turn(self) -> CellTurn | None:
        """The next trial; None when the stop rule is met."""

    def watch(self, turn: CellTurn) -> Watch | None:
        """A new watch for a trial that begins now; None if its length is fixed."""


class FixedScheduler:
    """The scheduler for a fixed number of trials: none follows those of the plan."""

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """Ignores it."""

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Ignores it."""

    def expect(self, turn: CellTurn) -> None:
        """Ignores it."""

    def restart(self, last: CellTurn) -> None:
        """Ignores it."""

    def next_procedure(self) -> Procedure | None:
        """None."""
        return None

    def next_turn(self) -> CellTurn | None:
        """None."""
        return None

    def watch(self, turn: CellTurn) -> None:
        """None: the length of its trials is fixed."""


def scheduler_of(plan: Plan) -> Scheduler:
    """The scheduler for a plan's stop rule."""
    # Imported here because two of them need NumPy, and loading it would delay the first measurement.
    match plan.stop:
        case FixedTrials():
            return FixedScheduler()
        case Aim():
            from iosonde.campaign.adaptive import AdaptiveScheduler

            return AdaptiveScheduler(plan, plan.stop)
        case SteadyState():
            from iosonde.campaign.rounds import RoundScheduler

            return RoundScheduler(plan, plan.stop)
        case Procedures():
            from iosonde.campaign.procedures import ProcedureScheduler

            return ProcedureScheduler(plan, plan.stop)
        case _:
            assert_never(plan.stop)
