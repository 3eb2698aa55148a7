"""The definition of every term and number that a report uses."""

from typing import Final

from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN
from iosonde.analysis.knee import DEPTHS_MIN, FLAT_SHARE, THROUGHPUT_SHARE_MIN
from iosonde.analysis.series import SNIA

DEFINITIONS: Final = (
    ("IOPS", "Operations completed in the measurement window, divided by its length. The warm-up is excluded."),
    (
        "Bandwidth",
        (
            "Bytes transferred by the operations that completed in the measurement window, divided by its length. 1 MB "
            "is 10⁶ bytes. Block sizes are powers of two: 1 KiB is 2¹⁰ bytes, and 1 MiB is 2²⁰ bytes."
        ),
    ),
    (
        "Latency",
        (
            "Service time: the time from submitting an operation to reaping its completion. In a closed loop, a "
            "new operation starts when another completes, so latency does not include the wait for a free queue slot."
        ),
    ),
    (
        "Response time",
        (
            "In cells with an arrival rate, latency is measured from the intended start of an operation, so it "
            "includes the wait for a free queue slot. A separate table shows the rate, service time and lag of "
            "these cells."
        ),
    ),
    (
        "Mean, min, max",
        (
            "These values are exact and cover all operations. The mean of a repeat is the sum of its "
            "latencies divided by their number. The mean of a cell is the mean over its repeats, weighted in the same "
            "way as its IOPS. If repeats differ considerably, mean latency and IOPS are not exactly "
            "inversely proportional."
        ),
    ),
    (
        "Percentile",
        (
            "The p99 of N operations is the latency at rank ceil(0.99 N) in ascending order. It is read from the "
            "merged histograms of all repeats. Buckets are 1/128 of an octave wide, so the error is at most 0.4 %. A "
            f"percentile is shown only with at least {SAMPLES_BEYOND_MIN} operations above it. Percentiles are never "
            "averaged."
        ),
    ),
    (
        "Requested and achieved queue depth (QD)",
        (
            "Requested: the number of operations that the workload keeps in flight. Achieved: the number of operations "
            "in flight, averaged over the measurement window. At the device: the achieved depth minus the operations "
            "that had completed but were not yet reaped. Results apply to the depth at the device. In the rows for the "
            "reads or the writes of a mix, the achieved depth is the mean number of these operations in flight."
        ),
    ),
    (
        "± (95 % confidence interval)",
        (
            "Half-width of the Student's t confidence interval for the mean over n repeats. The interval is computed "
            "on log-transformed values. The weight of each repeat is 1 / (variance between repeats + variance within "
            "repeats / measurement time). If the variation within repeats explains the differences between them, the "
            "interval is based on the variation within repeats. No interval is shown for a single repeat, or if the "
            "interval would extend from less than half the value to more than twice the value."
        ),
    ),
    (
        "Distinguishable",
        (
            "Two values are distinguishable if the 95 % confidence interval of their ratio excludes 1, even if the "
            "intervals of the two values overlap. When the highest of several values is reported, the intervals are "
            "corrected for multiple comparisons (Bonferroni). Rankings include only cells that are identical except "
            "for the varied parameters."
        ),
    ),
    (
        "Commit",
        "A write followed by fdatasync, timed from the submission of the write to the completion of the flush.",
    ),
    (
        "All",
        (
            "All reads, writes, trims and flushes combined. Commits are not added, because their writes and flushes "
            "are already included."
        ),
    ),
    (
        "Knee",
        (
            "The median of the depths that three rules select. The first rule selects the lowest depth with at least "
            f"{THROUGHPUT_SHARE_MIN * 100:.0f} % of the best throughput. The second rule selects the depth with the "
            "highest ratio of throughput to mean latency (power). The third rule, Kneedle, selects the bend in the "
            "curve of throughput against log depth. The knee is not identifiable if the sweep has fewer than "
            f"{DEPTHS_MIN} depths, or if every depth reaches more than {FLAT_SHARE * 100:.0f} % of the best "
            "throughput. It is also not identifiable if throughput is still increasing at the highest depth, or if the "
            "rules or the repeats disagree by more than half the depth range (log scale)."
        ),
    ),
    (
        "Steady state, measurement window",
        (
            "The results of a cell no longer change from round to round. The measurement window is the last "
            f"{SNIA.window} repeats. By the SNIA PTS and TKperf, IOPS and mean latency are steady if their values in "
            "the window range over at most 20 % of their average, and if the best-fit line (least squares) changes by "
            "at most 10 % of it over the window (slope). fio requires one condition: no value deviates from the "
            "average by more than 5 %, or the best-fit line changes by at most 2 % per repeat."
        ),
    ),
    (
        "CPU",
        (
            "User and system time of the engine's worker threads, io-wq workers and SQPOLL threads during the "
            "measurement window, per completed operation."
        ),
    ),
    (
        "Failed and interrupted repeats",
        (
            "A repeat that ended with an error has failed. If a repeat completed no operation of a requested class, "
            "such as reads, there are two cases. If another repeat of the cell finished, this class counts with a "
            "throughput of 0. Otherwise, the repeat has failed. Failed and interrupted repeats are excluded from all "
            "results and counted separately."
        ),
    ),
    (
        "Discarded repeats",
        (
            "A finished repeat is discarded for one of four reasons: another run used the device, the hypervisor gave "
            "CPU time to other guests, the first repeats differ from all later ones, or the warm-up was too short. "
            "Outliers are not discarded, and no repeat is discarded if fewer than three would remain. "
            "The run order shows the status of each repeat."
        ),
    ),
)
"""Terms and their definitions, in the order of their first use in the report."""
