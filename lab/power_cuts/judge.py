"""What must hold of a run directory after a power cut, judged by iosonde itself and by the frames of the journal."""

import tarfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from iosonde.errors import IosondeError
from iosonde.records import CellRecord, Outcome
from iosonde.store import JOURNAL_NAME, load_run
from iosonde.store.frame_stream import FrameStream
from iosonde.store.frames import PREFIX, Frame, Kind
from lab.power_cuts.commands import Commands
from lab.power_cuts.stage import CELLS, RUN

Frames = list[tuple[int, bytes]]
READABLE: Final = "readable"


@cache
def commands() -> Commands:
    """The process that runs the commands which read a run."""
    return Commands()


@dataclass
class Verdict:
    """What is left of a run after a power cut: of ``reported`` trials, which were finished, ``kept`` are there."""

    reported: int
    kept: int = 0
    left: str = ""
    resume: str = ""
    complaints: list[str] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """Trials that were reported as finished and are lost."""
        return max(self.reported - self.kept, 0)


def judge(shared: Path, name: str, folder: Path, reported: int, complete: Frames | None) -> Verdict:
    """Judges the archives that a guest left in ``shared``. With the frames of the complete run, compares with them."""
    found = Verdict(reported)
    before, after = (unpacked(shared / f"{name}.{when}.tar", folder / f"{name}.{when}") for when in ("before", "after"))
    if before is None or after is None:
        found.complaints.append(f"not mounted: {(shared / f'{name}.mount').read_text().strip()}")
        return found
    frames = frames_of(before / RUN)
    found.kept = sum(_is_finished(kind, payload) for kind, payload in frames)
    found.left = _shown(before / RUN, found)
    if (shared / f"{name}.repaired").exists():
        found.left += ", after e2fsck"
    if found.lost:
        found.complaints.append(f"{found.lost} trials are lost that were reported as finished")
    if complete is not None and not _follows(frames, complete):
        found.complaints.append("a frame of the journal is not one of the complete run")
    _judge_resumed(shared, name, after / RUN, frames, found)
    return found


def frames_of(run: Path) -> Frames:
    """The intact frames of a journal; none if there is no journal."""
    journal = run / JOURNAL_NAME
    if not journal.exists() or journal.stat().st_size < PREFIX.size:
        return []
    with journal.open("rb") as file:
        stream = list(FrameStream(file, journal.stat().st_size))
    return [(each.kind, each.payload) for each in stream if isinstance(each, Frame)]


def _shown(run: Path, found: Verdict) -> str:
    """What the commands that read a run say of it: ``readable``, or the error of the first that refuses it."""
    words_of_each: tuple[list[str | Path], ...] = (
        ["show", run],
        ["report", run, "--json", run.with_name("run.json")],
        ["list", run.parent],
    )
    errors = []
    for words in words_of_each:
        done = commands().run(run.parent, words)
        if done.returncode:
            errors.append(_refusal(done.stderr, found, f"iosonde {words[0]}").replace(str(run), RUN))
    if errors and found.reported:
        found.complaints.append(f"the run cannot be read: {errors[0]}")
    return "; ".join(dict.fromkeys(errors)) or READABLE


def _judge_resumed(shared: Path, name: str, run: Path, frames: Frames, found: Verdict) -> None:
    said, code = (shared / f"{name}.said").read_text(), int((shared / f"{name}.code").read_text())
    if code:
        found.resume = f"refused (exit {code}): {_refusal(said, found, 'iosonde resume').replace(f'/mnt/{RUN}', RUN)}"
        if found.reported:
            found.complaints.append(f"not resumed: {found.resume}")
        return
    shown = _shown(run, found)
    if shown != READABLE:
        found.complaints.append(f"the resumed run cannot be read: {shown}")
    try:
        record = load_run(run)
    except IosondeError as error:
        found.complaints.append(f"the resumed run cannot be read: {error.message}")
        return
    done = [cell for cell in record.cells if cell.outcome is Outcome.FINISHED]
    if not record.finished or len(done) != CELLS:
        found.complaints.append(f"the resumed run has {len(done)} of {CELLS} trials")
    if not _follows(frames, frames_of(run)):
        found.complaints.append("resuming changed a frame of the journal")
    repeated = CELLS - found.kept
    found.resume = f"complete, {repeated} measured" if repeated else "complete, nothing was left"


def _refusal(said: str, found: Verdict, command: str) -> str:
    """The error of a command that refuses a run, which must have a hint."""
    lines = said.splitlines()
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if len(errors) != 1 or not any(line.startswith("hint: ") for line in lines) or "Traceback" in said:
        found.complaints.append(f"{command}: {said[-500:]}")
    return errors[0] if errors else "no error"


def _follows(part: Frames, whole: Frames) -> bool:
    """Whether all of ``part`` is in ``whole``, in its order."""
    rest = iter(whole)
    return all(frame in rest for frame in part)


def _is_finished(kind: int, payload: bytes) -> bool:
    return kind == Kind.CELL and CellRecord.model_validate_json(payload).outcome is Outcome.FINISHED


def unpacked(archive: Path, folder: Path) -> Path | None:
    """Unpacks an archive into a folder. Returns None if there is none."""
    if not archive.exists():
        return None
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder
