"""What a word of another tool is here."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Whether there is a counterpart: flags to write, or an answer in words; the value is how that answer begins."""

    FLAGS = "flags"
    WORDS = ""
    NOT_NEEDED = "not needed: "
    NOT_AVAILABLE = "not available: "


@dataclass(frozen=True)
class Meaning:
    """A word as it was typed, with its counterpart in flags, or the reason why it has none."""

    word: str
    kind: Kind
    text: str
