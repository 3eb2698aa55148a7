"""The default campaign, as a user would start it: how many results reach the requested precision, and in what time.

It runs on the disk under three background loads, on a loop device over a file in memory, on compressed memory (zram),
and on every shipped model, where background load has no effect on virtual time.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.report import Report
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import precision_of
from iosonde.plans.models import model_names
from iosonde.records import Aim, RunRecord
from iosonde.report.headline import headline_of
from iosonde.report.headline_figures import HeadlineFigure
from iosonde.store import load_run
from iosonde.units import SECOND_NS, format_duration

ESTABLISHED_MIN: Final = 0.8
MINUTES_MAX: Final = 8.0
CELLS_MIN: Final = 40
LOAD_BYTES: Final = 1 << 30
MEMORY_BYTES: Final = 3 << 30

IDLE, STEADY, BURSTS = "no other load", "steady small I/O", "bursts of large writes"
LOADS: Final[dict[str, tuple[str, ...]]] = {
    IDLE: (),
    # Like a database: reads and writes of 4 KiB, at a small part of the throughput of the disk.
    STEADY: ("--rw=randrw", "--rwmixread=70", "--bs=4k", "--iodepth=4", "--rate_iops=700,300"),
    # Like a flush of logs every few seconds: 64 MiB at full speed, then a pause of five seconds.
    BURSTS: ("--rw=write", "--bs=256k", "--iodepth=4", "--thinktime=5s", "--thinktime_blocks=256"),
}


@dataclass(frozen=True)
class Outcome:
    """The result of one default campaign: how many cells and headline results have the requested precision."""

    cells: int
    met: int
    headlines: int
    headlines_met: int
    device_s: float
    wall_s: float
    reasons: str

    @property
    def share(self) -> float:
        """The share of cells at the requested precision."""
        return self.met / self.cells


HEAD: Final = (
    "| target | background load | profile | requested | cells at it | headline results | time | to report | reasons |",
    "|---|---|---|---|---|---|---|---|---|",
)


def run(results: Path, folder: Path, _pairs: int) -> bool:
    """Runs it on the disk, a loop device and zram. True if each reaches the target. Needs root."""
    report = Report("The default campaign on real targets", folder)
    report.say(*_promise(), "", *HEAD)
    held = []
    for load in LOADS:
        with tempfile.TemporaryDirectory(dir=folder) as place, _beside(load, Path(place)):
            held.append(_row(report, "disk", load, str(place), Path(place)))
    for name, made in (("loop", _loop), ("zram", _zram)):
        with tempfile.TemporaryDirectory(dir=folder) as place, made(Path(place)) as target:
            held.append(_row(report, name, IDLE, target, Path(place)))
    report.keep(results, "default_campaign")
    return all(held)


def run_models(results: Path, folder: Path, _pairs: int) -> bool:
    """Runs it on every shipped model, in virtual time: other load on the host does not change the results."""
    report = Report("The default campaign on the shipped models", folder)
    report.say(*_promise(), "", *HEAD)
    held = []
    for model in model_names():
        with tempfile.TemporaryDirectory() as place:
            held.append(_row(report, f"sim:{model}", IDLE, f"sim:{model},seed=20111", Path(place)))
    report.keep(results, "default_models")
    return all(held)


def _promise() -> tuple[str, ...]:
    return (
        f"Target: {ESTABLISHED_MIN:.0%} of the cells and every headline result, within",
        f"{MINUTES_MAX:g} minutes, with {CELLS_MIN} cells or more; targets below 2,000 IOPS use the slow profile.",
    )


def _row(report: Report, name: str, load: str, target: str, place: Path) -> bool:
    found, record = _campaign(target, place)
    plan = record.header.plan
    assert plan.aim is not None, "the default campaign has an aim"
    report.say(
        f"| {name} | {load} | {plan.profile} | ±{plan.aim.precision_percent:g} %, p99 ±{plan.aim.tail_percent:g} % "
        f"| {found.met} of {found.cells} ({found.share:.0%}) | {found.headlines_met} of {found.headlines} "
        f"| {format_duration(found.device_s * SECOND_NS)} | {format_duration(found.wall_s * SECOND_NS)} "
        f"| {found.reasons or '–'} |"
    )
    report.figures[f"{name}, {load}"] = vars(found) | {"profile": plan.profile}
    is_slow = plan.profile.endswith("-slow")
    in_time = is_slow or name.startswith("sim:") or found.wall_s <= 60 * MINUTES_MAX
    enough = is_slow or found.cells >= CELLS_MIN
    return found.share >= ESTABLISHED_MIN and found.headlines_met == found.headlines and in_time and enough


def _campaign(target: str, place: Path) -> tuple[Outcome, RunRecord]:
    began_s = time.monotonic()
    words = ["run", target, "--out", str(place / "run")]
    environment = os.environ | {"TERM": "dumb"}
    # The exit code is ignored: findings of unreliable results set it, and the precision is judged here.
    subprocess.run([sys.executable, "-m", "iosonde", *words], check=False, capture_output=True, env=environment)
    wall_s = time.monotonic() - began_s
    record = load_run(place / "run", intervals=False)
    assert record.finished, "a default campaign ends"
    return outcome_of(record, wall_s), record


def outcome_of(record: RunRecord, wall_s: float) -> Outcome:
    """The outcome of a finished run that took ``wall_s``."""
    aim = record.header.plan.aim
    assert aim is not None, "it was to know figures"
    estimates = estimate_run(record)
    found = {cell.cell: precision_of(cell, aim.precision_percent) for cell in estimates.cells}
    groups = headline_of(estimates).groups
    headlines = [each for group in groups for each in group.figures if each.is_aimed_at]
    reasons = Counter(each.reason.value for each in found.values() if each.reason is not None)
    return Outcome(
        cells=len(found),
        met=sum(each.met for each in found.values()),
        # A group of the headline without any figure counts as missed.
        headlines=len(headlines) + sum(not group.figures for group in groups),
        headlines_met=sum(is_established(each, aim) for each in headlines),
        device_s=record.asked_ns / SECOND_NS,
        wall_s=wall_s,
        reasons=", ".join(f"{number} {reason}" for reason, number in reasons.most_common()),
    )


def is_established(figure: HeadlineFigure, aim: Aim) -> bool:
    """Whether a figure of the headline has the requested precision."""
    share, percent = figure.half_width_share, aim.precision_percent if figure.is_mean else aim.tail_percent
    return share is not None and 100 * share <= percent


@contextmanager
def _beside(load: str, place: Path) -> Iterator[None]:
    """Runs fio with a background load on another file in the same directory, while the context is open."""
    if not LOADS[load]:
        yield
        return
    words = ["fio", "--name=beside", f"--filename={place / 'beside.data'}", f"--size={LOAD_BYTES}", "--direct=1"]
    words += ["--ioengine=libaio", "--time_based", "--runtime=1h", *LOADS[load]]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # fio first lays out its file.
        time.sleep(15)
        assert process.poll() is None, "fio is at work"
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _mounted(device: str, place: Path) -> Iterator[str]:
    point = place / "mounted"
    point.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-F", device], check=True)
    subprocess.run(["mount", device, str(point)], check=True)
    try:
        yield str(point)
    finally:
        subprocess.run(["umount", str(point)], check=True)


@contextmanager
def _loop(place: Path) -> Iterator[str]:
    """A file system on a loop device over a file in memory."""
    memory = place / "memory"
    memory.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MEMORY_BYTES + (64 << 20)}", "tmpfs", str(memory)], check=True
    )
    try:
        backing = memory / "backing.img"
        with backing.open("wb") as file:
            file.truncate(MEMORY_BYTES)
        made = subprocess.run(
            ["losetup", "--find", "--show", "--direct-io=off", str(backing)], check=True, capture_output=True, text=True
        )
        device = made.stdout.strip()
        try:
            with _mounted(device, place) as point:
                yield point
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
    finally:
        subprocess.run(["umount", str(memory)], check=True)


@contextmanager
def _zram(place: Path) -> Iterator[str]:
    """A file system on compressed memory."""
    control = Path("/sys/block/zram0")
    with contextlib.suppress(OSError):
        (control / "reset").write_text("1", encoding="ascii")
    (control / "disksize").write_text(str(MEMORY_BYTES), encoding="ascii")
    try:
        with _mounted("/dev/zram0", place) as point:
            yield point
    finally:
        (control / "reset").write_text("1", encoding="ascii")
