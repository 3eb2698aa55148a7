"""The table of write amplification: what the host wrote in each cell, and what the drives wrote to their media."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from iosonde.analysis.drive_counters import DriveChange, changes_of, write_amplification
from iosonde.records import RunRecord
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_amount

TITLE: Final = "Write amplification by cell"
CAPTION: Final = (
    "Bytes written to the media per byte that the host wrote, over all trials of a cell, with the range that the units "
    "of the drive's counters allow. The write buffer delays media writes, so a short cell may have those of the cell "
    "before it."
)
NOT_REPORTED: Final = "the drive does not report the bytes written to its media"
NOT_KNOWN: Final = "the counters before or after a trial are unknown"
TOO_FEW: Final = "too few units of the drive's counters were written"


def amplification_table(run: RunRecord) -> ResultTable | None:
    """A row for each cell that writes; None if no drive reports the bytes written to its media.

    A hard disk writes each block once and in place. Its model counts both, and they differ by what the cache holds.
    """
    drives = [each.simulation for each in run.header.targets]
    if all(each is not None and each.table.get("kind") == "disk" for each in drives):
        return None
    changes: dict[str, list[DriveChange | None]] = defaultdict(list)
    for record, change in changes_of(run):
        if record.workload.writes:
            changes[record.cell].append(change)
    if not any(_reported(found) for found in changes.values()):
        return None
    lines = tuple(Line((cell, *_texts(found))) for cell, found in changes.items())
    heads = (
        Head("Cell", number=False),
        Head("Trials"),
        Head("Written by the host"),
        Head("Written to the media"),
        Head("Write amplification"),
    )
    return ResultTable(CAPTION, heads, lines, ()).explained


def _texts(changes: Sequence[DriveChange | None]) -> tuple[str, ...]:
    known = _reported(changes)
    if len(known) < len(changes):
        why = NOT_KNOWN if None in changes else NOT_REPORTED
        return (str(len(changes)), *(Dash(why) for _ in range(3)))
    host, media = (sum(getattr(each, name) for each in known) for name in ("host_written_bytes", "media_written_bytes"))
    found = write_amplification(known)
    ratio = Dash(TOO_FEW) if found is None else found.text
    return (str(len(changes)), format_amount(host), format_amount(media), ratio)


def _reported(changes: Sequence[DriveChange | None]) -> list[DriveChange]:
    return [each for each in changes if each is not None and each.has_media_writes]
