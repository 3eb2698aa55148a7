"""``iosonde export``: a run as one file for other people."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.messages import say
from iosonde.cli.options import OUTPUT_GROUP, RUN_HELP
from iosonde.vocabulary import ExportFormat


def export(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--as",
            help="archive: the complete run in one file. All commands except resume and verify accept it in place of a "
            "run directory.",
            rich_help_panel=OUTPUT_GROUP,
        ),
    ] = ExportFormat.ARCHIVE,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Output file. Default: RUN.iosonde.zip.",
            metavar="FILE",
            rich_help_panel=OUTPUT_GROUP,
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file.", rich_help_panel=OUTPUT_GROUP)
    ] = False,
) -> None:
    """Export a run as one file. Exporting the same run again produces an identical file.

    Example: [bold]iosonde export iosonde-20261120-173000-1f3a --as archive[/bold]

    Unfinished runs can be exported too. To resume one, unpack the archive.
    """
    from iosonde.cli.output_paths import beside_archive, check_free
    from iosonde.errors import OutputError
    from iosonde.store import ARCHIVE_SUFFIX, is_archive, write_archive
    from iosonde.units import format_size

    assert form is ExportFormat.ARCHIVE, "the parser accepts no other format"
    archived = is_archive(run)
    # A name such as "." is no useful file name next to the directory.
    place = run if run.name else run.resolve()
    default = beside_archive(run, ARCHIVE_SUFFIX) if archived else place.with_name(place.name + ARCHIVE_SUFFIX)
    to = out or default
    check_free(to, run, force=force)
    if run.is_dir() and to.resolve().is_relative_to(run.resolve()):
        raise OutputError(f"{to} is inside the run directory", "use --out with a path outside it")
    names = write_archive(run, to)
    left_out = sorted(path.name for path in run.iterdir() if path.name not in names) if run.is_dir() else []
    if left_out:
        say(f"not archived: {', '.join(left_out)} (an archive contains only the standard files of a run)")
    typer.echo(f"{to}: {len(names)} files, {format_size(to.stat().st_size)}")
