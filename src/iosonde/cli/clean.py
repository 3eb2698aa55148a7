"""``iosonde clean``: removes test files of killed runs."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.messages import say
from iosonde.errors import OutputError, TargetError


def clean(
    folder: Annotated[
        Path, typer.Argument(readable=False, help="Directory that was measured.", metavar="DIR", show_default=False)
    ],
) -> None:
    """Remove test files left in DIR by killed runs. Files in use and files of other programs are not removed.

    Example: [bold]iosonde clean /mnt/data[/bold]

    iosonde recognises its test files by name and by an extended attribute. To resume the run instead, use
    `iosonde resume RUN`.
    """
    from iosonde.campaign import check_answers
    from iosonde.machine.local_host import LocalHost
    from iosonde.printing import printable
    from iosonde.units import format_size

    host = LocalHost()
    check_answers(host, (folder,))
    if not folder.is_dir():
        raise TargetError(f"{folder} is not a directory", "specify the directory that was measured")
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise TargetError(
            f"cannot read {folder}: {error.strerror}", "use an account that is allowed to read the directory"
        ) from error
    found = host.orphans(str(folder))
    for path in host.renamed(str(folder)):
        say(
            f"iosonde created {path} under a name that you specified, so `clean` does not remove it; "
            "delete it if you no longer need it"
        )
    if not found:
        say(f"no test files left by killed runs in {folder}")
        return
    kept = []
    for orphan in found:
        try:
            is_gone = host.remove_orphan(orphan)
        except OSError as error:
            kept.append(f"{orphan.path}: {error.strerror or error}")
            continue
        if is_gone:
            typer.echo(printable(f"removed {orphan.path} ({format_size(orphan.size_bytes)})"))
    if kept:
        raise OutputError(
            f"cannot remove {kept[0]}", "get write access to its directory, or remount the file system read-write"
        )
