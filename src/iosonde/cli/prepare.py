"""``iosonde prepare``: purges a block device and reads it back, and preconditions it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import (
    OUTPUT_GROUP,
    Consent,
    Destroy,
    DestroyFrom,
    MaxTemperature,
    MaxWrites,
    MinSpare,
    Seed,
    Size,
)
from iosonde.vocabulary import Precondition, PurgeMethod

if TYPE_CHECKING:
    from iosonde.campaign.preparing import PurgeRequest
    from iosonde.records import PurgeRecord

PURGE_GROUP = "Purge"


Device = Annotated[
    str,
    typer.Argument(
        help="A block device: a whole drive, an NVMe namespace, or a partition.", metavar="TARGET", show_default=False
    ),
]
Method = Annotated[
    PurgeMethod | None,
    typer.Option(
        "--purge",
        help="How to purge it. discard: TRIM of all blocks. format, crypto-format: NVMe Format NVM with user data "
        "erase or cryptographic erase. sanitize-block, sanitize-crypto, sanitize-overwrite: NVMe Sanitize. "
        "ata-secure-erase, ata-enhanced-erase: ATA Security Erase, by hdparm. scsi-sanitize-block, "
        "scsi-sanitize-crypto, scsi-sanitize-overwrite, scsi-format: by sg3_utils. The ata and scsi methods were tried "
        "with stand-ins only. Without it, the methods of the drive are listed and nothing is changed.",
        rich_help_panel=PURGE_GROUP,
        show_default=False,
    ),
]
Places = Annotated[
    int,
    typer.Option(
        "--places",
        help="Number of places to read before and after the purge: both ends, and random ones between them.",
        min=2,
        max=1 << 20,
        metavar="N",
        rich_help_panel=PURGE_GROUP,
    ),
]
ReadAll = Annotated[
    bool,
    typer.Option("--read-all", help="Read all of the device before and after the purge.", rich_help_panel=PURGE_GROUP),
]


WRITES_GROUP = "Preconditioning"
Form = Annotated[
    Precondition | None,
    typer.Option(
        "--precondition",
        help="Write TARGET after the purge: once (every block, in order), independent (in order, several times), "
        "random (every block in order, then random writes), or fast-random (modelled writes that bring an empty drive "
        "to random-write steady state). `iosonde resume` continues it if it is interrupted.",
        rich_help_panel=WRITES_GROUP,
        show_default=False,
    ),
]
AmountInCapacities = Annotated[
    int | None,
    typer.Option(
        "--precondition-capacities",
        help="With independent or random: amount of sequential or random writes, in multiples of the test region. "
        "Default: 2.",
        metavar="N",
        rich_help_panel=WRITES_GROUP,
        show_default=False,
    ),
]
BlockSize = Annotated[
    str | None,
    typer.Option(
        "--precondition-block-size",
        help="With random or fast-random: block size of the random writes. Default: 4KiB.",
        metavar="SIZE",
        rich_help_panel=WRITES_GROUP,
        show_default=False,
    ),
]
SpareFlash = Annotated[
    str | None,
    typer.Option(
        "--over-provisioning",
        help="With fast-random: assumed flash of the drive beyond the test region, relative to the test region. "
        "Default: 15%.",
        metavar="PERCENT",
        rich_help_panel=WRITES_GROUP,
        show_default=False,
    ),
]
SlcCache = Annotated[
    str | None,
    typer.Option(
        "--slc-cache",
        help="With fast-random: size of an SLC cache that the drive empties only while idle. Default: none.",
        metavar="SIZE",
        rich_help_panel=WRITES_GROUP,
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Run directory of the preconditioning; must be new or empty. Default: ./iosonde-RUN.",
        metavar="DIR",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]


def prepare(
    target: Device,
    method: Method = None,
    form: Form = None,
    precondition_capacities: AmountInCapacities = None,
    precondition_block_size: BlockSize = None,
    over_provisioning: SpareFlash = None,
    slc_cache: SlcCache = None,
    size: Size = None,
    destroy: Destroy = None,
    destroy_from: DestroyFrom = None,
    consent: Consent = None,
    max_writes: MaxWrites = None,
    max_temperature: MaxTemperature = None,
    min_spare: MinSpare = None,
    places: Places = 256,
    read_all: ReadAll = False,
    seed: Seed = None,
    out: Out = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the record of the purge as JSON to stdout.", rich_help_panel=OUTPUT_GROUP),
    ] = False,
) -> None:
    """Purge TARGET and verify that by reading back, and precondition it. Without options, its methods are shown.

    Example: [bold]iosonde prepare /dev/nvme0n1 --purge format --precondition random --destroy S6Z1NJ0W123456[/bold]

    Before the purge, iosonde reads places of the device and writes sentinels to some of them. None of this may be read
    afterwards. The exit code is 0 only then: 11 says that the device was not purged, 12 that this was not verified.

    A method that reaches other namespaces of the drive needs --destroy for each of them. A sanitize operation or a
    format cannot be stopped: it goes on in the drive when iosonde is interrupted.
    """
    from iosonde.campaign.preparing import PurgeRequest
    from iosonde.campaign.requests import limits_from
    from iosonde.cli.destroyed import identities
    from iosonde.cli.left_settings import restore_settings
    from iosonde.cli.preconditioning import PreconditionOptions, checked_request, precondition
    from iosonde.machine.local_host import LocalHost

    restore_settings(LocalHost())
    named, consents = identities(destroy, destroy_from), tuple(consent or ())
    keys = {
        "precondition_capacities": precondition_capacities,
        "precondition_block_size": precondition_block_size,
        "over_provisioning": over_provisioning,
        "slc_cache": slc_cache,
    }
    request = None
    records: tuple[PurgeRecord, ...] = ()
    if form is None:
        _check_unused({**keys, "size": size, "out": out, "max_writes": max_writes})
    else:
        _check_no_json(as_json=json)
        limits = limits_from(max_writes, max_temperature, min_spare)
        options = PreconditionOptions(target, form, keys, method, size, named, consents, limits, seed, out)
        request = checked_request(options)
    if method is not None:
        extent = None if read_all else places
        records = _purge(PurgeRequest(target, method, named, consents, extent, seed), as_json=json)
        for record in records:
            _end(record)
    if request is not None:
        precondition(request, records, out)
    if method is None and request is None:
        _print_methods(target, as_json=json)


def _check_unused(given: dict[str, object]) -> None:
    """Raises UsageError for an option of preconditioning without that."""
    from iosonde.errors import UsageError

    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        flag = f"--{name.replace('_', '-')}"
        raise UsageError(f"{flag} needs --precondition", f"add --precondition fast-random, or omit {flag}")


def _check_no_json(*, as_json: bool) -> None:
    """Raises UsageError for --json: the record of preconditioning is a run."""
    from iosonde.errors import UsageError

    if as_json:
        raise UsageError(
            "--json prints the record of a purge, and cannot be combined with --precondition",
            "omit it, and use `iosonde report RUN --json FILE` afterwards",
        )


def _purge(request: "PurgeRequest", *, as_json: bool) -> "tuple[PurgeRecord, ...]":
    """Shows the plan, purges the device or the members of the array, and shows the records."""
    from iosonde.campaign.array_purge import ArrayPlan
    from iosonde.campaign.purging import Purging
    from iosonde.cli.purge_progress import PurgeProgress, advise
    from iosonde.cli.text_width import print_paper
    from iosonde.machine.local_host import LocalHost
    from iosonde.report.terminal.array import render_array_plan
    from iosonde.report.terminal.purge import render_plan, render_purge

    purging = Purging(LocalHost(), request)
    plan = purging.plan
    if not as_json:
        print_paper(
            render_array_plan(plan.device, plan.array, plan.members, plan.command)
            if isinstance(plan, ArrayPlan)
            else render_plan(plan)
        )
        typer.echo()
    advise(request.method)
    with PurgeProgress(request.method) as progress:
        records = purging.run(progress, datetime.now(UTC))
    for number, record in enumerate(records):
        if as_json:
            typer.echo(record.model_dump_json(indent=2))
        else:
            if number:
                typer.echo()
            print_paper(render_purge(record))
    _say_created_again(records[0])
    return records


def _say_created_again(record: "PurgeRecord") -> None:
    """Says how the array of a purged member was created again."""
    from iosonde.cli.messages import say
    from iosonde.units import format_duration

    if record.array is not None:
        took = format_duration(record.array.synchronised_ns)
        say(f"{record.array.path} was created again as {record.array.array.level}, and synchronised in {took}")


def _print_methods(target: str, *, as_json: bool) -> None:
    """The methods of a device, and how it was purged last."""
    from iosonde.campaign.purging import survey
    from iosonde.cli.text_width import print_paper
    from iosonde.machine.local_host import LocalHost
    from iosonde.report.terminal.array import render_members
    from iosonde.report.terminal.purge import render_methods
    from iosonde.store import last_purge

    found = survey(LocalHost(), target)
    if as_json:
        typer.echo(found.survey.model_dump_json(indent=2))
        return
    identity = found.device.inspection.identity
    print_paper(render_methods(found.device, found.survey, None if identity is None else last_purge(identity)))
    if found.array is not None:
        typer.echo()
        print_paper(render_members(found.array, found.members, found.why_not))


def _end(record: "PurgeRecord") -> None:
    """Keeps the record, and says where it is.

    Raises NotPurgedError or NotVerifiedError, else OutputError if the record cannot be kept.
    """
    from iosonde.campaign.purge_verdict import error_of
    from iosonde.cli.messages import say
    from iosonde.errors import OutputError
    from iosonde.store import keep_purge

    error = error_of(record)
    try:
        say(f"record: {keep_purge(record)}")
    except OutputError as unkept:
        # What became of the device matters more.
        if error is None:
            raise
        say(f"warning: {unkept.message}")
    if error is not None:
        raise error
