"""Keeps the record of the last purge of each device, so that a later command can say how the device was prepared."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iosonde.errors import OutputError
from iosonde.records import DeviceIdentity, PurgeRecord
from iosonde.safe_files import read_regular, state_folder, write_file
from iosonde.store.device_files import STATE_HINT, file_of_device

BYTES_MAX: Final = 1 << 20
"""The largest record that is read."""


def keep_purge(record: PurgeRecord) -> Path:
    """Keeps a record for each device that the purge reached, and returns the path of the first. Raises OutputError."""
    text = record.model_dump_json(indent=2) + "\n"
    paths = [_place(each.identity) for each in record.devices]
    try:
        paths[0].parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise OutputError(
            f"the record of the purge cannot be kept in {paths[0].parent}: {error.strerror}",
            STATE_HINT,
        ) from error
    for path in paths:
        write_file(path, text)
    return paths[0]


def last_purge(identity: DeviceIdentity) -> PurgeRecord | None:
    """The last purge of a device that was kept; None if there is none, or it cannot be read."""
    with suppress(OSError, ValueError, ValidationError):
        found = PurgeRecord.model_validate_json(read_regular(_place(identity), bytes_max=BYTES_MAX))
        if any(_same(each.identity, identity) for each in found.devices):
            return found
    return None


def _same(one: DeviceIdentity, other: DeviceIdentity) -> bool:
    return (one.kind, one.name, one.size_bytes) == (other.kind, other.name, other.size_bytes)


def _place(identity: DeviceIdentity) -> Path:
    return file_of_device(state_folder("purges"), identity)
