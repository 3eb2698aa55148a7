"""A file of a run that is read in chunks."""

from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True)
class OpenFile:
    """A file, open for reading from its beginning, with its length at that time.

    ``identity`` distinguishes it from other files. ``grows`` says whether it can become longer.
    """

    file: BinaryIO
    identity: tuple[int, ...]
    size_bytes: int
    grows: bool
