"""The description of one key of a workload."""

from dataclasses import dataclass
from typing import Any, Generic

from iosonde.workload_keys.kinds import Kind, Value


@dataclass(frozen=True)
class InFile:
    """A key in an ``[[experiment]]`` of a campaign file.

    ``description`` replaces the flag's help where that mentions flags. A key that ``inherits`` has the campaign's
    value as its default. A key that is ``swept`` takes a list. ``example`` is the hint for a missing or wrong key.
    """

    description: str = ""
    needed: bool = False
    inherits: bool = False
    swept: bool = True
    example: str = ""


@dataclass(frozen=True)
class Key(Generic[Value]):
    """One setting of a workload or of its timing.

    ``field`` belongs to ``Workload``, or to ``Timing`` for ``TIMING_KEYS``. ``default`` is written as a flag takes it.
    Where it is None, the help says what applies without the key. A key without ``help`` is neither a flag nor an
    argument. A key without ``in_file`` is not a key of an experiment. ``in_name`` is its part of a cell's name, omitted
    for the default. It is empty where one part of the name covers several keys (``plans/names.py``).
    """

    name: str
    kind: Kind[Value]
    field: str
    default: Any = None
    help: str = ""
    in_file: InFile | None = None
    in_name: str = ""

    @property
    def flag(self) -> str:
        """``--block-size``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def description(self) -> str:
        """Its meaning in a campaign file."""
        return (self.in_file.description if self.in_file else "") or self.help
