"""``iosonde resume``: what is left of a run that was broken off."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer


def resume(
    run: Annotated[Path, typer.Argument(help="A run directory.", metavar="RUN", show_default=False)],
    failed: Annotated[
        bool, typer.Option("--failed", help="Measure failed cells once more as well; what failed stays in the journal.")
    ] = False,
) -> None:
    """Go on with a run that was broken off: same target, cells, seeds and order. What was measured stays.

    Example: [bold]iosonde resume iosonde-20261120-173000-1f3a[/bold]

    Refused when the target is not the same any more. A file that iosonde had made and removed is made and filled anew.
    """
    from iosonde.campaign import look_back
    from iosonde.campaign import resume as go_on
    from iosonde.cli.keeping import keeping
    from iosonde.cli.planned import rest_line
    from iosonde.cli.progress import watching
    from iosonde.cli.publish import finish_directory

    rest = look_back(run, failed_again=failed)
    typer.echo(rest_line(rest), err=True)
    with keeping(run, rest.run.header.run):
        simulated = rest.run.header.is_simulated
        with watching(rest.run.header.plan, rest.turns, rest.done, virtual=simulated) as observer:
            go_on(run, rest, observer, datetime.now(UTC))
        finish_directory(run)
