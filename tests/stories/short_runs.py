"""Runs of a few cells of some milliseconds, in a child process that can be killed at any moment.

The child is forked, so that no test waits for imports. It runs the conductor as the commands do, without the report.
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


def short_plan(ground: TargetInfo) -> Plan:
    """Four cells of 10 ms, twice, with intervals of 1 ms; always the same seeds and order."""
    plan = campaign_plan(CAMPAIGN, ground, quick=False, seed=7)
    timing = {"warmup_ns": 3 * MS, "measure_ns": 10 * MS, "interval_ns": MS}
    cells = tuple(cell.model_copy(update={"timing": cell.timing.model_copy(update=timing)}) for cell in plan.cells)
    return plan.model_copy(update={"cells": cells})


def short_request(target: Path) -> RunRequest:
    """The request of a short run, through the page cache: any file system will do."""
    requested = TargetRequest(
        words=(str(target),), size_bytes=16 << 20, overwrite=True, buffered=True, writes=True, quick=False
    )
    return RunRequest(host=LocalHost(), target=requested, engine=EngineChoice.PSYNC, plan=short_plan)


def run_short(target: Path, directory: Path) -> None:
    """Runs it to its end."""
    measure(short_request(target), directory)


@dataclass(frozen=True)
class Child:
    """A process that runs something of ours."""

    process: int

    def kill_after(self, seconds: float) -> None:
        """Kills the front."""
        time.sleep(seconds)
        os.kill(self.process, signal.SIGKILL)

    def kill_engine_after(self, seconds: float) -> None:
        """Kills the engine, if there is one by then."""
        time.sleep(seconds)
        children = Path(f"/proc/{self.process}/task/{self.process}/children")
        for engine in children.read_text(encoding="ascii").split() if children.exists() else []:
            os.kill(int(engine), signal.SIGKILL)

    def wait(self) -> int:
        """How it ended: DONE, FAILED, or the signal's number negated."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def fork(work: Callable[[], None], before: Callable[[], None] = lambda: None) -> Child:
    """Starts ``work`` in a child, after ``before`` has prepared it there."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return Child(process)
    code = FAILED
    try:
        # What a test says while it is killed interests nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        before()
        work()
        code = DONE
    except IosondeError:
        pass
    finally:
        os._exit(code)
