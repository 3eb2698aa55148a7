"""Who is told about a campaign's progress: the observer, and the keeper that stores the results."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from iosonde.records import CellPlan, CellRecord, CellTurn, IntervalRecord, SessionEnd, Step, WithinRepeat


class Observer(Protocol):
    """Whoever watches a run."""

    def step_started(self, step: Step) -> None:
        """A step of the preparation begins."""

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """What was kept of a cell, or of a write of the preparation, is about to be repeated."""

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """A cell begins."""

    def interval(self, interval: IntervalRecord) -> None:
        """Part of what runs is over."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """So much of a target, counted from 0, was read back after a cell."""

    def cell_finished(self, record: CellRecord) -> None:
        """A cell, or a write of the preparation, is over."""

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """A cell is kept, and what its intervals say of it could not be worked out, which is our mistake."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Files of the run's own may exist from now on; ``abandon`` has other processes remove them, and says which."""

    def left_behind(self, path: Path, reason: str) -> None:
        """A file that the run has made could not be removed at its end."""


class SilentObserver:
    """Watches nothing."""

    def step_started(self, step: Step) -> None:
        """Nothing."""

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """Nothing."""

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """Nothing."""

    def interval(self, interval: IntervalRecord) -> None:
        """Nothing."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """Nothing."""

    def cell_finished(self, record: CellRecord) -> None:
        """Nothing."""

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """Nothing."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """Nothing."""

    def left_behind(self, path: Path, reason: str) -> None:
        """Nothing."""


class Keeper(Protocol):
    """Where cells are kept: a journal, or memory."""

    def turn(self, turn: CellTurn) -> None:
        """Keeps what is about to be measured, where no plan had it."""

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Keeps an interval of the running cell, which goes on for another ``left_s`` seconds."""

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell that has ended."""

    def prepared(self, cell: CellRecord) -> None:
        """Keeps a write of the preparation."""

    def within(self, order: int, within: WithinRepeat) -> None:
        """Keeps what the intervals of a kept cell say of it."""

    def end(self, end: SessionEnd) -> None:
        """Keeps the end of a session."""

    def check_there(self) -> None:
        """Raises OutputError where what was kept is no longer there."""
