"""The kinds of values that a key takes: how they are written, their bounds, and how they are shown."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
_Word = TypeVar("_Word", bound=StrEnum)


class Kind(Generic[Value]):
    """What a key takes. ``argument`` is the type of a Python argument, ``metavar`` the placeholder in the help."""

    argument: str
    metavar: str | None

    def shown(self, value: Any) -> str:  # noqa: ANN401 - each kind has values of its own
        """A value as text for users. Without its spaces it is part of a cell's name."""
        return str(value)


@dataclass(frozen=True)
class Whole(Kind[int]):
    """A whole number within bounds. Without ``tells_most`` the help omits the upper bound, which no run reaches."""

    least: int
    most: int
    tells_most: bool = True
    argument = "int"
    metavar = "N"

    @property
    def bounds(self) -> str:
        """``0 to 100``."""
        return f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Quantity(Kind[int]):
    """A number with a unit. Values and bounds are in the base unit."""

    noun: str
    metavar: str
    argument: str
    parse: Callable[[str, str], int]
    show: Callable[[int], str]
    least: int
    most: int
    examples: tuple[str, ...]
    # Whether a bare number is unambiguous in a campaign file, so that it needs no unit and no quotes.
    takes_numbers: bool = False

    @property
    def bounds(self) -> str:
        """``512 B to 64 MiB``."""
        return f"{self.shown(self.least)} to {self.shown(self.most)}"

    def shown(self, value: int) -> str:
        """The exact number with a suitable unit."""
        return self.show(value)


@dataclass(frozen=True)
class OneOf(Kind[_Word]):
    """One of a few words."""

    words: type[_Word]
    argument = "str"
    metavar = None


@dataclass(frozen=True)
class Switch(Kind[bool]):
    """On or off. The flag takes no value."""

    argument = "bool"
    metavar = None


@dataclass(frozen=True)
class PatternText(Kind[Any]):
    """An access pattern: a name with parameters."""

    argument = "str"
    metavar = "PATTERN"


@dataclass(frozen=True)
class SizesText(Kind[Any]):
    """One block size, or several with their weights, each within the bounds of ``size``."""

    size: Quantity
    argument = "str | int"
    metavar = "SIZE"

    def shown(self, value: Any) -> str:  # noqa: ANN401 - one size or several
        """One size as text like any other quantity, several in the syntax of the flag."""
        return self.size.shown(value) if isinstance(value, int) else str(value)
