"""The headings of chapters in all report formats. Separate from the page, whose import also loads the charts."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from iosonde.analysis.experiments import ExperimentCells
from iosonde.printing import printable
from iosonde.records import Experiment


class Heading(NamedTuple):
    """The id of a chapter, used in links, and its title."""

    id: str
    title: str


IN_SHORT: Final = Heading("answers", "Summary")
TITLES: Final = {
    Experiment.BASELINE: "Baseline latency (QD 1)",
    Experiment.BLOCK_SIZE: "Block-size sweep",
    Experiment.MIX: "Read/write mix",
    Experiment.QUEUE_DEPTH: "Queue-depth sweep",
    Experiment.TAIL: "Tail latency",
    Experiment.SUSTAINED: "Sustained performance",
    Experiment.MATRIX: "Matrix",
    Experiment.PROBE: "Probe",
}
"""The title of each experiment, in the report's order."""
EXPECTED: Final = Heading("expected", "Expected values")
CONTRASTS: Final = Heading("contrasts", "Contrasts")
EXPLANATIONS: Final = Heading("explanations", "Explanations")
FILL: Final = Heading("fill", "Preconditioning")
OVER_TIME: Final = Heading("course", "Performance over time")
TARGETS: Final = Heading("targets", "Results per target")
FINDINGS: Final = Heading("findings", "Findings")
CONDITIONS: Final = Heading("conditions", "Conditions")
DEFINITIONS: Final = Heading("definitions", "Definitions")

_OTHERS: Final = (
    *(IN_SHORT, EXPECTED, CONTRASTS, EXPLANATIONS, FILL, OVER_TIME, TARGETS, FINDINGS, CONDITIONS, DEFINITIONS),
)

FINDINGS_AT_A_GLANCE: Final = "Findings, most severe first"
PLAN: Final = "Run order"
DEFINITIONS_LABEL: Final = "Definitions"
DEFINITIONS_FOLDED: Final = "Definitions of {} terms"


def experiment_headings(experiments: Sequence[ExperimentCells]) -> tuple[Heading, ...]:
    """A heading for each experiment: its name in the plan, or the title of its kind if the plan has no name.

    Headings are unique: experiments with the same name or kind are numbered from the second on.
    """
    kinds: Counter[str] = Counter()
    names: Counter[str] = Counter(each.title for each in _OTHERS)
    headings = []
    for each in experiments:
        slug, name = each.kind.value.replace("_", "-"), printable(each.name) or TITLES[each.kind]
        kinds[slug] += 1
        names[name] += 1
        headings.append(Heading(_numbered(slug, "-{}", kinds[slug]), _numbered(name, " ({})", names[name])))
    return tuple(headings)


def _numbered(text: str, ending: str, number: int) -> str:
    return text if number == 1 else text + ending.format(number)
