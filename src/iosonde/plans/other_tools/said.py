"""The result for one option of another tool: a flag, a difference, or nothing."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Flag:
    """A flag of ``iosonde probe`` with its value (None for a switch), and the option it replaces."""

    flag: str
    value: str | int | None
    option: str

    @property
    def text(self) -> str:
        """``--read 70``, ``--buffered``."""
        return self.flag if self.value is None else f"{self.flag} {self.value}"


@dataclass(frozen=True)
class Differs:
    """A difference between the two workloads, and its reason."""

    option: str
    reason: str


@dataclass(frozen=True)
class Ignored:
    """An option that does not change the workload, and why it is not needed."""

    option: str
    reason: str


Said = Flag | Differs | Ignored

TARGET: Final = "TARGET"
"""Placeholder flag for the target itself."""
