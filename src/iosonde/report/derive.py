"""What a finished run directory holds beside the journal: Parquet and the page."""

from pathlib import Path

from iosonde.findings import Case, Finding, find
from iosonde.records import RunRecord
from iosonde.report.export import run_tables
from iosonde.report.html import render_html
from iosonde.report.page import page_of
from iosonde.store import RunDirectory, load_run, write_parquet, write_whole


def derive_files(directory: Path) -> tuple[RunRecord, tuple[Finding, ...], Path]:
    """Derives Parquet and the page from the journal; what is there is replaced. Raises RecordError, or OutputError.

    Gives the run, its findings, and where the page is.
    """
    run = load_run(directory)
    findings = find(Case.of(run))
    page = RunDirectory(directory).report_path
    write_parquet(directory, run_tables(run, findings))
    write_html(run, findings, page)
    return run, findings, page


def write_html(run: RunRecord, findings: tuple[Finding, ...], path: Path) -> None:
    """Writes the report as one self-contained page; what is there is replaced. Raises OutputError."""
    write_whole(path, render_html(page_of(run, findings)))
