"""What `probe` does once its flags are understood."""

import sys
from datetime import datetime

import typer

from iosonde.campaign import SilentObserver, Wish, look_ahead, measure_in_memory
from iosonde.campaign.failing import check_probe
from iosonde.cli.progress import watching
from iosonde.findings import Case, find
from iosonde.records import RunRecord


def run_probe(wish: Wish, now: datetime) -> RunRecord:
    """Measures the one cell; on a terminal one can watch."""
    ahead = look_ahead(wish, now)
    if not sys.stderr.isatty():
        return measure_in_memory(wish, ahead, SilentObserver(), now)
    with watching(ahead.plan, virtual=ahead.is_simulated) as observer:
        return measure_in_memory(wish, ahead, observer, now)


def print_probe(run: RunRecord, *, as_json: bool) -> None:
    """Prints the figures. Raises MeasurementError when the workload failed."""
    findings = find(Case.of(run))
    if as_json:
        from iosonde.report.export import run_json

        typer.echo(run_json(run, findings))
    else:
        from rich.console import Console

        from iosonde.cli.paper import paper_width
        from iosonde.report.probe_summary import render_probe

        Console(highlight=False, width=paper_width()).print(render_probe(run, findings))
    check_probe(run)
