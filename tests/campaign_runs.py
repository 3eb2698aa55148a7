"""Requests, measures, interrupts and resumes campaigns in this process, with the calls that the commands make."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iosonde.campaign import (
    NullObserver,
    RemainingRun,
    ResumeConsent,
    RunRequest,
    find_remaining,
    measure_to_directory,
    preflight,
)
from iosonde.campaign import resume as resume_run
from iosonde.machine import Host
from iosonde.machine.local_host import LocalHost
from iosonde.records import CellPlan, CellRecord, CellTurn
from verify import campaigns


class Interrupting(NullObserver):
    """Interrupts a run after ``after`` trials, or during the next trial if ``within``. Preconditioning is no trial."""

    def __init__(self, after: int = 1, *, within: bool = False) -> None:
        self._left = after
        self._within = within

    def cell_finished(self, record: CellRecord) -> None:
        """Counts the trial. Interrupts after the last one, unless ``within``."""
        self._left -= record.order > 0
        if not self._left and not self._within:
            raise KeyboardInterrupt

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:  # noqa: ARG002 - each counts
        """Interrupts the trial after the last counted one if ``within``."""
        if not self._left and self._within:
            self._left -= 1
            raise KeyboardInterrupt


def profile_request(
    targets: Sequence[str], profile: str | Path, *, seed: int = 11, size: str | None = None, **others: Any
) -> RunRequest:
    """The request for a profile, with a seed of its own unless one is given."""
    return campaigns.profile_request(targets, profile, seed=seed, size=size, **others)


def measure(
    request: RunRequest, directory: Path, observer: NullObserver | None = None, now: datetime | None = None
) -> None:
    """Measures a campaign into a run directory. Raises IosondeError."""
    started = now or datetime.now(UTC)
    measure_to_directory(request, preflight(request, started), directory, observer or NullObserver(), started)


def rest_of(directory: Path, host: Host | None = None, *, failed_again: bool = False) -> RemainingRun:
    """The remaining work of an interrupted run, by default on this host. Raises IosondeError."""
    return find_remaining(directory, host or LocalHost(), failed_again=failed_again)


def resume(
    directory: Path,
    rest: RemainingRun | None = None,
    observer: NullObserver | None = None,
    now: datetime | None = None,
    *,
    overwrite: bool = False,
    destroy: tuple[str, ...] = (),
) -> None:
    """Resumes a run to its end. ``rest`` is the remaining work, by default that of ``rest_of``. Raises IosondeError."""
    resume_run(
        directory,
        rest or rest_of(directory),
        observer or NullObserver(),
        now or datetime.now(UTC),
        ResumeConsent(overwrite, destroy),
    )
