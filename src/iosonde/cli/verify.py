"""``iosonde verify``: reads back the targets of a run."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer


def verify(
    run: Annotated[
        Path,
        typer.Argument(help="Directory of a run with verify = true.", metavar="RUN", show_default=False),
    ],
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            help="Current path of each target. Default: the recorded path.",
            metavar="TARGET...",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Read back the data that a run wrote, and detect lost, stale, torn, misplaced or corrupt writes.

    Example: [bold]iosonde verify iosonde-20261120-173000-1f3a[/bold]

    The targets are only read. The run need not be complete: it may have been killed or interrupted by a power loss.
    """
    from iosonde.campaign.outcomes import check_later_pass
    from iosonde.campaign.verifying import verify_later
    from iosonde.machine.local_host import LocalHost
    from iosonde.report.verification import verification_lines

    later = verify_later(run, LocalHost(), tuple(targets or ()), lambda *_: None, datetime.now(UTC))
    for line in verification_lines(later.targets):
        typer.echo(line)
    check_later_pass(later)
