"""Derives the files of a run directory from its journal: the Parquet files and the HTML page."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.findings import Finding, find_in
from iosonde.report.export import run_tables
from iosonde.report.stored_checks import stored_checks
from iosonde.report.titles import CONDITIONS
from iosonde.store import RunDirectory, load_run, write_parquet

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults
    from iosonde.report.drawing import Drawers


@dataclass(frozen=True)
class Derived:
    """A run with its analysis, its findings, the path of its page, if one was written, and the parts that failed.

    ``checked`` is the comparison with the expected values in its record; None if it has none.
    """

    analysis: RunAnalysis
    findings: tuple[Finding, ...]
    page: Path | None
    failures: FailureLog
    checked: "CheckedResults | None" = None


def derive_files(directory: Path, *, with_page: bool = True) -> Derived:
    """Derives Parquet and the page from the journal, replacing existing files. Raises RecordError or OutputError.

    A failure of one does not prevent the other; the page and ``failures`` report it. Without the page, an earlier one,
    which no longer agrees with the journal, is removed.
    """
    failures = FailureLog()
    page = RunDirectory(directory).report_path
    # Start the drawing processes first: they initialise while the run is read.
    with _drawers() if with_page else nullcontext() as drawers:
        analysis = RunAnalysis(load_run(directory))
        findings = find_in(analysis, failures)
        failures.attempt(
            "Parquet", lambda: write_parquet(directory, run_tables(analysis, findings)), lambda _: (), CONDITIONS.id
        )
        derived = Derived(analysis, findings, None, failures, stored_checks(analysis, findings, failures))
        if not with_page:
            page.unlink(missing_ok=True)
            return derived
        _write_page(derived, page, drawers)
    return replace(derived, page=page)


# The chart library takes longest to load, and is needed only for the page.
def _drawers() -> "AbstractContextManager[Drawers | None]":
    from iosonde.report.drawing import drawers_if_any

    return drawers_if_any()


def _write_page(derived: Derived, path: Path, drawers: "Drawers | None") -> None:
    from iosonde.report.html_file import write_html
    from iosonde.report.page import page_of

    analysis, findings, failures = derived.analysis, derived.findings, derived.failures
    write_html(lambda: page_of(analysis, findings, failures, checked=derived.checked), path, failures, drawers)
