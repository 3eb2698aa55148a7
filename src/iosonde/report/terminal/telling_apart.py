"""Names that are cut to a width, and still differ where they differed."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len

WIDTH_MIN: Final = 8
ELLIPSIS: Final = "…"
# Of a name that is cut in its middle, so many parts of twelve are its beginning.
_HEADS: Final = (4, 6, 8)


def cut(text: str, width: int, where: str = "end") -> str:
    """The text in at most ``width`` columns, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return text
    kept = text
    if text.isascii():
        kept = text[len(text) - width + 1 :] if where == "start" else text[: max(width - 1, 0)]
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:] if where == "start" else kept[:-1]
    return f"{ELLIPSIS}{kept}" if where == "start" else f"{kept}{ELLIPSIS}"


def told_apart(texts: Sequence[str], width: int) -> list[str] | None:
    """The texts in at most ``width`` columns; None where two of them would become one.

    Of paths the end is kept, then what follows the part that all have in common, then beginning and end.
    """
    names = list(dict.fromkeys(texts))
    for shorten in _ways(names):
        shorter = {name: name if cell_len(name) <= width else shorten(name, width) for name in names}
        if len(set(shorter.values())) == len(names):
            return [shorter[text] for text in texts]
    return None


def least_width(texts: Sequence[str], at_least: int = WIDTH_MIN) -> int:
    """The fewest columns, from ``at_least`` on, in which they are told apart."""
    widest = max(map(cell_len, texts), default=at_least)
    return next((width for width in range(at_least, widest) if told_apart(texts, width) is not None), widest)


def _ways(names: Sequence[str]) -> Iterator[Callable[[str, int], str]]:
    yield _from_end
    # Character by character, and back to where a name of a path begins.
    shared = os.path.commonprefix(list(names)).rpartition("/")  # noqa: RUF071 - as it is said
    if shared[0]:
        yield partial(_behind, len(shared[0]) + 1)
    for twelfths in _HEADS:
        yield partial(_without_middle, twelfths)


def _from_end(name: str, width: int) -> str:
    return cut(name, width, "start")


def _behind(shared: int, name: str, width: int) -> str:
    return cut(f"{ELLIPSIS}{name[shared:]}", width)


def _without_middle(twelfths: int, name: str, width: int) -> str:
    beginning = cut(name, width * twelfths // 12)
    return f"{beginning}{cut(name, width - cell_len(beginning) + 1, 'start')[1:]}"
