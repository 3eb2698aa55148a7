"""``iosonde plan``: the cost of a run, without touching the target."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from iosonde.cli.options import (
    OUTPUT_GROUP,
    Budget,
    Buffered,
    EngineOption,
    Fixed,
    Overwrite,
    PollOption,
    Precision,
    Profile,
    Purge,
    Purpose,
    Quick,
    Seed,
    Size,
    Targets,
    TimeScale,
)
from iosonde.vocabulary import EngineChoice, Poll

WriteRate = Annotated[
    str | None,
    typer.Option(
        "--write-rate",
        help="Write bandwidth, in bytes per second, to assume for the wear estimate. "
        "Default: 3GB, or the write bandwidth of the simulated drive.",
        metavar="SIZE",
        show_default=False,
    ),
]
RatedBytes = Annotated[
    str | None,
    typer.Option(
        "--tbw",
        help="Rated endurance of the drive in bytes written, such as 1752TB, to show the share that the run uses.",
        metavar="SIZE",
        show_default=False,
    ),
]
RatedFills = Annotated[
    float | None,
    typer.Option(
        "--dwpd",
        help="Rated endurance of the drive in drive writes per day over five years, instead of --tbw.",
        min=0.01,
        max=1000,
        metavar="N",
        show_default=False,
    ),
]


def plan(
    targets: Targets,
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
    buffered: Buffered = False,
    engine: EngineOption = EngineChoice.AUTO,
    poll: PollOption = Poll.INTERRUPT,
    seed: Seed = None,
    write_rate: WriteRate = None,
    tbw: RatedBytes = None,
    dwpd: RatedFills = None,
    cells: Annotated[bool, typer.Option("--cells", help="List every cell.")] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print the plan, its cost and its memory use as JSON to stdout.",
            rich_help_panel=OUTPUT_GROUP,
        ),
    ] = False,
) -> None:
    """Show what a run would measure, how long it would take and how much it would write. The target is not changed.

    Example: [bold]iosonde plan /mnt/data --size 64GiB[/bold]
    """
    from iosonde.campaign import preflight
    from iosonde.campaign.requests import MeasuringOptions, campaign_request
    from iosonde.cli.bounds import campaign_and_bounds, check_expected
    from iosonde.cli.plan_text import cell_lines, plan_json, plan_lines, rated_line
    from iosonde.machine.local_host import LocalHost

    options = MeasuringOptions(
        targets=targets,
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
        host=LocalHost(),
        purge=purge,
        time_scale=time_scale,
        only_planned=True,
    )
    campaign, expected = campaign_and_bounds(purpose, profile)
    request = campaign_request(options, profile=campaign, quick=quick, precision=precision, budget=budget, fixed=fixed)
    rate = _bytes_per_s(write_rate)
    ahead = preflight(request, datetime.now(UTC))
    check_expected(expected, ahead)
    cost = ahead.cost(rate)
    if json:
        typer.echo(plan_json(ahead, cost))
        return
    rated = rated_line(ahead, cost, tbw, dwpd)
    for line in [*plan_lines(ahead, cost), *rated, *(cell_lines(ahead) if cells else [])]:
        typer.echo(line)


def _bytes_per_s(write_rate: str | None) -> int | None:
    """The value of ``--write-rate``; None without it. Raises UsageError."""
    from iosonde.errors import UsageError
    from iosonde.units import parse_bytes

    if write_rate is None:
        return None
    rate = parse_bytes(write_rate, "--write-rate")
    if rate == 0:
        raise UsageError(
            "--write-rate must be greater than 0", "specify the write bandwidth in bytes per second, such as 500MB"
        )
    return rate
