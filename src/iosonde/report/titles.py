"""What experiments are called, on every form of the report. Apart from the page, which brings the charts along."""

from typing import Final

from iosonde.records import Experiment

TITLES: Final = {
    Experiment.BASELINE: "Zero-queue baseline",
    Experiment.BLOCK_SIZE: "Block-size sweep",
    Experiment.MIX: "Read/write mix",
    Experiment.QUEUE_DEPTH: "Queue-depth sweep",
    Experiment.TAIL: "Tail latency",
    Experiment.MATRIX: "Matrix",
    Experiment.PROBE: "Probe",
}
"""By experiment, in the report's order; the first write is none of them."""
