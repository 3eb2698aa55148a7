"""The definitions of the terms in a report on standard procedures."""

from typing import Final

from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN

_IN_COMPARISON: Final = (
    "Measurement window",
    "Steady state",
    "IOPS",
    "Bandwidth",
    "Mean latency",
    "Maximum latency",
    "99.999 % latency",
    "Verified, failed, skipped, unknown, simulated",
    "Reads/writes (%)",
)

DEFINITIONS: Final = (
    (
        "Procedure, phase, round",
        (
            "A procedure is one test. It consists of phases, and a phase of rounds. A round measures each cell of the "
            "phase once, in the order listed."
        ),
    ),
    (
        "Purge",
        (
            "Puts a drive into the state in which nothing has been written to it. The parameters of the test do not "
            "apply to it."
        ),
    ),
    (
        "Preconditioning",
        (
            "Workload-independent preconditioning writes the active range in order, usually twice. The rounds "
            "themselves are the workload-dependent preconditioning: they continue until steady state."
        ),
    ),
    ("Active range", "The part of the capacity that the test reads and writes."),
    (
        "Tracking variable",
        ("A quantity of one cell that must be steady. If there are several, all must be steady in the same window."),
    ),
    (
        "Measurement window",
        (
            "The last rounds, in which steady state was reached. All reported figures are those of its rounds. If "
            "steady state was not reached, it is the last rounds that were measured."
        ),
    ),
    (
        "Steady state",
        (
            "Over the window, the values range over at most 20 % of their average, and the best-fit line changes by "
            "at most 10 % of it, unless the procedure sets other limits."
        ),
    ),
    (
        "Data excursion, slope excursion",
        (
            "The largest value of the window minus the smallest; the change of the least-squares line from the first "
            "round of the window to the last. The slope is judged over the intervals between rounds: five rounds have "
            "four."
        ),
    ),
    (
        "Criteria of other tools",
        (
            "TKperf applies the same two limits to its only tracking variable. fio limits either the largest distance "
            "of a value from the average, or the slope per round. 10 % and 2.5 % are the values that correspond to "
            "the limits of the SNIA PTS."
        ),
    ),
    ("IOPS", "Operations completed in a trial, divided by its length. Reported: the mean over the rounds."),
    ("Bandwidth", "Bytes transferred in a trial, divided by its length. 1 MB is 10⁶ bytes, and 1 KiB is 2¹⁰ bytes."),
    (
        "Mean latency",
        (
            "The time from the submission of an operation to its completion, as the mean over all operations of a "
            "trial. Reported: the mean over the rounds."
        ),
    ),
    ("Maximum latency", "The longest operation of all rounds of the window, and not a mean of maxima."),
    (
        "99.999 % latency",
        (
            "The latency that 99.999 % of all operations of the window do not exceed, from the merged histograms of "
            f"its rounds. It is shown only if at least {SAMPLES_BEYOND_MIN} operations are above it, which takes a "
            "million operations."
        ),
    ),
    (
        "Verified, failed, skipped, unknown, simulated",
        (
            "The states of a condition. Verified: iosonde saw that it was met. Failed: it was not met. Skipped: it "
            "was not done. Unknown: it could not be seen. Simulated: a model stands for the drive."
        ),
    ),
    (
        "Sample, block",
        (
            "A long trial is divided into samples of a minute, or of a cycle with idle time. If it ends once it is "
            "steady, its time is divided into blocks, and one sample of each block is judged like a round."
        ),
    ),
    (
        "Baseline",
        (
            "In a host idle recovery test, the throughput of the continuous writes before the writes with idle times: "
            "the mean over the last eighth of their samples. A gain of 1.00 means that idle times change nothing."
        ),
    ),
    ("Drive fill", "As many bytes written as the test region has."),
    ("Reads/writes (%)", "The share of reads and writes of a cell: 65/35 is 65 % reads and 35 % writes."),
)
"""Terms and their definitions, in the order of their first use."""

COMPARISON: Final = (
    (
        "Difference",
        (
            "The difference from the first run in percent. A value of at least twice or at most half of that of the "
            "first run has the ratio instead: 2.50 times, 0.40 times."
        ),
    ),
    (
        "\N{ALMOST EQUAL TO}",
        (
            "The values of the rounds overlap with those of the first run: the smallest of one run is not above the "
            "largest of the other. The difference may be chance."
        ),
    ),
    ("Form", "PTS-like: a short form, which is not the test itself."),
    *(each for each in DEFINITIONS if each[0] in _IN_COMPARISON),
)
"""The definitions of the terms in a comparison of runs."""
