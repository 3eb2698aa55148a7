"""From a run directory to what a reader wants of it."""

import gc
import sys
from pathlib import Path

from iosonde.analysis.run import RunAnalysis
from iosonde.campaign.failing import check_campaign
from iosonde.cli.messages import check_removed, say
from iosonde.failures import HOW_TO_REPORT, FailureLog
from iosonde.findings import Finding
from iosonde.printing import quoted
from iosonde.store import load_run


def finish_directory(path: Path) -> None:
    """Derives Parquet and the report from the journal, and prints the summary. Raises for failed cells, left files."""
    from iosonde.report.derive import derive_files

    get_ready_to_report()
    if sys.stderr.isatty():
        say("writing tables and report ...")
    derived = derive_files(path)
    print_summary(derived.analysis, derived.findings, derived.page, derived.failures)
    tell_failures(derived.failures, path)
    check_campaign(derived.analysis.run, path, derived.page)
    check_removed()


def analysed(run: Path) -> RunAnalysis:
    """A run read back, with what is computed from it when it is asked for. Raises RecordError."""
    return RunAnalysis(load_run(run))


def get_ready_to_report() -> None:
    """Makes the process one that writes a report and ends."""
    stop_collecting()
    stop_checking_charts()


def stop_collecting() -> None:
    """Ends the search for garbage: what a report is made of stays until the process ends, and is searched for long."""
    gc.disable()


def stop_checking_charts() -> None:
    """Ends the checks of every part of a chart as it is made, which take half a second: the tests make them all."""
    from altair.utils import schemapi

    schemapi.DEBUG_MODE = False


def print_summary(
    analysis: RunAnalysis, findings: tuple[Finding, ...], report_path: Path | None, failures: FailureLog
) -> None:
    """Prints the summary that fits a screen."""
    from iosonde.cli.paper import print_paper
    from iosonde.report.summary import render_summary
    from iosonde.report.terminal.isolated import Deferred, Isolated

    shown = Deferred(lambda: [render_summary(analysis, findings, report_path, failures)])
    print_paper(Isolated("the summary", shown, failures))


def tell_failures(failures: FailureLog, run: Path) -> None:
    """Says on stderr which parts could not be made, and how to report that. What was measured is in ``run``."""
    for failure in failures.failures:
        say(f"warning: {failure.statement}")
    if failures.failures:
        how = HOW_TO_REPORT.format(run=quoted(run))
        say(f"hint: what was measured is kept, and the rest is written. {how}")
