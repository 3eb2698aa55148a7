"""The progress of a purge on stderr: a line that changes on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from iosonde.cli.messages import say
from iosonde.cli.signals import ENDING
from iosonde.records import Plan
from iosonde.units import SECOND_NS, format_duration, format_percent
from iosonde.vocabulary import PurgeMethod

TOLD_S: Final = 30.0
"""How often a line is printed if stderr is no terminal."""

SANITIZES: Final = frozenset(
    {
        PurgeMethod.SANITIZE_BLOCK,
        PurgeMethod.SANITIZE_CRYPTO,
        PurgeMethod.SANITIZE_OVERWRITE,
    }
)


ATA: Final = frozenset({PurgeMethod.ATA_SECURE_ERASE, PurgeMethod.ATA_ENHANCED_ERASE})


def advise(method: PurgeMethod) -> None:
    """Sets the hint for a second interruption, which ends the process immediately."""
    if method in SANITIZES:
        ENDING.advice = (
            "the sanitize operation goes on in the drive, even after a power loss, and the drive refuses I/O until it "
            "ends; `iosonde prepare DEVICE` shows its status"
        )
    elif method is PurgeMethod.DISCARD:
        ENDING.advice = "a part of the device may be discarded"
    elif method in ATA:
        ENDING.advice = (
            "the erase goes on in the drive; do not remove its power; if it keeps its password, clear it: "
            "hdparm --user-master u --security-disable iosonde DEVICE"
        )
    else:
        ENDING.advice = "the format goes on in the drive; do not remove its power"


class PurgeProgress:
    """Hears how a purge goes on, and shows it."""

    def __init__(self, method: PurgeMethod, now_s: Callable[[], float] = time.monotonic) -> None:
        self._method = method
        self._now_s = now_s
        self._stage = ""
        self._since_s = 0.0
        self._told_s = 0.0
        self._status: Any = None

    def __enter__(self) -> Self:
        """Starts the line on a terminal."""
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Removes the line."""
        if self._status is not None:
            self._status.stop()

    def stage(self, name: str) -> None:
        """Shows a stage."""
        self._stage, self._since_s = name, self._now_s()
        self._told_s = self._since_s
        self._show(name)

    def progress(self, done_permille: int | None) -> None:
        """Shows how far a stage is, at intervals if stderr is no terminal."""
        now_s = self._now_s()
        if self._status is None and now_s - self._told_s < TOLD_S:
            return
        self._told_s = now_s
        far = "" if done_permille is None else f" {format_percent(done_permille / 1000)},"
        self._show(f"{self._stage}:{far} {format_duration((now_s - self._since_s) * SECOND_NS)}")

    def interrupted(self) -> None:
        """Says what an interruption does."""
        if self._method not in SANITIZES and self._method is not PurgeMethod.DISCARD:
            say("this method cannot be stopped: waiting for the drive; a second interruption leaves it to the drive")

    def _show(self, text: str) -> None:
        if self._status is None:
            say(text)
        else:
            self._status.update(text)


class PurgeLines:
    """Tells of purges between procedures in plain lines, between those of the run."""

    def __init__(self, method: PurgeMethod) -> None:
        self._method = method

    def stage(self, name: str) -> None:
        """Prints that a purge begins."""
        if name == "purging":
            advise(self._method)
            say(f"purging by {self._method}")
        else:
            ENDING.advice = ""

    def progress(self, done_permille: int | None) -> None:
        """Nothing: the run has a progress of its own."""

    def interrupted(self) -> None:
        """Prints that the purge was requested to stop."""
        say("the purge stops as soon as the drive allows it")


def purging_of(plan: Plan) -> PurgeLines | None:
    """Tells of the purges between the procedures of a plan; None without any."""
    return None if plan.purge is None else PurgeLines(plan.purge)
