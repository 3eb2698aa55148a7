"""What older versions have written, as this one reads it: a step from each version to the next, on raw JSON.

A field that is new and has a default needs no step. A step changes an object in place, and leaves alone what is as the
newer version writes it: a run that a newer version went on with holds frames of both. So a field never changes its
meaning under its name; what means something else is called something else.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from iosonde.records import SCHEMA_VERSION
from iosonde.store.frames import Kind

Step = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Upgrade:
    """From one version to the next: what becomes of the header, and of the payload of each kind of frame."""

    header: Step | None = None
    frames: Mapping[Kind, Step] = field(default_factory=dict)


UPGRADES: Final[Mapping[int, Upgrade]] = {
    # Version 1 was many: all that came while it was the version has a default.
    1: Upgrade(),
    # The checksum in run.json came, which is no part of the header itself.
    2: Upgrade(),
    # What had completed and was not taken yet came, and what the kernel counts; nobody knows them of older runs.
    3: Upgrade(),
    # Places for more than one host came; until then all was on the first.
    4: Upgrade(),
}
"""By the version that they start from."""


def upgraded_header(
    header: dict[str, Any], to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES
) -> dict[str, Any]:
    """The header in the form of version ``to``, in place; ``schema_version`` says in which it is written."""
    for version in range(header["schema_version"], to):
        step = upgrades[version].header
        if step is not None:
            step(header)
        header["schema_version"] = version + 1
    return header


class Upgrader:
    """Payloads of a journal that ``version`` has begun, in the form of version ``to``."""

    def __init__(self, version: int, to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES) -> None:
        frames = [upgrades[each].frames for each in range(version, to)]
        self._steps = {kind: [steps[kind] for steps in frames if kind in steps] for kind in Kind}

    def changes(self, kind: Kind) -> bool:
        """Whether any step is about frames of this kind."""
        return bool(self._steps[kind])

    def payload(self, kind: Kind, payload: bytes) -> bytes:
        """One payload as this version would have written it."""
        if not self.changes(kind):
            return payload
        content = json.loads(payload)
        for step in self._steps[kind]:
            step(content)
        return json.dumps(content, separators=(",", ":")).encode()
