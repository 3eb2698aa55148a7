"""Files of expected values, as ``check``, ``report`` and ``run`` read them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.expectations import CheckedResults, ExpectationsTable, check_results, read_expectations

if TYPE_CHECKING:
    from iosonde.analysis.run import RunAnalysis
    from iosonde.findings.finding import Finding
    from iosonde.records import CellPlan


@dataclass(frozen=True)
class Expected:
    """A file of expected values, read and checked."""

    path: Path
    text: str
    table: ExpectationsTable

    @classmethod
    def read(cls, path: Path) -> "Expected":
        """Reads a file. Raises UsageError."""
        from iosonde.plans.validation_errors import read_text

        text = read_text(str(path), "a file with expected values", "see docs/guides/expectations.md")
        return cls(path, text, read_expectations(text, str(path)))

    def check(self, analysis: "RunAnalysis", findings: "Iterable[Finding]") -> CheckedResults:
        """The verdicts for a run. Raises UsageError if the file names a cell that the run does not have."""
        from iosonde.findings.run_results import conditions_of, results_of_run

        run = analysis.run
        results = results_of_run(run.header.run, analysis.estimates, tuple(findings), conditions_of(run))
        return check_results(results, self.table, (str(self.path), self.text))

    def check_cells(self, run: str, cells: "Iterable[CellPlan]") -> None:
        """Raises UsageError if the file names a cell that a planned run will not have."""
        from iosonde.analysis.results import PrintedCell, Results, ResultsKind

        planned = tuple(
            PrintedCell(name=cell.cell, subject=cell.workload.subject, figures=(), workload=cell.workload)
            for cell in cells
        )
        check_results(Results(ResultsKind.RUN, run, planned), self.table, (str(self.path), self.text))
