"""The fonts of reports. They are part of iosonde, so that a report looks the same on every machine.

vl-convert contains the same Liberation Sans, so charts and pages use the same font.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import as_file, files
from itertools import chain
from pathlib import Path
from typing import Final

from iosonde.printing import printable

FAMILY: Final = "Liberation Sans"
"""The font of pages and charts. ``fonts/`` has two files of it, and its licence."""

FAMILIES: Final = f"{FAMILY}, Arial, Helvetica, sans-serif"
"""Font families for images opened on other machines. Arial and Helvetica have the same widths: nothing overlaps."""


@contextmanager
def fonts_folder() -> Iterator[Path]:
    """The folder with the font files."""
    with as_file(files("iosonde.report").joinpath("fonts")) as folder:
        yield folder


def drawable(text: str, also: str = "") -> str:
    """External text that the font can draw. Characters without a glyph become escapes instead of empty boxes.

    ``also`` are characters without a glyph that the caller draws by other means, and which are kept.
    """
    if text.isascii() and text.isprintable():
        return text
    known = _characters()
    return "".join(
        character
        if ord(character) in known or character in also
        else character.encode("unicode_escape").decode("ascii")
        for character in printable(text)
    )


@cache
def _characters() -> frozenset[int]:
    """The code points with a glyph in every weight of the font. ``tools.write_characters`` writes the list."""
    lines = files("iosonde.report").joinpath("fonts", "characters.txt").read_text(encoding="ascii").splitlines()
    ends = [[int(end, 16) for end in line.split("-")] for line in lines if not line.startswith("#")]
    return frozenset(chain.from_iterable(range(first, last + 1) for first, last in ends))
