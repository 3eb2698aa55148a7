"""``iosonde clean``: removes what a killed run has left."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.telling import say
from iosonde.errors import OutputError, TargetError


def clean(
    folder: Annotated[Path, typer.Argument(help="The directory that was measured.", metavar="DIR", show_default=False)],
) -> None:
    """Remove the files that killed runs have left in DIR: those that iosonde made, and that nobody uses.

    Example: [bold]iosonde clean /mnt/data[/bold]

    A file is known by its name and by the mark that its maker left on it. `iosonde resume RUN` goes on with it instead.
    """
    from iosonde.campaign import orphans_in, remove_orphan
    from iosonde.printing import printable
    from iosonde.units import format_size

    if not folder.is_dir():
        raise TargetError(f"{folder} is not a directory", "name the directory that was measured")
    found = orphans_in(folder)
    if not found:
        say(f"nothing that iosonde has left lies in {folder}")
        return
    kept = []
    for orphan in found:
        try:
            is_gone = remove_orphan(orphan)
        except OSError as error:
            kept.append(f"{orphan.path}: {error.strerror or error}")
            continue
        if is_gone:
            typer.echo(printable(f"removed {orphan.path} ({format_size(orphan.size_bytes)})"))
    if kept:
        raise OutputError(f"can't remove {kept[0]}", "ask for the rights to remove it, or mount it for writing")
