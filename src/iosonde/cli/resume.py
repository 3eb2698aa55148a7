"""``iosonde resume``: what is left of a run that was broken off."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.messages import say
from iosonde.cli.options import Overwrite
from iosonde.errors import RecordError


def resume(
    run: Annotated[Path, typer.Argument(readable=False, help="A run directory.", metavar="RUN", show_default=False)],
    overwrite: Overwrite = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="Measure failed cells once more as well; what failed stays in the journal.")
    ] = False,
) -> None:
    """Go on with a run that was broken off: same target, cells, seeds and order. What was measured stays.

    Example: [bold]iosonde resume iosonde-20261120-173000-1f3a[/bold]

    Refused when the target is not the same any more. A file that iosonde had made and removed is made and filled anew;
    one that it did not make is written only with --overwrite, whatever the run says.
    """
    from iosonde.campaign import look_back, recorded_target_line, recorded_targets
    from iosonde.campaign import resume as go_on
    from iosonde.cli.keeping import keeping
    from iosonde.cli.planned import rest_line
    from iosonde.cli.progress import watching
    from iosonde.cli.publish import finish_directory
    from iosonde.machine.local_host import LocalHost

    host = LocalHost()
    rest = look_back(run, host, failed_again=failed)
    if rest.run.running:
        raise RecordError(f"{run} is being written by another iosonde", "wait until it has finished, or stop it first")
    if not rest.is_done:
        for each in recorded_targets(rest.run.header, rest.run.targets):
            say(f"target    {recorded_target_line(host, each)}")
    say(rest_line(rest))
    with keeping(run, rest.run.header.run):
        simulated = rest.run.header.is_simulated
        with watching(rest.run.header.plan, rest.turns, rest.done, virtual=simulated) as observer:
            go_on(run, rest, observer, datetime.now(UTC), overwrite=overwrite)
        finish_directory(run)
