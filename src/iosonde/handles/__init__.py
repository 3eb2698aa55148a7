"""Files that lie: how they are made, opened, known again and removed, so that no name is believed. Knows no run."""

from iosonde.handles.making import check_plain, moved_together, telling, write_all, write_whole
from iosonde.handles.marks import (
    MADE_NAME,
    MadeFile,
    entry_mark,
    forget_made,
    has_mark,
    made_name,
    mark_of,
    mark_on,
    note_made,
)
from iosonde.handles.opening import (
    check_length,
    check_own,
    chunks_of,
    kind_of,
    looking,
    open_own,
    open_plain,
    read_plain,
)
from iosonde.handles.removing import remove_made

__all__ = [
    "MADE_NAME",
    "MadeFile",
    "check_length",
    "check_own",
    "check_plain",
    "chunks_of",
    "entry_mark",
    "forget_made",
    "has_mark",
    "kind_of",
    "looking",
    "made_name",
    "mark_of",
    "mark_on",
    "moved_together",
    "note_made",
    "open_own",
    "open_plain",
    "read_plain",
    "remove_made",
    "telling",
    "write_all",
    "write_whole",
]
