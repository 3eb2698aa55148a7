"""The signs beside numbers, and the units. A report explains each of them once."""

from collections.abc import Collection
from typing import Final

LEFT_OUT: Final = "†"
UNMET: Final = "‡"
INVALID: Final = "×"

DOUBTFUL: Final = "?"
"""In the matrices of procedures, and in comparisons. Other tables name doubtful cells above them."""

SIGNS: Final = (
    (
        LEFT_OUT,
        "some repeats are excluded (discarded, failed or interrupted); the full table shows how many",
    ),
    (UNMET, "the requested precision was not reached"),
    (INVALID, "invalid result, struck through in red; see the finding for the reason"),
)
"""Each sign with its meaning, in the order of first use."""

UNITS: Final = (
    "IOPS: operations/s (for one class: reads/s, writes/s or commits/s). 1 MB/s = 10⁶ bytes/s; 1 KiB = 2¹⁰ bytes; "
    "1 µs = 10⁻⁶ s; 1 ms = 10⁻³ s. 95 % confidence interval: ± half-width, or (lower to upper limit)."
)


def sign_of(cell: str, invalid: Collection[str], doubtful: Collection[str] = ()) -> str:
    """The sign of the figures of a cell; empty if they are sound."""
    if cell in invalid:
        return INVALID
    return DOUBTFUL if cell in doubtful else ""


def signed(text: str, cell: str, invalid: Collection[str], doubtful: Collection[str] = ()) -> str:
    """A figure of a cell, or its name, with its sign."""
    return f"{text} {sign_of(cell, invalid, doubtful)}".rstrip()
