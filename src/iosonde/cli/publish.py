"""From a run directory to what a reader wants of it."""

import sys
from pathlib import Path

import typer

from iosonde.errors import MeasurementError
from iosonde.findings import Case, Finding, find
from iosonde.records import Outcome, RunRecord
from iosonde.store import RunDirectory, load_run, write_parquet, write_whole


def finish_directory(path: Path) -> None:
    """Derives Parquet and the report from the journal, and prints the summary. Raises when cells had failed."""
    from iosonde.report.export import run_tables

    if sys.stderr.isatty():
        typer.echo("writing tables and report ...", err=True)
    run = load_run(path)
    findings = find(Case.of(run))
    directory = RunDirectory(path)
    write_parquet(path, run_tables(run))
    write_html(run, findings, directory.report_path)
    print_summary(run, findings, directory.report_path)
    failed = [cell for cell in run.cells if cell.outcome is Outcome.FAILED]
    if failed:
        raise MeasurementError(
            f"{len(failed)} of {len(run.cells)} measurements failed, the first in {failed[0].cell}",
            f"{directory.report_path} says why; `iosonde resume {path} --failed` measures them again",
        )


def write_html(run: RunRecord, findings: tuple[Finding, ...], path: Path) -> None:
    """Writes the report as one self-contained page."""
    from iosonde.report.html import render_html

    write_whole(path, render_html(run, findings))


def print_summary(run: RunRecord, findings: tuple[Finding, ...], report_path: Path | None) -> None:
    """Prints the summary that fits a screen."""
    from rich.console import Console

    from iosonde.cli.paper import paper_width
    from iosonde.report.summary import render_summary

    Console(highlight=False, width=paper_width()).print(render_summary(run, findings, report_path))
