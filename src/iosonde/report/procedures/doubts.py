"""Invalid and doubtful results of a procedure: one sentence for each finding that affects reported cells."""

from collections.abc import Iterator, Mapping, Sequence

from iosonde.analysis.procedures import PhaseRounds, ProcedureRounds
from iosonde.charts.procedures.styles import cell_label
from iosonde.findings.case import count_of, name_some
from iosonde.report.validity import Doubtful, Invalid


def doubts_of(rounds: ProcedureRounds, invalid: Invalid, doubtful: Doubtful) -> Iterator[str]:
    """One sentence per phase and finding, with its cells. A cell that is invalid is not also doubtful."""
    for phase in rounds.phases:
        yield from _sentences("Invalid", phase, invalid)
        yield from _sentences("Doubtful", phase, doubtful)


def _sentences(word: str, phase: PhaseRounds, marked: Mapping[str, Sequence[str]]) -> Iterator[str]:
    among = [each.workload for each in phase.reported]
    of_finding: dict[str, list[str]] = {}
    for cell in phase.reported:
        for each in marked.get(cell.cell, ()):
            of_finding.setdefault(each, []).append(cell_label(cell.workload, among))
    for finding, labels in of_finding.items():
        where = f'{count_of(len(labels), "cell")} of the phase "{phase.name}"'
        yield f"{word}, see {finding}: {where} ({name_some(tuple(labels))})."
