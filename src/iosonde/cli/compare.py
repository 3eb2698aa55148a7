"""``iosonde compare``: runs of standard procedures side by side. Never needs the devices."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.report import READ_GROUP, drawers_for, option
from iosonde.errors import OutputError, UsageError
from iosonde.printing import printable
from iosonde.vocabulary import Paper

if TYPE_CHECKING:
    from iosonde.analysis.procedures.side_by_side import Source
    from iosonde.cli.places import Places
    from iosonde.failures import FailureLog
    from iosonde.findings import Finding


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            help="Runs of standard procedures (directories or archives), or rounds of other tools: XML of TKperf, "
            "JSON of fio, CSV. Differences are relative to the first run that has the test.",
            metavar="RUN...",
            show_default=False,
        ),
    ],
    html: Annotated[Path | None, option("--html", "Self-contained HTML page.", "FILE", READ_GROUP)] = None,
    pdf: Annotated[Path | None, option("--pdf", "PDF (requires the pdf extra).", "FILE", READ_GROUP)] = None,
    paper: Annotated[
        Paper | None, option("--paper", "Paper size of the PDF. Default: a4.", "a4|letter", READ_GROUP)
    ] = None,
    markdown: Annotated[
        Path | None,
        option("--markdown", "Markdown with PNG charts in a directory next to it.", "FILE", READ_GROUP),
    ] = None,
    charts: Annotated[
        Path | None, option("--charts", "Each chart as SVG and PNG, with its values as CSV.", "DIR", READ_GROUP)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON to stdout.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Show runs of standard procedures side by side: their conditions, and the figures of each test they share.

    Columns are named by the label of the run (`--label`), else by the model of the drive.

    Example: [bold]iosonde compare old-drive new-drive --pdf comparison.pdf[/bold]
    """
    from iosonde.cli.places import Places, check_flags

    places = Places(html=html, pdf=pdf, markdown=markdown, charts=charts)
    check_flags(places, paper)
    _check_runs(runs)
    _check_outside(places, runs)
    with drawers_for(places) as drawers:
        # Imported here, while the processes that render charts initialise.
        from iosonde.cli.report_forms import PageWriter, check_lost
        from iosonde.cli.run_outputs import stop_checking_charts, stop_collecting, tell_failures
        from iosonde.failures import FailureLog
        from iosonde.report.comparison import comparison_page

        stop_collecting()
        stop_checking_charts()
        failures = FailureLog()
        sources = _sources(runs, failures)
        writer = PageWriter(drawers, failures, partial(comparison_page, sources, failures))
        with writer.into(places, *runs, force=force):
            lost = writer.write(places, paper or Paper.A4)
    # A reader that closes the pipe early, as `head` does, does not prevent the files.
    if json:
        _print_json(sources)
    else:
        _print(sources)
    tell_failures(failures, runs[0])
    check_lost(lost)


def _check_runs(runs: Sequence[Path]) -> None:
    if len(runs) == 1:
        raise UsageError("there is only one run to compare", "name two runs or more: iosonde compare RUN RUN")
    seen: dict[Path, Path] = {}
    for each in runs:
        other = seen.setdefault(each.resolve(), each)
        if other is not each:
            raise UsageError(f"{each} is named twice", "name each run once")


def _sources(runs: Sequence[Path], failures: "FailureLog") -> "list[Source]":
    """All runs, each with a label of its own. Raises UsageError if they have no test in common."""
    from dataclasses import replace

    from iosonde.analysis.procedures.side_by_side import same_tests, share_a_test

    found = [(path, source) for path in runs for source in [_source(path, failures)]]
    _check_different(found)
    paths: dict[str, list[Path]] = {}
    for path, source in found:
        paths.setdefault(source.label, []).append(path)
    # Runs of different tests of a drive have one name, and two runs of one test do not.
    apart = {label for label in paths if share_a_test([each for _, each in found if each.label == label])}
    sources = [
        replace(source, label=_label_with_path(path, source.label, paths)) if source.label in apart else source
        for path, source in found
    ]
    if not same_tests(sources):
        has = "; ".join(
            f"{_label_with_path(path, source.label, paths)}: {', '.join(p.procedure.name for p in source.procedures)}"
            for path, source in found
        )
        raise UsageError(f"the runs have no test in common ({has})", "compare runs of the same test")
    return sources


def _label_with_path(path: Path, label: str, paths: "Mapping[str, Sequence[Path]]") -> str:
    """The label, with the part of the path that tells the run from the others of this label if there are any."""
    return f"{label} ({printable(_own_part(path, paths[label]))})" if len(paths[label]) > 1 else label


def _own_part(path: Path, paths: "Sequence[Path]") -> str:
    """The part of a path that tells it from the others, without what all begin and end with."""
    every = [each.absolute().parts for each in paths]
    first = next((index for index, parts in enumerate(zip(*every, strict=False)) if len(set(parts)) > 1), None)
    if first is None:
        return str(path)
    ends = [parts[first:][::-1] for parts in every]
    same = next((index for index, parts in enumerate(zip(*ends, strict=False)) if len(set(parts)) > 1), 0)
    mine = path.absolute().parts[first:]
    return "/".join(mine[: len(mine) - same])


