"""The page with the results."""

from collections.abc import Iterable
from dataclasses import dataclass

from lab.power_cuts.judge import Verdict
from lab.power_cuts.replay import Cut
from lab.power_cuts.stage import CELLS


@dataclass(frozen=True)
class CutRow:
    """A power cut, and what was left."""

    name: str
    system: str
    during: str
    cut: Cut
    verdict: Verdict


@dataclass(frozen=True)
class KillRow:
    """A machine that was killed, and what was left."""

    name: str
    verdict: Verdict


def page(cuts: Iterable[CutRow], kills: Iterable[KillRow], version: str, seed: int) -> str:
    """The page."""
    lines = [
        "# Power cuts, of an emulated host",
        "",
        (
            f"`make lab CHECKS=power-cuts SEED={seed}`, Debian's kernel {version}. A run of {CELLS} trials writes its "
            "run directory to a drive whose writes are logged (dm-log-writes). For each row, the log is replayed up to "
            "a random entry. Writes since the last flush are dropped at random, sector by sector; those with FUA are "
            "kept. The file system is then mounted, which replays its journal. If a sector of the superblock of ext4 "
            "itself is lost, e2fsck repairs it first, as at the start of a host."
        ),
        "",
        (
            "*Dropped*: sector writes dropped, of those that were not durable. *Finished*: trials that iosonde had "
            "reported as finished before this moment. *Kept*: finished trials in the journal after the power cut. "
            "*Read*: by `iosonde show`, `report` and `list`. Every frame of the journal must be one of the complete "
            "run, byte for byte, and the code of `iosonde resume` must complete the run without changing one."
        ),
        "",
        "| File system | Entry | During | Dropped | Finished | Kept | Lost | Read | Resumed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in cuts:
        entry = row.name.split()[-1]
        dropped = f"{row.cut.dropped:,} of {row.cut.volatile:,}"
        lines.append(f"| {row.system} | {entry} | {row.during} | {dropped} | {_cells(row.verdict)} |")
    lines += [
        "",
        (
            "The whole machine was killed (SIGKILL to QEMU) at a random moment of a run, and booted again from the "
            "same drives:"
        ),
        "",
        "| Killed | Finished | Kept | Lost | Read | Resumed |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {row.name} | {_cells(row.verdict)} |" for row in kills]
    return "\n".join(lines) + "\n"


def _cells(verdict: Verdict) -> str:
    wrong = f" **({len(verdict.complaints)} complaints)**" if verdict.complaints else ""
    figures = f"{verdict.reported} | {verdict.kept} | {verdict.lost}"
    return f"{figures} | {verdict.left.replace('|', '/')} | {verdict.resume.replace('|', '/')}{wrong}"
