"""Runs whole commands, as a user would."""

import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest

from iosonde.__main__ import start
from iosonde.plans import build
from iosonde.records import Timing
from tests.confinement import subject_to_file_modes

# A short command spends most of its time on imports. The fork server imports the modules once, and runs no command
# itself, so each command starts in the same state as in a new process.
FORKS = multiprocessing.get_context("forkserver")
LOADED = (
    "iosonde.cli.main",
    "iosonde.cli.probe_run",
    "iosonde.campaign.requests",
    "iosonde.report.derive",
    "iosonde.report.html_file",
)
FORKS.set_forkserver_preload([*LOADED, "pytest"])
TIMEOUT_S = 280
# Cells of 160 ms: a quick run of the lab profile takes seconds, and nothing but its timing differs.
SHORT = Timing(warmup_ns=10_000_000, measure_ns=150_000_000, interval_ns=30_000_000)


def command(*words: object) -> list[str]:
    """The arguments that start iosonde in a separate process."""
    return [sys.executable, "-m", "iosonde", *(str(word) for word in words)]


def iosonde(
    *words: object,
    folder: Path | None = None,
    short_cells: bool = False,
    file_bytes_max: int | None = None,
    may_override_modes: bool = True,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Runs iosonde until it exits.

    ``may_override_modes`` is whether root ignores the permissions of files, as it usually does.
    """
    arguments = ["iosonde", *(str(word) for word in words)]
    surroundings = {**os.environ, "COLUMNS": "100", **environment}
    with tempfile.TemporaryDirectory() as place:
        stdout, stderr = Path(place) / "stdout", Path(place) / "stderr"
        process = FORKS.Process(
            target=_become,
            args=(arguments, folder or Path.cwd(), surroundings, stdout, stderr),
            kwargs={
                "short_cells": short_cells,
                "file_bytes_max": file_bytes_max,
                "may_override_modes": may_override_modes,
            },
        )
        process.start()
        process.join(TIMEOUT_S)
        if process.exitcode is None:
            process.kill()
            pytest.fail(f"{arguments} takes too long: {stderr.read_text()}")
        return subprocess.CompletedProcess(arguments, process.exitcode, stdout.read_text(), stderr.read_text())


def _become(
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    stdout: Path,
    stderr: Path,
    *,
    short_cells: bool,
    file_bytes_max: int | None,
    may_override_modes: bool,
) -> NoReturn:
    """Runs the command in this forked process, which exits with it."""
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    for number, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", encoding=encoding), os.fdopen(2, "w", encoding=encoding)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if not may_override_modes:
        subject_to_file_modes()
    if file_bytes_max is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes_max, file_bytes_max))
    if short_cells:
        setattr(build, "QUICK_TIMING", SHORT)  # noqa: B010 - a constant for everybody else
    sys.argv = arguments
    start()


FEW_CELLS = """
name = "few"
repeats = 2
warmup = "0s"
duration = "80ms"
[[experiment]]
name = "few"
pattern = ["random", "sequential"]
read = [100, 0]
block_size = "4KiB"
queue_depth = 2
"""


def few_cells(folder: Path, **keys: str) -> Path:
    """A campaign file of four short cells. ``keys`` are added before its experiment."""
    path = folder / "few.toml"
    head = "".join(f"{key} = {value}\n" for key, value in keys.items())
    path.write_text(head + FEW_CELLS, encoding="utf-8")
    return path
