"""The check: power cuts at random moments of a run, and of the machine that measures."""

import os
import random
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from lab.guest import Guest, drive
from lab.kernel import Kernel
from lab.power_cuts.judge import Verdict, commands, frames_of, judge, unpacked
from lab.power_cuts.page import CutRow, KillRow, page
from lab.power_cuts.replay import Cut, Moment, cut_at
from lab.power_cuts.stage import CELLS, EXT4, FINISHED, RUN, XFS, FileSystem, kill, reboot, record, revive
from lab.power_cuts.write_log import WriteLog, read_log

MOMENTS: Final = ((EXT4, 20), (XFS, 5))
KILLS: Final = 2
DELAY_S_MAX: Final = 2.0
# Guests of this check at a time. Most of the time they wait for a trial to end.
GUESTS: Final = threading.BoundedSemaphore(2)


def power_cuts(kernel: Kernel, folder: Path) -> list[str]:
    """At most the running trial is lost, nothing is reported that did not happen, and each run can be resumed."""
    seed = int(os.environ.get("SEED") or secrets.randbelow(1 << 32))
    print(f"power cuts with SEED={seed}", file=sys.stderr, flush=True)
    commands()
    with ThreadPoolExecutor() as pool:
        cut = pool.submit(_cuts, kernel, folder, seed)
        killed = [pool.submit(_killed, kernel, folder / f"kill-{number}", seed) for number in range(1, KILLS + 1)]
        rows = cut.result()
        kills = [each.result() for each in killed]
    (folder / "power-cuts.md").write_text(page(rows, kills, kernel.version, seed))
    verdicts = {row.name: row.verdict for row in rows} | {row.name: row.verdict for row in kills}
    complaints = [f"{name}: {each}" for name, verdict in verdicts.items() for each in verdict.complaints]
    assert not complaints, "\n    ".join([f"SEED={seed}", *complaints])
    return [
        f"{len(rows)} power cuts and {len(kills)} killed machines: no reported trial is lost",
        "every frame of the journal is one of the complete run",
        f"{sum(verdict.resume.startswith('complete') for verdict in verdicts.values())} runs were resumed to the end",
        f"results: power-cuts.md (SEED={seed})",
    ]


def _cuts(kernel: Kernel, folder: Path, seed: int) -> list[CutRow]:
    """Records a run on each file system, then replays its writes up to random moments, as if power failed then."""
    for system, _ in MOMENTS:
        shutil.rmtree(folder / system.name, ignore_errors=True)
    with GUESTS:
        guest = record(kernel, folder, [system for system, _ in MOMENTS])

    def cut_in(system: FileSystem, count: int) -> list[CutRow]:
        chosen = choose(folder / system.name, count, random.Random(f"{seed} {system.name}"))
        complete = guest.folder / "shared" / system.name / "complete.tar"
        return cut_rows(kernel, folder / system.name, system, complete, chosen)

    with ThreadPoolExecutor() as pool:
        return [row for rows in pool.map(cut_in, *zip(*MOMENTS, strict=True)) for row in rows]


def choose(place: Path, count: int, chance: random.Random) -> list[Moment]:
    """Random moments in their order: about as many in each trial, and in the report after the last one."""
    log = read_log(place / "log.img")
    parts: dict[str, list[int]] = {}
    for index in range(log.at_mark("started") + 1, log.at_mark("ended")):
        parts.setdefault(_during(log, index), []).append(index)
    for part in parts.values():
        chance.shuffle(part)
    indexes: list[int] = []
    while len(indexes) < count and any(parts.values()):
        names = [name for name, part in parts.items() if part]
        chance.shuffle(names)
        indexes += [parts[name].pop() for name in names]
    return [Moment(index, chance.random(), chance.getrandbits(32)) for index in sorted(indexes[:count])]


def cut_rows(kernel: Kernel, place: Path, system: FileSystem, complete: Path, moments: list[Moment]) -> list[CutRow]:
    """Cuts the power at each moment, and judges what is left."""
    log = read_log(place / "log.img")
    folder = place / "left"
    shutil.rmtree(folder, ignore_errors=True)
    whole = unpacked(complete, folder / "complete")
    assert whole is not None
    frames = frames_of(whole / RUN)
    cuts = drive(place / "revive/cuts.img", len(moments) * system.size_bytes)
    with cuts.open("r+b") as image:
        made = [cut_at(log, moment, image, number * system.size_bytes) for number, moment in enumerate(moments)]
    with GUESTS:
        guest = revive(kernel, cuts.parent, system, len(moments))

    def judged(number: int, moment: Moment) -> Verdict:
        return judge(guest.folder / "shared", str(number), folder, _reported(log, moment.index), frames)

    return [
        _cut_row(system, log, moment, cut, judged(number, moment))
        for number, (moment, cut) in enumerate(zip(moments, made, strict=True))
    ]


def _cut_row(system: FileSystem, log: WriteLog, moment: Moment, cut: Cut, verdict: Verdict) -> CutRow:
    name = f"{system.name} {moment.index - log.at_mark('started')}"
    print(f"{name}: {verdict}", file=sys.stderr, flush=True)
    return CutRow(name, system.name, _during(log, moment.index), cut, verdict)


def _reported(log: WriteLog, index: int) -> int:
    return sum(mark.startswith(FINISHED) for mark in log.marks_before(index))


def _during(log: WriteLog, index: int) -> str:
    """The part of the run that a moment is in."""
    done = _reported(log, index)
    return f"trial {done + 1}" if done < CELLS else "report"


def _killed(kernel: Kernel, folder: Path, seed: int) -> KillRow:
    """Kills a machine at a random moment of a run, boots it again, and judges what is left."""
    shutil.rmtree(folder, ignore_errors=True)
    chance = random.Random(f"{seed} {folder.name}")
    trials, delay_s = chance.randrange(1, CELLS), chance.uniform(0, DELAY_S_MAX)
    with GUESTS:
        guest = kill(kernel, folder, _due(trials, delay_s))
        reported = _finished(guest)
        again = reboot(kernel, folder)
    verdict = judge(again.folder / "shared", "0", folder / "left", reported, None)
    row = KillRow(f"{delay_s:.2f} s after trial {trials}", verdict)
    print(f"{row.name}: {verdict}", file=sys.stderr, flush=True)
    return row


def _due(trials: int, delay_s: float) -> Callable[[Guest], bool]:
    due_s: float | None = None

    def is_due(guest: Guest) -> bool:
        nonlocal due_s
        if due_s is None and _finished(guest) >= trials:
            due_s = time.monotonic() + delay_s
        return due_s is not None and time.monotonic() >= due_s

    return is_due


def _finished(guest: Guest) -> int:
    """How many trials the run has reported as finished."""
    return sum(line.startswith("[") for line in guest.text("said").splitlines())
