"""The measurement and the output of `probe`."""

import sys
from collections.abc import Sequence
from datetime import datetime

import typer

from iosonde import __version__
from iosonde.analysis.run import RunAnalysis
from iosonde.campaign import NullObserver, RunRequest, measure_in_memory
from iosonde.campaign.outcomes import check_probe
from iosonde.cli.left_settings import restored_preflight
from iosonde.cli.messages import check_removed, say
from iosonde.cli.progress import watching
from iosonde.cli.signals import FileObserver
from iosonde.cli.target_text import orphan_lines
from iosonde.failures import FailureLog
from iosonde.findings import Finding, find_in
from iosonde.records import RunRecord
from iosonde.sources import NewFile


def run_probe(request: RunRequest, now: datetime) -> RunRecord:
    """Measures the one cell, with progress on a terminal."""
    ahead = restored_preflight(request, now)
    for target in ahead.targets:
        if isinstance(target, NewFile):
            for line in orphan_lines(ahead.host, target.path.parent):
                say(line)
    if not sys.stderr.isatty():
        return measure_in_memory(request, ahead, _QuietObserver(), now)
    with watching(ahead.plan, virtual=ahead.is_simulated) as observer:
        return measure_in_memory(request, ahead, observer, now)


class _QuietObserver(FileObserver, NullObserver):
    """Observes the files only."""


def print_probe(run: RunRecord, *, as_json: bool) -> None:
    """Prints the results. Raises MeasurementError if the workload failed.

    A probe is not stored: if the output fails, the raw record is printed instead.
    """
    failures = FailureLog()
    analysis = RunAnalysis(run)
    findings = find_in(analysis, failures)
    if as_json:
        from iosonde.report.export import run_json

        text = failures.attempt("the JSON", lambda: run_json(analysis, findings), lambda _: run.model_dump_json())
    else:
        text = failures.attempt(
            "the results", lambda: _figures_text(analysis, findings), lambda _: run.model_dump_json()
        )
    typer.echo(text, nl=not text.endswith("\n"))
    for failure in failures.failures:
        say(f"warning: {failure.statement}")
    if failures.failures:
        say(f"hint: this is a bug in iosonde {__version__}; please report it with the full output")
    check_probe(run)
    check_removed()


def _figures_text(analysis: RunAnalysis, findings: Sequence[Finding]) -> str:
    """The results as printed, in the colours of the terminal."""
    from rich.console import Console

    from iosonde.cli.text_width import paper_width
    from iosonde.report.probe_summary import render_probe

    console = Console(highlight=False, width=paper_width())
    with console.capture() as captured:
        console.print(render_probe(analysis, findings))
    return captured.get()
