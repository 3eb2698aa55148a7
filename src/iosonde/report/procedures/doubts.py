"""Doubtful results of a procedure: one sentence for each finding that affects reported cells."""

from collections.abc import Iterator, Sequence

from iosonde.analysis.procedures import ProcedureRounds
from iosonde.charts.procedures.styles import cell_label
from iosonde.findings import Finding
from iosonde.findings.case import count_of, name_some
from iosonde.findings.finding import unreliable_by
from iosonde.report.validity import Invalid


def doubts_of(rounds: ProcedureRounds, findings: Sequence[Finding], invalid: Invalid) -> Iterator[str]:
    """One sentence per phase and finding, with its cells. Invalid cells are omitted: their figures are marked."""
    for phase in rounds.phases:
        among = [each.workload for each in phase.reported]
        of_finding: dict[str, list[str]] = {}
        for cell in phase.reported:
            for each in () if cell.cell in invalid else unreliable_by(findings, cell.cell):
                of_finding.setdefault(each, []).append(cell_label(cell.workload, among))
        for finding, labels in of_finding.items():
            where = f'{count_of(len(labels), "cell")} of the phase "{phase.name}"'
            yield f"Doubtful, see {finding}: {where} ({name_some(tuple(labels))})."
