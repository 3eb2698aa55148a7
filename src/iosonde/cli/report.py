"""``iosonde report``: a run's figures in another form. Never needs the device."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.errors import OutputError


def report(
    run: Annotated[Path, typer.Argument(help="A run directory.", metavar="RUN", show_default=False)],
    html: Annotated[
        Path | None, typer.Option("--html", help="One self-contained page.", metavar="FILE", show_default=False)
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="cells.csv, intervals.csv and histograms.csv.", metavar="DIR", show_default=False),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            "--json", help="Write the whole record with its estimates to FILE.", metavar="FILE", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Print the summary of a run and write it as HTML, CSV or JSON. Without a form, the page in RUN is made anew.

    Example: [bold]iosonde report iosonde-20261120-173000-1f3a --csv tables[/bold]
    """
    from iosonde.cli.publish import print_summary, write_html
    from iosonde.findings import Case, find
    from iosonde.store import RunDirectory, load_run

    # Intervals are the bulk of a journal, and only tables and the whole record hold them.
    record = load_run(run)
    findings = find(Case.of(record))
    for path in (html, json):
        _check_free(path, run, force=force)
    if csv is not None:
        _make_directory(csv, force=force)
    page = html
    if html is None and csv is None and json is None:
        page = RunDirectory(run).report_path
    if page is not None:
        try:
            write_html(record, findings, page)
        except OutputError as error:
            if html is not None:
                raise
            # The figures are read; where the page can't go is no reason to keep them back.
            print_summary(record, findings, None)
            raise OutputError(error.message, "name a place of your own with --html FILE") from error
    if csv is not None:
        from iosonde.report.export import write_csv

        write_csv(record, csv)
    if json is not None:
        from iosonde.report.export import write_json

        write_json(record, findings, json)
    print_summary(record, findings, page)


def _check_free(path: Path | None, run: Path, *, force: bool) -> None:
    if path is None:
        return
    # Not at the top: what the store needs would make every --help wait.
    from iosonde.store.names import HEADER_NAME, JOURNAL_NAME

    if path.resolve() in {(run / name).resolve() for name in (HEADER_NAME, JOURNAL_NAME)}:
        raise OutputError(f"{path} is the run itself", "name another file")
    if path.is_dir():
        raise OutputError(f"{path} is a directory", "name a file")
    if path.exists() and not force:
        raise OutputError(f"{path} exists", "name another file, or replace it with --force")


def _make_directory(path: Path, *, force: bool) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"can't make {path}: {error.strerror}", "name another directory") from error
    if not force and any((path / f"{name}.csv").exists() for name in ("cells", "intervals", "histograms")):
        raise OutputError(f"{path} holds tables already", "name another directory, or replace them with --force")
