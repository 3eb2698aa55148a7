"""Signs of which bars and sparklines are made, and what stands for them where only ASCII can be shown."""

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
    """A bar of ``share`` (0 to 1) of ``width`` columns, fine to an eighth; anything above 0 shows."""
    eighths = round(min(max(share, 0.0), 1.0) * width * len(EIGHTHS))
    if share > 0:
        eighths = max(eighths, 1)
    whole, part = divmod(eighths, len(EIGHTHS))
    return FULL * whole + (EIGHTHS[part] if part else "")


def sparkline(values: Sequence[float | None], width: int, top: float | None = None) -> str:
    """One sign a value on a scale from 0 to ``top``, or to the largest; None is a gap.

    More values than columns are averaged.
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
    """The same text in ASCII and, as far as tables go, in as many columns; a sign without a stand-in is a ``?``."""
    text = text.replace(" ± ", "+/-").replace(" ±", "+-").replace("±", "+/-").translate(_IN_ASCII)
    return text.encode("ascii", "replace").decode()


@dataclass(frozen=True)
class Harmless:
    """Whatever is shown, without control characters, wherever they came from; in ASCII where that is asked for."""

    shown: RenderableType
    ascii_only: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What is shown as it is laid out, with its signs replaced."""
        for segment in console.render(self.shown, options):
            if segment.control:
                yield segment
                continue
            text = "\n".join(printable(line) for line in segment.text.split("\n"))
            yield Segment(in_ascii(text) if self.ascii_only else text, segment.style)
