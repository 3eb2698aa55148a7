"""Files of expected values, as ``check``, ``report`` and ``run`` read them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.expectations import CheckedResults, ExpectationsTable, check_results, read_expectations
from iosonde.expectations.purpose import Measured, outcome_of
from iosonde.printing import quoted

if TYPE_CHECKING:
    from iosonde.analysis.run import RunAnalysis
    from iosonde.findings.finding import Finding
    from iosonde.records import CellPlan


@dataclass(frozen=True)
class Expected:
    """A file of expected values, read and checked. ``is_purpose``: they are the requirements of a purpose."""

    path: Path
    text: str
    table: ExpectationsTable
    is_purpose: bool = False

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
        checked = check_results(results, self.table, (str(self.path), self.text))
        if not self.is_purpose:
            return checked
        timings = {cell.cell: cell.timing for cell in run.header.plan.cells}
        measured = {
            each.cell: Measured(each.repeats_used, timings[each.cell].measure_ns, timings[each.cell].warmup_ns)
            for each in analysis.estimates.cells
            if each.cell in timings
        }
        return replace(checked, purpose=outcome_of(checked, measured))

    def check_cells(self, run: str, cells: "Iterable[CellPlan]") -> None:
        """Raises UsageError if the file names a cell that a planned run will not have.

        Each requirement of a purpose must apply to a cell.
        """
        from iosonde.analysis.results import PrintedCell, Results, ResultsKind

        planned = tuple(
            PrintedCell(name=cell.cell, subject=cell.workload.subject, figures=(), workload=cell.workload)
            for cell in cells
        )
        checked = check_results(Results(ResultsKind.RUN, run, planned), self.table, (str(self.path), self.text))
        missing = [each.name for each in checked.checks if each.cell is None]
        if self.is_purpose and missing:
            raise UsageError(
                f"{self.path}: the campaign has no cell with the workload of {missing[0]}",
                f"`iosonde plan TARGET --for {quoted(self.path)} --cells` lists the cells of the campaign",
            )
