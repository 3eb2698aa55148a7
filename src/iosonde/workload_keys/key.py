"""What is said of one key of a workload."""

from dataclasses import dataclass
from typing import Any, Generic

from iosonde.workload_keys.kinds import Kind, Value


@dataclass(frozen=True)
class InFile:
    """A key in an ``[[experiment]]`` of a campaign file.

    ``description`` replaces the flag's help where that speaks of flags. A key that ``inherits`` has the campaign's
    value as its default. A key that is ``swept`` takes a list. ``example`` is the hint where the key is missing or
    wrong.
    """

    description: str = ""
    needed: bool = False
    inherits: bool = False
    swept: bool = True
    example: str = ""


@dataclass(frozen=True)
class Key(Generic[Value]):
    """One thing that can be asked of a workload or its timing.

    ``field`` belongs to ``Workload``, or to ``Timing`` for ``TIMING_KEYS``. ``default`` is written as a flag takes it;
    where it is None, the help says what holds without the key. A key without ``help`` is no flag and no argument, and
    one without ``in_file`` is no key of an experiment. ``in_name`` is its part of a cell's name, left out for the
    default; it is empty where a part tells several keys (``plans/names.py``).
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
        """What it means in a campaign file."""
        return (self.in_file.description if self.in_file else "") or self.help
