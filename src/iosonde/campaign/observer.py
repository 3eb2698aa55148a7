"""Receives a campaign's progress (observer) and stores its results (keeper)."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    IntervalRecord,
    ProcedureStart,
    SessionEnd,
    Step,
    WithinRepeat,
)


class Observer(Protocol):
    """Receives the progress of a run."""

    def step_started(self, step: Step) -> None:
        """A preconditioning step begins, or the idle time before a trial."""

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """The replay of a kept trial or preconditioning write begins."""

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """A trial begins."""

    def interval(self, interval: IntervalRecord) -> None:
        """An interval of the running trial has ended."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """``read_bytes`` of a target, counted from 0, were read back after a cell."""

    def cell_finished(self, record: CellRecord) -> None:
        """A trial or preconditioning write has ended."""

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """A trial is kept, but the analysis of its intervals failed, which is a bug in iosonde."""

    def files_created(self, abandon: Callable[[], tuple[Path, ...]]) -> None:
        """The run may have created files. ``abandon`` starts processes that remove them, and returns their paths."""

    def left_behind(self, path: Path, reason: str) -> None:
        """A file that the run created could not be removed at its end."""

    def setting_left(self, device: str, reason: str) -> None:
        """A setting of a device that the run changed could not be restored at its end. A later command does it."""


class NullObserver:
    """Ignores all progress."""

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

    def setting_left(self, device: str, reason: str) -> None:
        """Nothing."""


class Recorder(Protocol):
    """Stores the results of trials: in a journal, or in memory."""

    def turn(self, turn: CellTurn) -> None:
        """Keeps a trial that is about to start and is not in the plan."""

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Keeps an interval of the running trial, which continues for another ``left_s`` seconds."""

    def cell(self, cell: CellRecord) -> None:
        """Keeps a trial that has ended."""

    def prepared(self, cell: CellRecord) -> None:
        """Keeps a preconditioning write."""

    def within(self, order: int, within: WithinRepeat) -> None:
        """Keeps the variation within a kept trial."""

    def procedure(self, start: ProcedureStart) -> None:
        """Keeps the start of a procedure, after its purge."""

    def end(self, end: SessionEnd) -> None:
        """Keeps the end of a session."""

    def check_there(self) -> None:
        """Raises OutputError if the stored results were removed."""
