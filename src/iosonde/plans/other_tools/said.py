"""What a word of another tool comes to: flags of ours, a difference, or nothing at all."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Flag:
    """A flag of ``iosonde probe`` with its value (None for a switch), and the foreign option that asks for it."""

    flag: str
    value: str | int | None
    option: str

    @property
    def text(self) -> str:
        """``--read 70``, ``--buffered``."""
        return self.flag if self.value is None else f"{self.flag} {self.value}"


@dataclass(frozen=True)
class Differs:
    """What is not the same, and why."""

    option: str
    reason: str


@dataclass(frozen=True)
class Ignored:
    """What changes nothing about the workload, and why it is not needed."""

    option: str
    reason: str


Said = Flag | Differs | Ignored

TARGET: Final = "TARGET"
"""Stands for the flag of what is no flag: the target itself."""
