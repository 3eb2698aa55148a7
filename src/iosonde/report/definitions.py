"""How each number of a report is defined. Every term that the page uses stands here."""

from typing import Final

from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN
from iosonde.analysis.knee import DEPTHS_MIN, FLAT_SHARE, THROUGHPUT_SHARE_MIN

DEFINITIONS: Final = (
    ("IOPS", "Operations completed in the measurement window, divided by its length. The warm-up is excluded."),
    (
        "Bandwidth",
        (
            "Bytes of the operations completed in the measurement window, divided by its length. 1 MB is 10⁶ bytes; "
            "block sizes are powers of two: 1 KiB is 2¹⁰ bytes, 1 MiB is 2²⁰."
        ),
    ),
    (
        "Latency",
        (
            "Service latency: from the submission of an operation until its completion is reaped. The loop is "
            "closed: a new operation starts when one completes, so there is no wait for a full queue."
        ),
    ),
    (
        "Response latency",
        (
            "In cells with an arrival rate, latency starts at the intended start of an operation, so it includes "
            "the wait "
            "for a full queue. Rate, service latency and lag of these cells are in a separate "
            "table."
        ),
    ),
    (
        "Mean, min, max",
        (
            "Exact, over all operations. The mean of a repeat is the sum of its latencies divided by their "
            "number. That of a cell is "
            "the mean over its repeats, with the same weights as its IOPS. If repeats differ a lot, mean latency and "
            "IOPS are not inverse to each other."
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
            "Requested: operations that the workload keeps in flight. Achieved: operations in flight, averaged "
            "over the "
            "measurement window. At the device: those that had not completed. The others had completed and "
            "waited until "
            "the engine reaped them. Results apply to the depth at the device."
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
            "Two values are distinguishable if the 95 % interval of their ratio excludes 1, whether or not their own "
            "intervals overlap. If the highest of several is named, its intervals are widened so that all of its "
            "comparisons hold together (Bonferroni). Only cells that differ in the varied parameter alone are ranked."
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
            "The median of three rules: the lowest depth with at least "
            f"{THROUGHPUT_SHARE_MIN * 100:.0f} % of the best throughput; the largest ratio of "
            "throughput to mean latency (power); and Kneedle, the bend of throughput over the "
            f"logarithm of depth. Not identifiable: fewer than {DEPTHS_MIN} depths, all of them "
            f"beyond {FLAT_SHARE * 100:.0f} % of the best, throughput that still grows at the deepest, or rules or "
            "repeats that differ by more than half of the sweep."
        ),
    ),
    ("CPU", "User and system time of the engine's worker threads in the window, over all operations completed in it."),
    (
        "Failed and cut repeats",
        (
            "A repeat in which a requested direction completed nothing has failed; an interrupted one is cut. Both "
            "are excluded from all results and counted separately. They never count as 0."
        ),
    ),
    (
        "Discarded repeats",
        (
            "A finished repeat is discarded if another run used the device, if the target was still in "
            "its initial state, or if its warm-up was too short, never for its value alone; and none if fewer "
            "than three would remain. The run order lists the status of each repeat."
        ),
    ),
)
"""Terms and their definitions, in the order in which a reader meets them."""
