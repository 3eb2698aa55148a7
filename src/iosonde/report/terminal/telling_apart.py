"""Cuts names to a width so that different names stay different."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len

WIDTH_MIN: Final = 8
ELLIPSIS: Final = "…"
# For a name cut in the middle: the length of its beginning, in twelfths of the width.
_HEADS: Final = (4, 6, 8)


def cut(text: str, width: int, where: str = "end") -> str:
    """The text in at most ``width`` columns, with an ellipsis where it is cut."""
    if cell_len(text) <= width:
        return text
    kept = text
    if text.isascii():
        kept = text[len(text) - width + 1 :] if where == "start" else text[: max(width - 1, 0)]
    while kept and cell_len(kept) > width - 1:
        kept = kept[1:] if where == "start" else kept[:-1]
    return f"{ELLIPSIS}{kept}" if where == "start" else f"{kept}{ELLIPSIS}"


def told_apart(texts: Sequence[str], width: int) -> list[str] | None:
    """The texts in at most ``width`` columns; None if different texts would become equal.

    It tries in turn: the end of each text, the part after the common folder, the beginning and the end.
    """
    names = list(dict.fromkeys(texts))
    for shorten in _ways(names):
        shorter = {name: name if cell_len(name) <= width else shorten(name, width) for name in names}
        if len(set(shorter.values())) == len(names):
            return [shorter[text] for text in texts]
    return None


def least_width(texts: Sequence[str], at_least: int = WIDTH_MIN) -> int:
    """The least width, from ``at_least`` on, in which different texts stay different."""
    widest = max(map(cell_len, texts), default=at_least)
    return next((width for width in range(at_least, widest) if told_apart(texts, width) is not None), widest)


def _ways(names: Sequence[str]) -> Iterator[Callable[[str, int], str]]:
    yield _from_end
    # The common prefix by characters, cut back to the last complete folder.
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
