"""Derives the files of a run directory from its journal: the Parquet files and the HTML page."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.findings import Finding, find_in
from iosonde.report.drawing import Drawers
from iosonde.report.export import run_tables
from iosonde.report.html import bare_html, render_html
from iosonde.report.page import Page, page_of
from iosonde.report.stills import drawers_if_any, stills_of
from iosonde.report.titles import CONDITIONS
from iosonde.safe_files import write_file
from iosonde.store import RunDirectory, load_run, write_parquet

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults


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
    with drawers_if_any() if with_page else contextlib.nullcontext() as drawers:
        analysis = RunAnalysis(load_run(directory))
        findings = find_in(analysis, failures)
        failures.attempt(
            "Parquet", lambda: write_parquet(directory, run_tables(analysis, findings)), lambda _: (), CONDITIONS.id
        )
        checked = stored_checks(analysis, findings, failures)

        def made() -> Page:
            return page_of(analysis, findings, failures, checked=checked)

        if with_page:
            write_html(made, page, failures, drawers)
        else:
            page.unlink(missing_ok=True)
    return Derived(analysis, findings, page if with_page else None, failures, checked)


def write_html(make: Callable[[], Page], path: Path, failures: FailureLog, drawers: Drawers | None) -> None:
    """Writes the report that ``make`` returns as one self-contained page, replacing an existing file.

    Raises OutputError.
    """

    def rendered() -> str:
        page = make()
        return render_html(page, failures, stills_of(page, drawers))

    page = failures.attempt("the page", rendered, lambda failure: bare_html(failure.sentence))
    write_file(path, page)


def stored_checks(
    analysis: RunAnalysis, findings: tuple[Finding, ...], failures: FailureLog
) -> "CheckedResults | None":
    """The comparison with the expected values in the record of a run; None if it has none."""
    # Few runs have expected values, and their schema takes long to load.
    if analysis.run.header.expected is None:
        return None
    from iosonde.expectations.expected import check_stored

    return check_stored(analysis, findings, failures)
