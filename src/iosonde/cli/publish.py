"""From a run directory to what a reader wants of it."""

import gc
import sys
from pathlib import Path

import typer

from iosonde.campaign.failing import check_campaign
from iosonde.findings import Finding
from iosonde.records import RunRecord


def finish_directory(path: Path) -> None:
    """Derives Parquet and the report from the journal, and prints the summary. Raises when cells had failed."""
    from iosonde.report.derive import derive_files

    stop_collecting()
    if sys.stderr.isatty():
        typer.echo("writing tables and report ...", err=True)
    run, findings, report_path = derive_files(path)
    print_summary(run, findings, report_path)
    check_campaign(run, path, report_path)


def stop_collecting() -> None:
    """Ends the search for garbage: what a report is made of stays until the process ends, and is searched for long."""
    gc.disable()


def print_summary(run: RunRecord, findings: tuple[Finding, ...], report_path: Path | None) -> None:
    """Prints the summary that fits a screen."""
    from rich.console import Console

    from iosonde.cli.paper import paper_width
    from iosonde.report.summary import render_summary

    Console(highlight=False, width=paper_width()).print(render_summary(run, findings, report_path))
