"""``iosonde verify``: reads the targets of a run back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer


def verify(
    run: Annotated[
        Path,
        typer.Argument(help="The directory of a run with verify = true.", metavar="RUN", show_default=False),
    ],
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            help="Where the files are now. Default: where the run had them.", metavar="TARGET...", show_default=False
        ),
    ] = None,
) -> None:
    """Read back what a run has written, and find writes that are lost, stale, torn, misplaced or corrupt.

    Example: [bold]iosonde verify iosonde-20261120-173000-1f3a[/bold]

    Targets are only read. A run that was killed, or whose machine lost its power, can be verified as well.
    """
    from iosonde.campaign.failing import check_later_pass
    from iosonde.campaign.verifying import verify_later
    from iosonde.machine.local_host import LocalHost
    from iosonde.report.verification import verification_lines

    later = verify_later(run, LocalHost(), tuple(targets or ()), lambda *_: None, datetime.now(UTC))
    for line in verification_lines(later.targets):
        typer.echo(line)
    check_later_pass(later)
