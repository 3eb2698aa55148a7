"""Writes the list of characters that all fonts of the report have, from the font files.

The list is stored next to the fonts, so that a report can be written without a library for fonts.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from fontTools.ttLib import TTFont  # type: ignore[import-untyped] # It comes without types.

FONTS: Final = Path(__file__).resolve().parents[1] / "src/iosonde/report/fonts"
LIST: Final = FONTS / "characters.txt"
_HEAD: Final = "# Code points that each font here has a glyph for, as ranges: python -m tools.write_characters\n"


def characters_text() -> str:
    """The text of the list: a range of hexadecimal code points per line, including both ends."""
    common = set.intersection(*(_code_points(path) for path in FONTS.glob("*.ttf")))
    return _HEAD + "".join(f"{first:04X}-{last:04X}\n" for first, last in _ranges(sorted(common)))


def _code_points(font: Path) -> set[int]:
    with TTFont(font, lazy=True) as opened:
        return set(opened["cmap"].getBestCmap())


def _ranges(ordered: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The ranges of adjacent numbers, first and last."""
    first = last = None
    for each in ordered:
        if last is not None and each == last + 1:
            last = each
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = each
    if first is not None and last is not None:
        yield first, last


def main() -> int:
    """Writes the file."""
    LIST.write_text(characters_text(), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
