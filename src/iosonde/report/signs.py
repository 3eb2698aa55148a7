"""The signs beside numbers, and the units. A report explains each of them once."""

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
