"""The letters of everything that is printed: fonts that come with iosonde, so that a report looks the same everywhere.

vl-convert carries the same Liberation Sans, so the letters of charts and pages are the same ones.
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
"""The font of pages and charts; two files of it lie in ``fonts/``, with its licence."""

FAMILIES: Final = f"{FAMILY}, Arial, Helvetica, sans-serif"
"""For a picture that is opened elsewhere: Arial and Helvetica have the same widths, so nothing overlaps."""


@contextmanager
def fonts_folder() -> Iterator[Path]:
    """Where the font files are."""
    with as_file(files("iosonde.report").joinpath("fonts")) as folder:
        yield folder


def drawable(text: str, also: str = "") -> str:
    """Text from outside as the font can draw it: what it lacks is written as an escape, and never as an empty box.

    ``also`` are characters that whoever draws makes of others.
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
    """The code points that the font has a glyph for, in each of its weights: ``tools.write_characters`` lists them."""
    lines = files("iosonde.report").joinpath("fonts", "characters.txt").read_text(encoding="ascii").splitlines()
    ends = [[int(end, 16) for end in line.split("-")] for line in lines if not line.startswith("#")]
    return frozenset(chain.from_iterable(range(first, last + 1) for first, last in ends))
