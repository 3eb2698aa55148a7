"""From a run directory to what a reader wants of it."""

import gc
import sys
from pathlib import Path

from iosonde.campaign.failing import check_campaign
from iosonde.cli.messages import check_removed, say
from iosonde.failures import HOW_TO_REPORT, FailureLog
from iosonde.findings import Finding
from iosonde.records import RunRecord


def finish_directory(path: Path) -> None:
    """Derives Parquet and the report from the journal, and prints the summary. Raises for failed cells, left files."""
    from iosonde.report.derive import derive_files

    stop_collecting()
    if sys.stderr.isatty():
        say("writing tables and report ...")
    derived = derive_files(path)
    print_summary(derived.run, derived.findings, derived.page, derived.failures)
    tell_failures(derived.failures, path)
    check_campaign(derived.run, path, derived.page)
    check_removed()


def stop_collecting() -> None:
    """Ends the search for garbage: what a report is made of stays until the process ends, and is searched for long."""
    gc.disable()


def print_summary(
    run: RunRecord, findings: tuple[Finding, ...], report_path: Path | None, failures: FailureLog
) -> None:
    """Prints the summary that fits a screen."""
    from iosonde.cli.paper import print_paper
    from iosonde.report.summary import render_summary
    from iosonde.report.terminal.isolated import Deferred, Isolated

    shown = Deferred(lambda: [render_summary(run, findings, report_path, failures)])
    print_paper(Isolated("the summary", shown, failures))


def tell_failures(failures: FailureLog, run: Path) -> None:
    """Says on stderr which parts could not be made, and how to report that. What was measured is in ``run``."""
    for failure in failures.failures:
        say(f"warning: {failure.statement}")
    if failures.failures:
        how = HOW_TO_REPORT.format(run=run)
        say(f"hint: what was measured is kept, and the rest is written. {how}")
