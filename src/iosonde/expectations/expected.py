"""Files of expected values: what ``--against`` and ``--for`` name, read and checked, to compare with runs."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.expectations.file import ExpectationsTable
from iosonde.expectations.judge import CheckedResults, check_results
from iosonde.expectations.purpose import Measured, outcome_of
from iosonde.expectations.read_expectations import read_expectations
from iosonde.failures import FailureLog
from iosonde.plans import DATA_SHEET_PROFILE
from iosonde.plans.shipped_files import file_name, is_path
from iosonde.plans.validation_errors import read_text
from iosonde.printing import quoted
from iosonde.records import ExpectedValues, RunRecord

if TYPE_CHECKING:
    from iosonde.analysis.run import RunAnalysis
    from iosonde.findings.finding import Finding
    from iosonde.records import CellPlan


@dataclass(frozen=True)
class Expected:
    """A file of expected values. ``is_purpose``: they are the requirements of a purpose, which have one verdict.

    ``name`` is what the user named it by: a path, or the name of a shipped file.
    """

    name: str
    text: str
    table: ExpectationsTable
    is_purpose: bool = False

    @classmethod
    def read(cls, path: str) -> "Expected":
        """Reads a user's file. Raises UsageError."""
        return cls.of(path, read_text(path, "a file with expected values", "see docs/guides/expectations.md"))

    @classmethod
    def of(cls, name: str, text: str, *, is_purpose: bool = False) -> "Expected":
        """Checks the text of a file. Raises UsageError."""
        return cls(name, text, read_expectations(text, file_name(name)), is_purpose)

    @classmethod
    def stored(cls, values: ExpectedValues) -> "Expected":
        """Reads the expected values in the record of a run. Raises UsageError."""
        return cls.of(values.name, values.text, is_purpose=values.is_purpose)

    @property
    def record(self) -> ExpectedValues:
        """As kept in the record of a run."""
        return ExpectedValues(name=self.name, text=self.text, is_purpose=self.is_purpose)

    def check(self, analysis: "RunAnalysis", findings: "Iterable[Finding]") -> CheckedResults:
        """The verdicts for a run. Raises UsageError if the file names a cell that the run does not have."""
        from iosonde.findings.run_results import measured_conditions, results_of_run

        run = analysis.run
        results = results_of_run(run.header.run, analysis.estimates, tuple(findings), measured_conditions(run))
        checked = check_results(results, self.table, (file_name(self.name), self.text))
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
        """Raises UsageError if the comparison with a planned run would be useless.

        It is if the file names a cell that the run will not have, or if none of its values applies to a cell. Each
        requirement of a purpose must apply to a cell.
        """
        from iosonde.analysis.results import PrintedCell, Results, ResultsKind

        planned = tuple(
            PrintedCell(name=cell.cell, subject=cell.workload.subject, figures=(), workload=cell.workload)
            for cell in cells
        )
        checked = check_results(Results(ResultsKind.RUN, run, planned), self.table, (file_name(self.name), self.text))
        missing = [each.name for each in checked.checks if each.cell is None]
        if self.is_purpose and missing:
            raise UsageError(
                f"{self.name}: the campaign has no cell with the workload of {missing[0]}",
                f"`iosonde plan TARGET --for {quoted(self.name)} --cells` lists the cells of its campaign",
            )
        if len(missing) == len(checked.checks):
            raise UsageError(
                f"{self.name}: the campaign has no cell with any of these workloads, such as that of {missing[0]}",
                self.way_out,
            )

    @property
    def campaign(self) -> str:
        """The campaign of the file, as ``--profile`` takes it; empty if it names none.

        A path in a user's file is relative to the file.
        """
        campaign = self.table.campaign
        if is_path(self.name) and is_path(campaign):
            return str(Path(self.name).parent / campaign)
        return campaign

    @property
    def way_out(self) -> str:
        """How to measure the cells that the values apply to."""
        if self.is_purpose:
            return f"`iosonde run TARGET --for {quoted(self.name)}` measures the cells of this purpose"
        if self.campaign:
            command = f"`iosonde run TARGET --profile {quoted(self.campaign)} --against {quoted(self.name)}`"
            return f"{command} measures the workloads of these values"
        return (
            f"--profile {DATA_SHEET_PROFILE} measures the workloads of data sheets; for other workloads, write a "
            "campaign file (docs/campaigns.md)"
        )


def own_values(run: RunRecord, place: Path) -> Expected:
    """The expected values in the record of a run at ``place``. Raises UsageError if it has none."""
    if run.header.expected is None:
        raise UsageError(
            f"{place} was not started with expected values (--for or --against)",
            "add --against with the name of a data sheet or a purpose, or the path of a file with expected values",
        )
    return Expected.stored(run.header.expected)


def check_stored(analysis: "RunAnalysis", findings: "Iterable[Finding]", failures: FailureLog) -> CheckedResults | None:
    """The verdicts for the expected values in the record of a run; None if there are none.

    Another version may have written values that this one cannot read. ``failures`` then has the reason.
    """
    values = analysis.run.header.expected
    if values is None:
        return None
    try:
        return Expected.stored(values).check(analysis, findings)
    except UsageError as error:
        failures.note("the comparison with expected values", error)
        return None
