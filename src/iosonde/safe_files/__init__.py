"""Creates, opens, recognises and removes files without trusting their names. Independent of runs."""

from iosonde.safe_files.atomic import atomic_outputs, check_replaceable, output_errors, write_file, write_files
from iosonde.safe_files.opening import (
    check_length,
    chunks_of,
    open_own,
    open_regular,
    path_handle,
    read_open,
    read_regular,
)
from iosonde.safe_files.ownership import (
    OWN_FILE_NAME,
    CreatedFile,
    has_mark,
    mark_of,
    mark_on,
    own_file_name,
    register_created,
    registered_mark,
    state_folder,
    unregister_created,
)
from iosonde.safe_files.removing import remove_created

__all__ = [
    "OWN_FILE_NAME",
    "CreatedFile",
    "atomic_outputs",
    "check_length",
    "check_replaceable",
    "chunks_of",
    "has_mark",
    "mark_of",
    "mark_on",
    "open_own",
    "open_regular",
    "output_errors",
    "own_file_name",
    "path_handle",
    "read_open",
    "read_regular",
    "register_created",
    "registered_mark",
    "remove_created",
    "state_folder",
    "unregister_created",
    "write_file",
    "write_files",
]
