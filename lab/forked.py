"""Commands and runs in child processes that have all modules already: to load them takes 15 s or more in a guest."""

import gc
import importlib
import os
import pkgutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn

from iosonde.__main__ import start
from iosonde.campaign import NullObserver, ResumeConsent, find_remaining, measure_to_directory, preflight, resume
from iosonde.campaign.requests import MeasuringOptions, campaign_request
from iosonde.machine.local_host import LocalHost
from iosonde.vocabulary import EngineChoice, Poll

# The libraries for charts and pages take a third of the load time, and few guests write a page. A command that writes
# one loads them itself.
PACKAGES: Final = (
    "analysis",
    "campaign",
    "cli",
    "findings",
    "machine",
    "plans",
    "records",
    "report.export",
    "sources",
    "store",
)
# Modules that iosonde imports inside functions, and that take long to load.
LATE: Final = (
    "iosonde.report.derive",
    "iosonde.report.terminal.run_view",
    "rich.console",
    "rich.progress",
    "rich.table",
)


def load_modules() -> None:
    """Imports the modules of iosonde, except those for pages and charts, so that child processes start with them."""
    gc.disable()
    for package in (importlib.import_module(f"iosonde.{name}") for name in PACKAGES):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(each.name)
    for name in LATE:
        importlib.import_module(name)
    # These objects live until the process ends, so the garbage collector need not scan them, here or in a child.
    gc.freeze()
    gc.enable()


@dataclass(frozen=True)
class Ended:
    """A process that has ended: its exit code, and its output."""

    returncode: int
    stdout: str
    stderr: str


class Forked:
    """A child process."""

    def __init__(self, number: int, folder: Path) -> None:
        self.number = number
        self._folder = folder
        self._code: int | None = None
        self._output = ("", "")

    def code(self) -> int | None:
        """Its exit code, None while it runs; -N if a signal ended it."""
        if self._code is None:
            ended, status = os.waitpid(self.number, os.WNOHANG)
            if ended:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self) -> int:
        """Its exit code, when it has ended."""
        while self.code() is None:
            time.sleep(0.05)
        return self._code or 0

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        os.kill(self.number, number)

    def read(self) -> None:
        """Keeps its output."""
        out, error = ((self._folder / name).read_text(errors="replace") for name in ("stdout", "stderr"))
        self._output = (out, error)

    def ended(self) -> Ended:
        """What it left, or has said so far."""
        if self._folder.exists():
            self.read()
        return Ended(-1 if self._code is None else self._code, *self._output)


@contextmanager
def forked(work: Callable[[], None]) -> Iterator[Forked]:
    """A child process that does some work, and does not outlive this."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stdout", "stderr"):
            # The parent may read the output before the child has opened the files.
            (Path(folder) / name).touch()
        number = os.fork()
        if number == 0:
            _become(work, Path(folder))
        process = Forked(number, Path(folder))
        try:
            yield process
        finally:
            if process.code() is None:
                with suppress(ProcessLookupError):
                    process.send(signal.SIGKILL)
                process.wait()
            process.read()


def _become(work: Callable[[], None], folder: Path) -> NoReturn:
    for handle, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), handle)
    end_with(work)


def end_with(work: Callable[[], None]) -> NoReturn:
    """Calls a function, and ends this process with the exit code that the function asks for."""
    code = 1
    try:
        work()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:  # noqa: BLE001 - told to the parent
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def command(*words: str | Path) -> None:
    """The command of iosonde with these words."""
    sys.argv = ["iosonde", *map(str, words)]
    start()


def run_command(*words: str | Path) -> Ended:
    """Runs ``iosonde`` with these words to its end."""
    with forked(lambda: command(*words)) as process:
        process.wait()
    return process.ended()


def measure(path: Path, serial: str, campaign: str, out: Path) -> None:
    """A run without a report."""
    file = out.with_suffix(".toml")
    file.write_text(campaign)
    options = MeasuringOptions(
        targets=[str(path)],
        size="32MiB",
        overwrite=False,
        buffered=False,
        engine=EngineChoice.AUTO,
        poll=Poll.INTERRUPT,
        seed=1,
        host=LocalHost(),
        destroy=(serial,),
    )
    request, now = campaign_request(options, profile=str(file), quick=False), datetime.now(UTC)
    measure_to_directory(request, preflight(request, now), out, NullObserver(), now)


def measure_rest(out: Path, serial: str) -> None:
    """The rest of an interrupted run, without a report."""
    rest = find_remaining(out, LocalHost(), failed_again=False)
    resume(out, rest, NullObserver(), datetime.now(UTC), ResumeConsent(destroy=(serial,)))
