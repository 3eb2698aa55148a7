"""What is measured behind the trials of a plan: whoever decides it, by which rule."""

from typing import Protocol, assert_never

from iosonde.records import Aim, CellRecord, CellTurn, FixedTrials, Plan, SteadyState


class Scheduler(Protocol):
    """Chooses trials one by one, from the plan and what the trials before have shown, and from nothing else.

    So a run that is resumed goes on as it would have gone on.
    """

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """What a trial has given."""

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """The same of a trial of an earlier session, which that may have chosen."""

    def next_turn(self) -> CellTurn | None:
        """The next trial; None where it is enough."""


class NothingMore:
    """The scheduler of a fixed number of trials: behind those of the plan comes none."""

    def take(self, turn: CellTurn, record: CellRecord) -> None:
        """Nothing follows from it."""

    def follow(self, turn: CellTurn, record: CellRecord) -> None:
        """Nothing follows from it."""

    def next_turn(self) -> CellTurn | None:
        """None."""
        return None


def scheduler_of(plan: Plan) -> Scheduler:
    """The scheduler that a plan's stop rule asks for."""
    # Imported here because those that look at figures need NumPy, which nobody should wait for before a measurement.
    match plan.stop:
        case FixedTrials():
            return NothingMore()
        case Aim():
            from iosonde.campaign.adaptive import AdaptiveScheduler

            return AdaptiveScheduler(plan, plan.stop)
        case SteadyState():
            from iosonde.campaign.rounds import RoundScheduler

            return RoundScheduler(plan, plan.stop)
        case _:
            assert_never(plan.stop)
