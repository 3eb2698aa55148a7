"""``iosonde resume``: measures what is left of an interrupted run."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.end_command import END_COMMAND
from iosonde.cli.messages import say
from iosonde.cli.options import (
    Consent,
    Destroy,
    DestroyFrom,
    MaxTemperature,
    MaxWrites,
    MinSpare,
    NoReport,
    OnEnd,
    Overwrite,
    PowerCommand,
)
from iosonde.errors import RecordError


def resume(
    run: Annotated[Path, typer.Argument(readable=False, help="Run directory.", metavar="RUN", show_default=False)],
    overwrite: Overwrite = False,
    destroy: Destroy = None,
    destroy_from: DestroyFrom = None,
    consent: Consent = None,
    power_command: PowerCommand = None,
    max_writes: MaxWrites = None,
    max_temperature: MaxTemperature = None,
    min_spare: MinSpare = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Also repeat failed trials. The recorded failures remain in the journal.")
    ] = False,
    no_report: NoReport = False,
    on_end: OnEnd = None,
) -> None:
    """Resume an interrupted run with the same target, cells, seeds and order. Existing results are kept.

    Example: [bold]iosonde resume iosonde-20261120-173000-1f3a[/bold]

    The run cannot be resumed if the target has changed. A test file that iosonde created and removed is created and
    laid out again. To write to any other file or to a device, specify --overwrite or --destroy again. A command that
    measures power must also be specified again.
    """
    from iosonde.campaign import ResumeConsent, find_remaining, recorded_target_line, recorded_targets
    from iosonde.campaign import resume as go_on
    from iosonde.campaign.requests import limits_from
    from iosonde.cli.destroyed import identities
    from iosonde.cli.interrupted_runs import keeping
    from iosonde.cli.left_settings import restore_settings
    from iosonde.cli.plan_text import rest_line
    from iosonde.cli.progress import watching
    from iosonde.cli.purge_progress import purging_of
    from iosonde.cli.run_outputs import finish_directory
    from iosonde.machine.local_host import LocalHost

    END_COMMAND.register(on_end, run)
    host = LocalHost()
    restore_settings(host)
    limits = limits_from(max_writes, max_temperature, min_spare)
    identified, consents = identities(destroy, destroy_from), tuple(consent or ())
    allowed = ResumeConsent(overwrite, identified, consents, limits, power_command or "")
    rest = find_remaining(run, host, failed_again=failed)
    if rest.run.running:
        raise RecordError(f"another iosonde process is writing {run}", "wait until it has finished, or stop it first")
    if not rest.is_done:
        for each in recorded_targets(rest.run.header, rest.run.targets):
            say(f"target    {recorded_target_line(host, each)}")
        if rest.run.header.power_command and not power_command:
            say("power     the recorded command is not run; specify --power-command to measure power")
    say(rest_line(rest))
    with keeping(run, rest.run.header.run, with_page=not no_report):
        simulated = rest.run.header.is_simulated
        plan, known = rest.run.header.plan, (rest.kept_turns, rest.spared)
        with watching(plan, *known, virtual=simulated, discarded=rest.discarded) as observer:
            go_on(run, rest, observer, datetime.now(UTC), allowed, purging_of(plan))
        unmet = finish_directory(run, with_page=not no_report)
    if unmet is not None:
        raise unmet
