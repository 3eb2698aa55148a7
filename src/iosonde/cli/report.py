"""``iosonde report``: a run's results in other formats. Never needs the device."""

from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.options import AGAINST_HELP, RUN_HELP
from iosonde.errors import OutputError
from iosonde.vocabulary import Paper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from iosonde.analysis.run import RunAnalysis
    from iosonde.charts.figure import Figure
    from iosonde.cli.places import Places
    from iosonde.expectations import CheckedResults
    from iosonde.failures import FailureLog
    from iosonde.findings import Finding
    from iosonde.report.drawing import Drawers
    from iosonde.report.page import Page

READ_GROUP = "Reports"
COMPUTE_GROUP = "Data"


def option(flag: str, help_text: str, place: str, group: str) -> Any:  # noqa: ANN401 - Typer's own type
    """An option that names an output."""
    return typer.Option(flag, help=help_text, metavar=place, rich_help_panel=group, show_default=False)


Deviations = Annotated[
    bool,
    typer.Option(
        "--deviations", help="Add standard deviations over repeats to the tables.", rich_help_panel=READ_GROUP
    ),
]


AgainstName = Annotated[str | None, option("--against", f"Add the verdicts. {AGAINST_HELP}", "NAME|FILE", READ_GROUP)]


def report(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    html: Annotated[Path | None, option("--html", "Self-contained HTML report.", "FILE", READ_GROUP)] = None,
    pdf: Annotated[Path | None, option("--pdf", "PDF report (requires the pdf extra).", "FILE", READ_GROUP)] = None,
    paper: Annotated[
        Paper | None, option("--paper", "Paper size of the PDF. Default: a4.", "a4|letter", READ_GROUP)
    ] = None,
    markdown: Annotated[
        Path | None,
        option("--markdown", "Markdown report with PNG charts in a directory next to it.", "FILE", READ_GROUP),
    ] = None,
    charts: Annotated[
        Path | None, option("--charts", "Each chart as SVG and PNG, with its values as CSV.", "DIR", READ_GROUP)
    ] = None,
    csv: Annotated[
        Path | None, option("--csv", "Cells, estimates, intervals and histograms as CSV.", "DIR", COMPUTE_GROUP)
    ] = None,
    parquet: Annotated[
        Path | None, option("--parquet", "The same tables in Parquet format.", "DIR", COMPUTE_GROUP)
    ] = None,
    json: Annotated[
        Path | None,
        option("--json", "Write the full record with estimates as JSON to FILE.", "FILE", COMPUTE_GROUP),
    ] = None,
    deviations: Deviations = False,
    against: AgainstName = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Print the summary of a run, and write reports and data. Without an output option, rewrite the HTML report in RUN.

    The HTML report of an archive is written next to it as RUN.html.

    Example: [bold]iosonde report iosonde-20261120-173000-1f3a --pdf report.pdf --csv tables[/bold]
    """
    from iosonde.cli.bounds import bounds_named
    from iosonde.cli.places import Places, check_flags

    places = Places(html=html, pdf=pdf, markdown=markdown, charts=charts, csv=csv, parquet=parquet, json=json)
    check_flags(places, paper)
    expected = bounds_named(against)
    with drawers_for(places) as drawers:
        # Imported here, while the processes that render charts initialise.
        from iosonde.cli.report_forms import RunWriter, check_lost
        from iosonde.cli.run_outputs import analysed, print_results, stop_collecting
        from iosonde.cli.verdicts import compared
        from iosonde.failures import FailureLog
        from iosonde.findings import find_in

        stop_collecting()
        failures = FailureLog()
        analysis = analysed(run)
        begun = {} if pdf is None or drawers is None else _begun_charts(analysis, drawers)
        findings = find_in(analysis, failures)
        checked = compared(analysis, findings, failures, expected)
        tell = partial(print_results, run, analysis, findings, failures, checked=checked)
        make = partial(_page_of, analysis, findings, failures, begun, deviations=deviations, checked=checked)
        if places.any:
            writer = RunWriter(analysis, findings, drawers, failures, make)
            with writer.into(places, run, force=force):
                lost = writer.write(places, paper or Paper.A4)
            tell(html)
            check_lost(lost)
            return
        page = _page_path(run, force=force)
        with _told_anyway(tell):
            from iosonde.report.html_file import write_html

            write_html(make, page, failures, drawers)
    tell(page)


@contextmanager
def _told_anyway(tell: "Callable[[Path | None], None]") -> "Iterator[None]":
    """Prints the results even if the page cannot be written."""
    try:
        yield
    except OutputError as error:
        tell(None)
        raise OutputError(error.message, "specify another path with --html FILE") from error


def _page_of(
    analysis: "RunAnalysis",
    findings: "tuple[Finding, ...]",
    failures: "FailureLog",
    begun: "Mapping[str, Figure]",
    *,
    deviations: bool,
    checked: "CheckedResults | None",
) -> "Page":
    """The page of a run. The chart library is loaded only for it, because tables and JSON do not need charts.

    ``begun`` are charts of procedures, by id.
    """
    from iosonde.cli.run_outputs import stop_checking_charts
    from iosonde.report.evaluated_run import evaluated
    from iosonde.report.page import page_of_evaluated

    stop_checking_charts()
    found = evaluated(analysis, findings, failures, deviations=deviations, checked=checked)
    return page_of_evaluated(replace(found, procedure_charts=begun), failures)


def _begun_charts(analysis: "RunAnalysis", drawers: "Drawers") -> "dict[str, Figure]":
    """The charts of procedures, which are rendered while the findings are made; none of any other run."""
    if not analysis.recorded.header.plan.procedures:
        return {}
    from iosonde.cli.run_outputs import stop_checking_charts
    from iosonde.report.pdf import begin_drawing

    stop_checking_charts()
    return begin_drawing(analysis, drawers)


def _page_path(run: Path, *, force: bool) -> Path:
    """Where the HTML report goes by default: in the run directory, or next to an archive."""
    from iosonde.cli.output_paths import beside_archive, check_free
    from iosonde.store import RunDirectory, is_archive

    if not is_archive(run):
        return RunDirectory(run).report_path
    page = beside_archive(run, ".html")
    check_free(page, run, force=force)
    return page


def drawers_for(places: "Places") -> "AbstractContextManager[Drawers | None]":
    """Starts the chart-rendering processes, which initialise while iosonde loads its modules and reads the run.

    PDF, Markdown and image files need them. The HTML page uses them if they can be started, and tables have no charts.
    """
    from iosonde.report.drawing import Drawers, drawers_if_any

    if places.has_pictures:
        return Drawers(with_pngs=places.markdown is not None or places.charts is not None)
    if places.any and places.html is None:
        return nullcontext()
    return drawers_if_any()
