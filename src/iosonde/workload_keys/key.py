"""What is said of one key of a workload."""

from dataclasses import dataclass
from typing import Any, Generic

from iosonde.workload_keys.kinds import Kind, Value


@dataclass(frozen=True)
class InFile:
    """A key in an ``[[experiment]]`` of a campaign file.

    ``description`` is told in the place of the flag's help where that speaks of flags. A key that ``inherits`` takes
    the campaign's value where it is not given. ``example`` is told where the key lacks or makes no sense.
    """

    description: str = ""
    needed: bool = False
    inherits: bool = False
    swept: bool = True
    example: str = ""


@dataclass(frozen=True)
class Key(Generic[Value]):
    """One thing that can be asked of a workload or its timing.

    ``field`` is that of ``Workload``, or of ``Timing`` for ``TIMING_KEYS``. ``default`` is written as a flag takes it;
    None: what a key means that is not given, its help says. A key without ``help`` is no flag and no argument, and one
    without ``in_file`` no key of an experiment. ``in_name`` is its part of a cell's name, where that part tells this
    key alone; a value that is usual is not told.
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
