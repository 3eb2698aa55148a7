"""Compares the front end with that of an older commit: both run whole commands alternately, with the same engine."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.ratios import Paired, ratio_of
from bench.report import Report
from tools.older_checkout import ROOT, older_checkout

RUNS_LISTED: Final = 40
HELP_S_MAX: Final = 0.3


@dataclass(frozen=True)
class Command:
    """A command and its arguments. ``makes`` is a directory that it creates; it is removed before each call."""

    name: str
    words: tuple[str, ...]
    makes: Path | None = None


def run(results: Path, folder: Path, pairs: int, commit: str) -> int:
    """Measures the commands, prints and stores the table. Returns 1 if ``--help`` takes too long."""
    report = Report(f"The front compared with that of {commit}, {pairs} alternating rounds", folder)
    report.say(
        "Wall time and peak memory of whole commands. Ratios are this checkout / the other one in the same round:",
        "median of the rounds (bootstrap 95 % interval). The other one wrote the run that is read.",
        "",
        "| command | this checkout, s | time | memory |",
        "|---|---|---|---|",
    )
    help_s = 0.0
    with older_checkout(commit) as source, tempfile.TemporaryDirectory() as place:
        for command in _commands(source, Path(place)):
            seconds, ratios = _compared(command, source, pairs)
            report.say(f"| {command.name} | {seconds:.3f} | {' | '.join(map(str, ratios.values()))} |")
            report.figures[command.name] = {name: each.as_json() for name, each in ratios.items()}
            help_s = seconds if command.words == ("--help",) else help_s
    report.say("", f"`--help` takes {help_s:.3f} s; {HELP_S_MAX} s are allowed.")
    report.keep(results, "fronts")
    return int(help_s > HELP_S_MAX)


def _commands(source: Path, place: Path) -> Iterator[Command]:
    kept, listed, made = place / "kept", place / "listed", place / "made"
    yield Command("--help", ("--help",))
    yield Command("probe, 0.1 s on the null target", ("probe", "null:", "--duration", "100ms", "--warmup", "0s"))
    campaign = ("run", "sim:client-nvme", "--quick", "--seed", "1")
    yield Command("quick campaign on a simulated drive", (*campaign, "--out", str(made)), made)
    _once(source, (*campaign, "--out", str(kept)))
    yield Command("show", ("show", str(kept)))
    yield Command("report", ("report", str(kept)))
    forms = ("--json", str(place / "run.json"), "--csv", str(place / "tables"), "--force")
    yield Command("report as JSON and CSV", ("report", str(kept), *forms))
    for number in range(RUNS_LISTED):
        shutil.copytree(kept, listed / f"run-{number}")
    yield Command(f"list, {RUNS_LISTED} runs", ("list", str(listed)))


def _compared(command: Command, source: Path, pairs: int) -> tuple[float, dict[str, Paired]]:
    sides: dict[Path, list[tuple[float, int]]] = {ROOT: [], source: []}
    for number in range(pairs + 1):
        order = (ROOT, source) if number % 2 else (source, ROOT)
        for side in order:
            if command.makes is not None:
                shutil.rmtree(command.makes, ignore_errors=True)
            sides[side].append(_once(side, command.words))
    # The first round warms the page cache for both.
    ours, theirs = (found[1:] for found in sides.values())
    names = ("time", "memory")
    ratios = {
        name: ratio_of([each[place] for each in ours], [each[place] for each in theirs])
        for place, name in enumerate(names)
    }
    return median(each[0] for each in ours), ratios


def _once(source: Path, words: tuple[str, ...]) -> tuple[float, int]:
    """The time of one call in seconds, and its peak memory in bytes."""
    environment = os.environ | {"PYTHONPATH": str(source / "src")}
    started_s = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "iosonde", *words],
        env=environment, cwd=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, said.decode()
    return time.perf_counter() - started_s, used.ru_maxrss * 1024
