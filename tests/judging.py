"""The findings of a run, for tests."""

from iosonde.analysis.run import RunAnalysis
from iosonde.findings import Case, Finding, find
from iosonde.records import RunRecord


def findings_of(run: RunRecord) -> tuple[Finding, ...]:
    """All findings of a run, most severe first."""
    return find(Case.of(RunAnalysis(run)))
