"""Whole commands, as a user runs them."""

import os
import subprocess
import sys
from pathlib import Path

# The lab profile with cells of 40 ms: the whole way of a quick run in seconds. The timing is all that is changed.
SHORT_CELLS = """
import sys
from iosonde.plans import build
from iosonde.records import Timing
build.QUICK_TIMING = Timing(warmup_ns=10_000_000, measure_ns=30_000_000, interval_ns=10_000_000)
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
        timeout=100,
        check=False,
    )
