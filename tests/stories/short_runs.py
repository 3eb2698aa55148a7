"""Runs of a few cells of some milliseconds, in a child process that a test can kill at any time.

The child is forked, so that it need not import modules. It measures as the commands do, but writes no report.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iosonde.campaign import (
    RunRequest,
    TargetRequest,
)
from iosonde.errors import IosondeError
from iosonde.machine.local_host import LocalHost
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.records import Plan
from iosonde.vocabulary import EngineChoice
from tests.campaign_runs import measure
from tests.stories.moments import Moment, journal_of

MS = 1_000_000
CAMPAIGN = read_campaign(
    """
name = "short"
repeats = 2
[[experiment]]
name = "all"
pattern = ["random", "sequential"]
read = [100, 50]
block_size = "4KiB"
queue_depth = 2
""",
    "short.toml",
)
DONE, FAILED = 0, 1
POLL_S = 0.0005


def short_plan(ground: TargetInfo) -> Plan:
    """Two repeats of four cells of 10 ms, with intervals of 1 ms. Seeds and order are always the same."""
    plan = campaign_plan(CAMPAIGN, ground, quick=False, seed=7)
    timing = {"warmup_ns": 3 * MS, "measure_ns": 10 * MS, "interval_ns": MS}
    cells = tuple(cell.model_copy(update={"timing": cell.timing.model_copy(update=timing)}) for cell in plan.cells)
    return plan.model_copy(update={"cells": cells})


def short_request(target: Path) -> RunRequest:
    """The request of a short run with buffered I/O, which every file system supports."""
    requested = TargetRequest(
        words=(str(target),), size_bytes=16 << 20, overwrite=True, buffered=True, writes=True, quick=False
    )
    return RunRequest(host=LocalHost(), target=requested, engine=EngineChoice.PSYNC, plan=short_plan)


def run_short(target: Path, directory: Path) -> None:
    """Measures a short run into a run directory. Raises IosondeError."""
    measure(short_request(target), directory)


def size_bytes(path: Path) -> int:
    """The size of a file that may not exist yet."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@dataclass(frozen=True)
class Child:
    """A forked process that runs a campaign."""

    process: int

    def kill_after(self, seconds: float) -> None:
        """Kills the front end after this time."""
        time.sleep(seconds)
        os.kill(self.process, signal.SIGKILL)

    def kill_at(self, moment: Moment, run: Path) -> None:
        """Kills the front end at a moment of the run in this directory, if it has not ended by then."""
        self._wait_for(moment, run)
        os.kill(self.process, signal.SIGKILL)

    def kill_engine_at(self, moment: Moment, run: Path) -> None:
        """Kills the engine at a moment of the run in this directory, if it is running then."""
        self._wait_for(moment, run)
        children = Path(f"/proc/{self.process}/task/{self.process}/children")
        for engine in children.read_text(encoding="ascii").split() if children.exists() else []:
            os.kill(int(engine), signal.SIGKILL)

    def _wait_for(self, moment: Moment, run: Path) -> None:
        while not self._has_ended() and size_bytes(journal_of(run)) < moment.journal_bytes:
            time.sleep(POLL_S)
        time.sleep(moment.then_s)

    def _has_ended(self) -> bool:
        return os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait(self) -> int:
        """Waits for its end. Returns DONE, FAILED, or the negative number of a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def fork(work: Callable[[], None], before: Callable[[], None] = lambda: None) -> Child:
    """Starts a child that calls ``before`` and then ``work``."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return Child(process)
    code = FAILED
    try:
        # Hides the messages of a run that a test kills.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        # A shell ignores it in what it starts in the background.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before()
        work()
        code = DONE
    except IosondeError:
        pass
    finally:
        os._exit(code)
