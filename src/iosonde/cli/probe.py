"""``iosonde probe``: one workload, with its results on the terminal."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer

from iosonde.cli.options import (
    OUTPUT_GROUP,
    Buffered,
    Consent,
    Destroy,
    DestroyFrom,
    EngineOption,
    HoldCstates,
    MaxTemperature,
    MaxWrites,
    MinSpare,
    OnErrorOption,
    Overwrite,
    PollOption,
    PowerCommand,
    Seed,
    Size,
)
from iosonde.cli.workload_options import GROUP, ProbeTargets, with_workload_flags
from iosonde.errors import UsageError
from iosonde.vocabulary import EngineChoice, Poll

HINT_HELP: Final = "`iosonde probe --help` lists arguments and options, with an example"

FioJob = Annotated[
    str | None,
    typer.Option(
        "--fio",
        help="Run the workload of a fio command line or job file (JOBFILE or JOBFILE:SECTION), and list all "
        "differences from fio. Default target: the file that the job specifies.",
        metavar="JOB",
        rich_help_panel=GROUP,
        show_default=False,
    ),
]


@with_workload_flags
def probe(
    context: typer.Context,
    targets: ProbeTargets = None,
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
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the full record as JSON to stdout.", rich_help_panel=OUTPUT_GROUP),
    ] = False,
    fio: FioJob = None,
    **workload: Any,
) -> None:
    """Run one workload on TARGET and print the results.

    Example: [bold]iosonde probe /mnt/data --pattern random --read 70 --block-size 4KiB --queue-depth 32[/bold]
    """
    from iosonde.campaign.requests import MeasuringOptions, limits_from, probe_campaign_request
    from iosonde.cli.destroyed import identities
    from iosonde.cli.probe_run import print_probe, run_probe
    from iosonde.machine.local_host import LocalHost

    names_file = False
    if fio is not None:
        from iosonde.cli.fio_workload import Asked, said_by_fio

        given = {name for name in context.params if _is_given(context, name)}
        asked = said_by_fio(fio, Asked(targets or [], workload, size, buffered, engine, poll), given)
        targets, workload, size = asked.targets, asked.workload, asked.size
        buffered, engine, poll, names_file = asked.buffered, asked.engine, asked.poll, asked.names_file
    if not targets:
        raise UsageError("missing argument 'TARGET...'", HINT_HELP)
    options = MeasuringOptions(
        targets=targets,
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
        host=LocalHost(),
        names_file=names_file,
        destroy=identities(destroy, destroy_from),
        consents=tuple(consent or ()),
        hold_cstates=hold_cstates,
        power_command=power_command,
        on_error=on_error,
        limits=limits_from(max_writes, max_temperature, min_spare),
    )
    print_probe(run_probe(probe_campaign_request(options, workload), datetime.now(UTC)), as_json=json)


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether the user set it on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
