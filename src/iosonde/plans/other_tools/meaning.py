"""The counterpart of another tool's flag."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The kind of counterpart: flags, or an answer in text. The value is the beginning of the answer."""

    FLAGS = "flags"
    WORDS = ""
    NOT_NEEDED = "not needed: "
    NOT_AVAILABLE = "not available: "


@dataclass(frozen=True)
class Meaning:
    """A flag as typed, with its counterpart in iosonde flags, or the reason why there is none."""

    word: str
    kind: Kind
    text: str
