"""Invalid and doubtful results of a procedure: one sentence for each finding that affects reported cells."""

from collections.abc import Iterator, Mapping, Sequence

from iosonde.analysis.procedures import PhaseRounds, ProcedureRounds
from iosonde.charts.procedures.styles import cell_label
from iosonde.findings.case import count_of, name_some
from iosonde.report.validity import Doubtful, Invalid


def doubts_of(rounds: ProcedureRounds, invalid: Invalid, doubtful: Doubtful) -> Iterator[str]:
    """One sentence per finding, with its cells or phases. A cell that is invalid is not also doubtful."""
    yield from _sentences("Invalid", rounds.phases, invalid)
    yield from _sentences("Doubtful", rounds.phases, doubtful)


def _sentences(word: str, phases: Sequence[PhaseRounds], marked: Mapping[str, Sequence[str]]) -> Iterator[str]:
    of_finding: dict[str, dict[str, tuple[str, ...]]] = {}
    for phase in phases:
        among = [each.workload for each in phase.reported]
        for cell in phase.reported:
            for finding in marked.get(cell.cell, ()):
                labels = of_finding.setdefault(finding, {})
                labels[phase.name] = (*labels.get(phase.name, ()), cell_label(cell.workload, among))
    for finding, labels in of_finding.items():
        yield f"{word}, see {finding}: {_place_text(labels)}."


def _place_text(labels: Mapping[str, tuple[str, ...]]) -> str:
    """The cells of a phase, or of several phases together."""
    if len(labels) == 1:
        [(phase, cells)] = labels.items()
        return f'{count_of(len(cells), "cell")} of the phase "{phase}" ({name_some(cells)})'
    phases = name_some(tuple(f'"{phase}"' for phase in labels))
    cells = tuple(dict.fromkeys(each for of_phase in labels.values() for each in of_phase))
    return f"cells of {len(labels)} phases ({phases}): {name_some(cells)}"
