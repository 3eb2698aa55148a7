"""One line of what ``iosonde doctor`` reports."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """``ok``: as it should be. ``note``: it affects results, which may be intended. ``warning``: it spoils them.

    ``unknown``: it could not be read. ``refused``: it forbids writing to a device.
    """

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    UNKNOWN = "unknown"
    REFUSED = "refused"


@dataclass(frozen=True)
class FitnessLine:
    """A fact with its state. ``reason`` says why it is not ok, and ``command`` changes it; both may be empty."""

    group: str
    subject: str
    value: str
    state: State = State.OK
    reason: str = ""
    command: str = ""
