"""The characters of bars and sparklines, and their replacements in ASCII."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from iosonde.printing import printable

EIGHTHS: Final = " ▏▎▍▌▋▊▉"
FULL: Final = "█"
LEVELS: Final = "▁▂▃▄▅▆▇█"
GAP: Final = " "

_IN_ASCII: Final = str.maketrans(
    {
        **dict(zip(EIGHTHS[1:], "   ####", strict=True)),
        **dict(zip(LEVELS, "_.-=+*%#", strict=True)),
        "–": "-",
        "—": "-",
        "…": "~",
        "×": "x",
        "µ": "u",
        "─": "-",
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)),
    }
)


def bar(share: float, width: int) -> str:
    """A bar of ``share`` (0 to 1) of ``width`` columns, in eighths of a column. Any share above 0 is visible."""
    eighths = round(min(max(share, 0.0), 1.0) * width * len(EIGHTHS))
    if share > 0:
        eighths = max(eighths, 1)
    whole, part = divmod(eighths, len(EIGHTHS))
    return FULL * whole + (EIGHTHS[part] if part else "")


def sparkline(values: Sequence[float | None], width: int, top: float | None = None) -> str:
    """One character per value, on a scale from 0 to ``top`` or to the largest value. None is a gap.

    If there are more values than columns, neighbouring values are averaged.
    """
    shown = _fit(values, width)
    most = max((value for value in shown if value is not None), default=0.0) if top is None else top
    return "".join(GAP if value is None else LEVELS[_level(value, most)] for value in shown)


def _level(value: float, top: float) -> int:
    return min(int(value / top * len(LEVELS)), len(LEVELS) - 1) if top > 0 else 0


def _fit(values: Sequence[float | None], width: int) -> list[float | None]:
    if len(values) <= width:
        return list(values)
    edges = [round(index * len(values) / width) for index in range(width + 1)]
    return [_mean(values[start:end]) for start, end in pairwise(edges)]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def in_ascii(text: str) -> str:
    """The text in ASCII, with the same width in tables. A character without a replacement becomes ``?``."""
    text = text.replace(" ± ", "+/-").replace(" ±", "+-").replace("±", "+/-").translate(_IN_ASCII)
    return text.encode("ascii", "replace").decode()


@dataclass(frozen=True)
class Harmless:
    """Removes control characters from everything shown, whatever their source. ``ascii_only`` converts it to ASCII."""

    shown: RenderableType
    ascii_only: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The laid-out content with its characters replaced."""
        for segment in console.render(self.shown, options):
            if segment.control:
                yield segment
                continue
            text = "\n".join(printable(line) for line in segment.text.split("\n"))
            yield Segment(in_ascii(text) if self.ascii_only else text, segment.style)
