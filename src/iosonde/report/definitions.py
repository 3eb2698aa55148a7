"""How each number of a report is defined. Every term that the page uses stands here."""

from typing import Final

from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN
from iosonde.analysis.knee import DEPTHS_MIN, FLAT_SHARE, THROUGHPUT_SHARE_MIN

DEFINITIONS: Final = (
    ("IOPS", "Operations completed in the measuring window, divided by its length. Warm-up is not counted."),
    (
        "Bandwidth",
        (
            "Bytes of the operations completed in the measuring window, divided by its length. 1 MB is 10^6 bytes; "
            "block sizes are powers of two: 1 KiB is 2^10 bytes, 1 MiB is 2^20."
        ),
    ),
    (
        "Latency",
        (
            "Service latency: from the submission of an operation to the moment its completion was reaped. The loop is "
            "closed: a new operation starts when one ends, so waiting in front of a full queue is not part of it."
        ),
    ),
    (
        "Response latency",
        (
            "In cells with a rate, all latency begins at the moment at which an operation was wanted, so that waiting "
            "in front of a full queue is part of it. Rate, service latency and lag of these cells have a table of "
            "their own."
        ),
    ),
    (
        "Mean, min, max",
        (
            "Exact, over single operations. A repeat's mean is the sum of its latencies over their number; a cell's is "
            "the mean of its repeats' means, with the weights that they have in its IOPS: where repeats differ much, "
            "one is not the other's inverse."
        ),
    ),
    (
        "Percentile",
        (
            "p99 is the latency of the operation of rank ceil(0.99 N) among N, read from the counts of all repeats "
            "added up. Buckets are 1/128 of an octave wide, so a value is within 0.4 % of that operation's. It is "
            f"shown only with at least {SAMPLES_BEYOND_MIN} operations beyond it, never averaged."
        ),
    ),
    (
        "Depth asked, depth achieved",
        (
            "Asked: operations that the workload wants in flight. Achieved: operations in flight, averaged over the "
            "time of the measuring window. At the device: those of them that had not completed. The rest waited until "
            "the engine took them. Figures belong to the depth at the device."
        ),
    ),
    (
        "± (95 % interval)",
        (
            "Half the width of Student's t interval for the mean over repeats, on logarithms; n is the number of "
            "repeats. Each weighs 1 / (variance between repeats + variance within them / length): a long repeat counts "
            "for more only as far as its own variation blurs it. Where repeats differ by no more than their variation "
            "within explains, that makes the interval. There is none with one repeat, and where it would reach beyond "
            "twice the value or below half of it."
        ),
    ),
    (
        "Told apart",
        (
            "Two figures are told apart where the 95 % interval of their ratio leaves out 1, whether or not their own "
            "intervals overlap. Where the highest of several is named, its intervals are as much wider that all of its "
            "comparisons hold at once (Bonferroni). Only cells are ranked that differ in nothing but what was varied."
        ),
    ),
    (
        "Commit",
        "A write and the fdatasync after it, from the submission of the write to the completion of the flush.",
    ),
    ("All", "Reads, writes, trims and flushes added up. Commits are not added again."),
    (
        "Knee",
        (
            "The middle one of three rules' answers: the lowest depth with at least "
            f"{THROUGHPUT_SHARE_MIN * 100:.0f} % of the best throughput; the greatest "
            "throughput over mean latency (power); and Kneedle, the bend of throughput over the "
            f"logarithm of depth. Not identifiable: fewer than {DEPTHS_MIN} depths, all of them "
            f"beyond {FLAT_SHARE * 100:.0f} % of the best, throughput that still grows at the deepest, or rules or "
            "repeats that differ by more than half of the sweep."
        ),
    ),
    ("CPU", "User and system time of the engine's worker threads in the window, over all operations completed in it."),
    (
        "Failed and cut repeats",
        (
            "A repeat in which an asked direction completed nothing has failed; one that was broken off is cut. Both "
            "are left out of every figure and counted beside it. They are never a 0."
        ),
    ),
    (
        "Discarded repeats",
        (
            "A finished repeat is discarded where another run was at work on the device, where the target was still in "
            "its initial state, or where its warm-up was too short, and never for its value alone; none where fewer "
            "than three would be left. The plan says what became of each."
        ),
    ),
)
"""Terms and their definitions, in the order in which a reader meets them."""
