"""What chapters are called, on every form of the report. Apart from the page, which brings the charts along."""

from typing import Final, NamedTuple

from iosonde.records import Experiment


class Heading(NamedTuple):
    """The name of a chapter in addresses, and the one above it."""

    id: str
    title: str


IN_SHORT: Final = Heading("answers", "In short")
HEADLINE: Final = Heading("headline", "Headline")
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
OVER_TIME: Final = Heading("course", "Over the time of the run")
TARGETS: Final = Heading("targets", "The share of each target")
FINDINGS: Final = Heading("findings", "Findings")
CONDITIONS: Final = Heading("conditions", "Conditions")
DEFINITIONS: Final = Heading("definitions", "How each number is defined")

FINDINGS_AT_A_GLANCE: Final = "Findings, most severe first"
PLAN: Final = "Plan and order"
DEFINITIONS_LABEL: Final = "Definitions"


def experiment_heading(experiment: Experiment) -> Heading:
    """The heading of an experiment's chapter."""
    return Heading(experiment.value.replace("_", "-"), TITLES[experiment])
