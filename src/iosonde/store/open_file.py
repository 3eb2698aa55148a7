"""A file of a run that is read piece by piece."""

from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class OpenFile:
    """A file, open for reading from its beginning, with its length when it was opened.

    Another file has another ``identity``. ``grows`` says whether the same one can be longer later.
    """

    file: BinaryIO
    identity: tuple[int, ...]
    size_bytes: int
    grows: bool