def _check_different(found: "Sequence[tuple[Path, Source]]") -> None:
    """Raises UsageError for a run that is there twice, such as a directory and its archive."""
    paths: dict[str, Path] = {}
    for path, source in found:
        if source.run is not None:
            other = paths.setdefault(source.run.header.run, path)
            if other is not path:
                raise UsageError(f"{other} and {path} are the same run", "name each run once")


def _check_outside(places: "Places", runs: Sequence[Path]) -> None:
    """Raises OutputError for an output within one of the runs."""
    for path in (*places.files.values(), *places.directories):
        for run in runs:
            if path.resolve().is_relative_to(run.resolve()):
                raise OutputError(f"{path} is within the run {run}", "write the comparison elsewhere")


def _source(path: Path, failures: "FailureLog") -> "Source":
    from iosonde.store import is_archive
    from iosonde.store.names import HEADER_NAME

    try:
        if not path.exists() and not path.is_symlink():
            raise UsageError(
                f"{path} does not exist",
                "name the directory or archive of a run, or a file with rounds of another tool",
            )
        is_run = is_archive(path) or not path.exists() or (path / HEADER_NAME).exists()
        inside = [] if is_run else sorted(path.glob(f"*/{HEADER_NAME}"))
    except OSError:
        # Reading it as a run says what is wrong with it.
        return _run(path, failures)
    if is_run:
        return _run(path, failures)
    if inside:
        raise UsageError(f"{path} is not a run but contains some", f"name them, such as {inside[0].parent}")
    return _measured_elsewhere(path)


def _run(path: Path, failures: "FailureLog") -> "Source":
    """A run of iosonde. Raises RecordError, and UsageError for a run without procedures."""
    from iosonde.analysis.procedures import procedures_of
    from iosonde.analysis.procedures.side_by_side import Source
    from iosonde.cli.run_outputs import analysed
    from iosonde.findings import find_in
    from iosonde.report.comparison import drive_name
    from iosonde.report.validity import doubtful_cells, invalid_cells

    analysis = analysed(path)
    run = analysis.recorded
    if not run.header.plan.procedures:
        raise UsageError(
            f"{path} has no standard procedure",
            "compare runs of procedures such as --profile pts-iops; `iosonde check` compares others with expectations",
        )
    findings = find_in(analysis, failures)
    cells = [each.cell for each in run.header.plan.cells]
    return Source(
        drive_name(run),
        procedures_of(run),
        run,
        tuple(invalid_cells(cells, findings).items()),
        _notes(findings),
        tuple(doubtful_cells(cells, findings).items()),
    )


def _notes(findings: "Sequence[Finding]") -> tuple[str, ...]:
    """The findings that limit what a run can be used for, by their ids."""
    from iosonde.findings import Severity

    limiting = [each.id for each in findings if each.severity is not Severity.NOTE]
    return (f"findings {', '.join(dict.fromkeys(limiting))} (see the report of the run)",) if limiting else ()


def _measured_elsewhere(path: Path) -> "Source":
    """Rounds that another tool measured, with their window. Raises UsageError for files of no known tool."""
    from dataclasses import replace

    from iosonde.analysis.procedures.side_by_side import Source
    from iosonde.report.judged_rounds import judged
    from iosonde.sources.rounds import read_rounds

    try:
        tests = read_rounds([path])
    except UsageError as error:
        message = f"{path} is neither an iosonde run nor rounds of another tool: {error.message}"
        raise UsageError(message, f"name the directory or archive of a run, or {error.hint}") from error
    phases = (judged(each.source, each.rounds, each.first_round, each.said).phase for each in tests)
    procedures = tuple(
        replace(each.rounds, phases=(phase.with_throughput,)) for each, phase in zip(tests, phases, strict=True)
    )
    notes = tuple(
        f"not read: {printable(each)}" for each in dict.fromkeys(each for test in tests for each in test.not_read)
    )
    notes += tuple(
        f"doubtful: {printable(each)}" for each in dict.fromkeys(each for test in tests for each in test.doubts)
    )
    facts = dict(pair for each in tests for pair in each.facts.items())
    return Source(
        printable(path.stem), procedures, notes=notes, facts=tuple(facts.items()), first_round=tests[0].first_round
    )


def _print(sources: "Sequence[Source]") -> None:
    from shutil import get_terminal_size

    from iosonde.cli.text_width import paper_width, print_paper
    from iosonde.report.terminal.comparison import render_comparison

    print_paper(render_comparison(sources, paper_width() or get_terminal_size().columns))


def _print_json(sources: "Sequence[Source]") -> None:
    from json import dumps

    from iosonde.report.comparison_json import plain

    typer.echo(dumps(plain(sources), indent=1, ensure_ascii=False))
