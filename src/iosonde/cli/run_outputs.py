"""From a run directory to the summary and the report."""

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iosonde.analysis.run import RunAnalysis
from iosonde.cli.messages import check_removed, say
from iosonde.errors import IosondeError
from iosonde.failures import HOW_TO_REPORT, FailureLog
from iosonde.findings import Finding
from iosonde.printing import quoted
from iosonde.store import load_run

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults
    from iosonde.report.derive import Derived

_KEPT: Final[list[RunAnalysis]] = []


def finish_directory(path: Path, *, with_page: bool = True) -> IosondeError | None:
    """Derives Parquet and the page from the journal, prints the summary. Raises for failed cells and files left.

    The report compares the run with the expected values in its record. If they are the requirements of a purpose, the
    verdict is printed last. Returns the error to end with if it is not met or undecided: the run itself is complete.
    """
    # A report of an older run needs nothing that measures.
    from iosonde.campaign.outcomes import check_campaign

    stop_collecting()
    if sys.stderr.isatty():
        say("writing tables and report ..." if with_page else "writing tables ...")
    derived = derive(path, with_page=with_page)
    print_results(path, derived.analysis, derived.findings, derived.failures, derived.page, derived.checked)
    check_campaign(derived.analysis.run, path, derived.page)
    check_removed()
    if derived.checked is None or derived.checked.purpose is None:
        return None
    from iosonde.cli.verdicts import verdict_error

    return verdict_error(derived.checked)


def derive(path: Path, *, with_page: bool) -> "Derived":
    """Derives Parquet and, ``with_page``, the page from the journal. Raises RecordError or OutputError."""
    from iosonde.report.derive import derive_files

    if with_page:
        stop_checking_charts()
    return derive_files(path, with_page=with_page)


def analysed(run: Path) -> RunAnalysis:
    """A run read back, with its analysis computed on demand. Raises RecordError.

    The last one is kept until the process ends, because freeing a long run takes a tenth of a second.
    """
    analysis = RunAnalysis(load_run(run))
    _KEPT[:] = [analysis]
    return analysis


def stop_collecting() -> None:
    """Disables garbage collection: the data of a report live until the process ends, and scanning them takes long."""
    gc.disable()


def stop_checking_charts() -> None:
    """Disables the checks of each part of a chart, which take half a second. The tests run them all."""
    from altair.utils import schemapi

    schemapi.DEBUG_MODE = False


def print_results(
    run: Path,
    analysis: RunAnalysis,
    findings: tuple[Finding, ...],
    failures: FailureLog,
    page: Path | None,
    checked: "CheckedResults | None" = None,
) -> None:
    """Prints the summary and the verdict for a purpose, and says which parts of it failed."""
    print_summary(analysis, findings, page, failures)
    if checked is not None and checked.purpose is not None:
        from iosonde.cli.verdicts import print_checks

        print_checks(checked)
    tell_failures(failures, run)


def print_summary(
    analysis: RunAnalysis, findings: tuple[Finding, ...], report_path: Path | None, failures: FailureLog
) -> None:
    """Prints the summary, which fits one screen."""
    from iosonde.cli.text_width import print_paper
    from iosonde.report.summary import render_summary
    from iosonde.report.terminal.text_direction import Deferred, Isolated

    shown = Deferred(lambda: [render_summary(analysis, findings, report_path, failures)])
    print_paper(Isolated("the summary", shown, failures))


def tell_failures(failures: FailureLog, run: Path) -> None:
    """Lists on stderr the parts that failed, and how to report this. The measurements are in ``run``."""
    for failure in failures.failures:
        say(f"warning: {failure.statement}")
    if failures.failures:
        how = HOW_TO_REPORT.format(run=quoted(run))
        say(f"hint: all measurements are saved, and all other parts were written. {how}")
