"""Whole commands, as a user runs them."""

import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NoReturn

# Loaded here, so that a forked command need not.
from iosonde.campaign import wishes  # noqa: F401 - see above
from iosonde.cli import probing, publish  # noqa: F401 - see above
from iosonde.cli.main import entry

# The lab profile with cells of 160 ms: the whole way of a quick run in seconds. The timing is all that is changed.
SHORT_CELLS = """
import sys
from iosonde.plans import build
from iosonde.records import Timing
build.QUICK_TIMING = Timing(warmup_ns=10_000_000, measure_ns=150_000_000, interval_ns=30_000_000)
from iosonde.cli.main import entry
sys.argv[0] = "iosonde"
entry()
"""


def command(*words: object, short_cells: bool = False) -> list[str]:
    """The words that start iosonde."""
    start = [sys.executable, "-c", SHORT_CELLS] if short_cells else [sys.executable, "-m", "iosonde"]
    return [*start, *(str(word) for word in words)]


def iosonde(
    *words: object, folder: Path | None = None, short_cells: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs iosonde to its end."""
    return subprocess.run(
        command(*words, short_cells=short_cells),
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def iosonde_forked(*words: str, folder: Path, columns: str = "100") -> subprocess.CompletedProcess[str]:
    """The same in a child that has loaded everything already: for tables of many commands."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        sys.stdout.flush()
        process = os.fork()
        if not process:
            _become(words, folder, columns, stdout.fileno(), stderr.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        said = []
        for file in (stdout, stderr):
            file.seek(0)
            said.append(file.read().decode())
    return subprocess.CompletedProcess(["iosonde", *words], code, *said)


def _become(words: tuple[str, ...], folder: Path, columns: str, stdout: int, stderr: int) -> NoReturn:
    """Turns this process into the command; never returns."""
    try:
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir(folder)
        os.environ["COLUMNS"] = columns
        sys.argv = ["iosonde", *words]
        entry()
    except BaseException:  # noqa: BLE001 - a forked test must never come back as the test runner
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


FEW_CELLS = """
name = "few"
repeats = 2
warmup = "0s"
duration = "40ms"
[[experiment]]
name = "few"
pattern = ["random", "sequential"]
read = [100, 0]
block_size = "4KiB"
queue_depth = 2
"""


def few_cells(folder: Path, **keys: str) -> Path:
    """A campaign file of four short cells; ``keys`` are added to its head."""
    path = folder / "few.toml"
    head = "".join(f"{key} = {value}\n" for key, value in keys.items())
    path.write_text(head + FEW_CELLS, encoding="utf-8")
    return path
