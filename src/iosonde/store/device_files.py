"""Files that iosonde keeps about a device between commands, by its identity."""

import hashlib
from pathlib import Path
from typing import Final

from iosonde.records import DeviceIdentity

SUFFIX: Final = ".json"
STATE_HINT: Final = "set XDG_STATE_HOME to a directory that you can write to"


def file_of_device(folder: Path, identity: DeviceIdentity) -> Path:
    """The file about a device in a folder. Its name has no characters of the identity, which may be any."""
    text = f"{identity.kind}\n{identity.name}\n{identity.size_bytes}"
    return folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}{SUFFIX}"
