"""``iosonde run``: a whole campaign, including its report."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from iosonde.cli.destroyed import identities
from iosonde.cli.end_command import END_COMMAND
from iosonde.cli.messages import say
from iosonde.cli.options import (
    OUTPUT_GROUP,
    TARGET_HELP,
    Against,
    Budget,
    Buffered,
    Consent,
    Destroy,
    DestroyFrom,
    EngineOption,
    Fixed,
    HoldCstates,
    MaxTemperature,
    MaxWrites,
    MinSpare,
    NoReport,
    OnEnd,
    OnErrorOption,
    Overwrite,
    PollOption,
    PowerCommand,
    Precision,
    Profile,
    Purge,
    Purpose,
    Quick,
    Seed,
    Size,
    TimeScale,
)
from iosonde.errors import UsageError
from iosonde.vocabulary import EngineChoice, Poll

if TYPE_CHECKING:
    from iosonde.campaign import Preflight, RunRequest

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Run directory; must be new or empty. Default: ./iosonde-RUN.",
        metavar="DIR",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]

Label = Annotated[
    str,
    typer.Option(
        "--label",
        help="Short name of the run, shown by `iosonde list` and in reports.",
        metavar="TEXT",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]
Note = Annotated[
    str,
    typer.Option(
        "--note",
        help="Remark on the run, shown in reports.",
        metavar="TEXT",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]

# Without a target, the command explains what a target is.
TargetsOrNone = Annotated[list[str] | None, typer.Argument(help=TARGET_HELP, metavar="TARGET...", show_default=False)]
EXPLANATION = """\
A target is a directory (iosonde creates a test file in it and removes the file afterwards), a file or a block device.

  iosonde run /mnt/data                  measure the file system at /mnt/data, in about 6 minutes
  iosonde run sim:sata-dc                measure a simulated drive: a full report in seconds, without hardware
  iosonde run /dev/sdb --profile reads   measure the read performance of a drive; never writes to it
  iosonde doctor /dev/sdb                show what would prevent or spoil a measurement that writes to the drive
  iosonde run /mnt/data --for etcd       say whether /mnt/data is good enough for etcd, in about 3 minutes
  iosonde plan /mnt/data                 estimate the run time and drive wear of the first command
"""


def run(
    targets: TargetsOrNone = None,
    profile: Profile = None,
    purpose: Purpose = None,
    purge: Purge = None,
    time_scale: TimeScale = None,
    quick: Quick = False,
    precision: Precision = None,
    budget: Budget = None,
    fixed: Fixed = False,
    size: Size = None,
    overwrite: Overwrite = False,
    destroy: Destroy = None,
    destroy_from: DestroyFrom = None,
    consent: Consent = None,
    hold_cstates: HoldCstates = False,
    power_command: PowerCommand = None,
    on_error: OnErrorOption = None,
    max_writes: MaxWrites = None,
    max_temperature: MaxTemperature = None,
    min_spare: MinSpare = None,
    buffered: Buffered = False,
    engine: EngineOption = EngineChoice.AUTO,
    poll: PollOption = Poll.INTERRUPT,
    seed: Seed = None,
    out: Out = None,
    against: Against = None,
    label: Label = "",
    note: Note = "",
    no_report: NoReport = False,
    on_end: OnEnd = None,
) -> None:
    """Measure TARGET with a full campaign, and write the results and a report to a run directory.

    Example: [bold]iosonde run /mnt/data[/bold]

    The lab profile takes about 6 minutes and can write more than 1 TB. `iosonde plan TARGET` estimates both.
    """
    END_COMMAND.register(on_end)
    from iosonde.campaign.requests import MeasuringOptions, campaign_request, limits_from
    from iosonde.cli.bounds import campaign_and_bounds, check_expected
    from iosonde.cli.left_settings import restored_preflight
    from iosonde.machine.local_host import LocalHost

    now = datetime.now(UTC)
    campaign, expected = campaign_and_bounds(purpose, profile, against)
    options = MeasuringOptions(
        targets=targets or _no_target(),
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
        host=LocalHost(),
        purge=purge,
        time_scale=time_scale,
        label=label,
        note=note,
        destroy=identities(destroy, destroy_from),
        consents=tuple(consent or ()),
        hold_cstates=hold_cstates,
        power_command=power_command,
        on_error=on_error,
        limits=limits_from(max_writes, max_temperature, min_spare),
        expected=None if expected is None else expected.record,
    )
    request = campaign_request(options, profile=campaign, quick=quick, precision=precision, budget=budget, fixed=fixed)
    ahead = check_expected(expected, restored_preflight(request, now))
    measure(request, ahead, out or Path(f"iosonde-{ahead.run}"), now, with_page=not no_report)


def _purged(request: "RunRequest", ahead: "Preflight", now: datetime) -> "Preflight":
    """Purges the targets if the campaign asks for it."""
    if ahead.is_purged or ahead.plan.purge is None:
        return ahead
    from iosonde.campaign.purged_targets import purge_targets
    from iosonde.cli.purge_progress import PurgeProgress, advise

    advise(ahead.plan.purge)
    with PurgeProgress(ahead.plan.purge) as progress:
        purged = purge_targets(request, ahead, progress, now)
    say(f"purged by {ahead.plan.purge}, and read back")
    return purged


def measure(
    request: "RunRequest", ahead: "Preflight", directory: Path, now: datetime, *, with_page: bool = True
) -> None:
    """Shows the plan, measures, writes the report, and ends with the error of a run with unmet expected values."""
    from iosonde.campaign import measure_to_directory
    from iosonde.cli.interrupted_runs import keeping
    from iosonde.cli.plan_text import plan_lines
    from iosonde.cli.progress import watching
    from iosonde.cli.purge_progress import purging_of
    from iosonde.cli.run_outputs import finish_directory
    from iosonde.store import check_run_directory

    check_run_directory(directory)
    END_COMMAND.set_directory(directory)
    for line in plan_lines(ahead, ahead.cost()):
        say(line)
    ahead = _purged(request, ahead, now)
    with keeping(directory, ahead.run, with_page=with_page):
        with watching(ahead.plan, virtual=ahead.is_simulated) as observer:
            measure_to_directory(request, ahead, directory, observer, now, purging_of(ahead.plan))
        unmet = finish_directory(directory, with_page=with_page)
    if unmet is not None:
        raise unmet


def _no_target() -> NoReturn:
    """Explains what a target is, and raises UsageError."""
    for line in EXPLANATION.splitlines():
        say(line)
    raise UsageError(
        "no target specified", "specify a target as shown above; `iosonde sim list` lists the simulated drives"
    )
