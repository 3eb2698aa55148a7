"""``iosonde prepare``: purges a block device, and reads it back."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import OUTPUT_GROUP, Consent, Destroy, DestroyFrom, Seed
from iosonde.vocabulary import PurgeMethod

if TYPE_CHECKING:
    from iosonde.campaign.preparing import Preparation, PurgeRequest
    from iosonde.errors import IosondeError
    from iosonde.records import PurgeRecord, PurgeSurvey, ReachedDevice

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


def prepare(
    target: Device,
    method: Method = None,
    destroy: Destroy = None,
    destroy_from: DestroyFrom = None,
    consent: Consent = None,
    places: Places = 256,
    read_all: ReadAll = False,
    seed: Seed = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the record of the purge as JSON to stdout.", rich_help_panel=OUTPUT_GROUP),
    ] = False,
) -> None:
    """Purge TARGET, and read it back to verify that. Without --purge, list its methods.

    Example: [bold]iosonde prepare /dev/nvme0n1 --purge format --destroy S6Z1NJ0W123456[/bold]

    Before the purge, iosonde reads places of the device and writes sentinels to some of them. None of this may be read
    afterwards. The exit code is 0 only then: 11 says that the device was not purged, 12 that this was not verified.

    A method that reaches other namespaces of the drive needs --destroy for each of them. A sanitize operation or a
    format cannot be stopped: it goes on in the drive when iosonde is interrupted.
    """
    from iosonde.campaign.preparing import PurgeRequest, preparation
    from iosonde.cli.destroyed import identities
    from iosonde.cli.left_settings import restore_settings
    from iosonde.machine.local_host import LocalHost

    host = LocalHost()
    restore_settings(host)
    with preparation(host) as prepared:
        if method is None:
            device, survey = prepared.survey(target)
            _print_methods(device, survey, as_json=json)
            return
        request = PurgeRequest(
            target=target,
            method=method,
            destroy=identities(destroy, destroy_from),
            consents=tuple(consent or ()),
            places=None if read_all else places,
            seed=seed,
        )
        record = _purge(prepared, request, as_json=json)
    _end(record)


def _purge(prepared: "Preparation", request: "PurgeRequest", *, as_json: bool) -> "PurgeRecord":
    """Shows the plan, purges the device, and shows the record."""
    from iosonde.cli.purge_progress import PurgeProgress, advise
    from iosonde.cli.text_width import print_paper
    from iosonde.report.terminal.purge import render_plan, render_purge

    plan = prepared.plan(request)
    if not as_json:
        print_paper(render_plan(plan))
        typer.echo()
    advise(request.method)
    with PurgeProgress(request.method) as progress:
        record = prepared.run(request, plan, progress, datetime.now(UTC))
    if as_json:
        typer.echo(record.model_dump_json(indent=2))
    else:
        print_paper(render_purge(record))
    return record


def _print_methods(device: "ReachedDevice", survey: "PurgeSurvey", *, as_json: bool) -> None:
    """The methods of a device, and how it was purged last."""
    from iosonde.cli.text_width import print_paper
    from iosonde.report.terminal.purge import render_methods
    from iosonde.store import last_purge

    if as_json:
        typer.echo(survey.model_dump_json(indent=2))
        return
    identity = device.inspection.identity
    print_paper(render_methods(device, survey, None if identity is None else last_purge(identity)))


def _end(record: "PurgeRecord") -> None:
    """Keeps the record, and says where it is.

    Raises NotPurgedError or NotVerifiedError, else OutputError if the record cannot be kept.
    """
    from iosonde.cli.messages import say
    from iosonde.errors import OutputError
    from iosonde.store import keep_purge

    error = _error_of(record)
    try:
        say(f"record: {keep_purge(record)}")
    except OutputError as unkept:
        # What became of the device matters more.
        if error is None:
            raise
        say(f"warning: {unkept.message}")
    if error is not None:
        raise error


def _error_of(record: "PurgeRecord") -> "IosondeError | None":
    """The error of a purge that is not verified; None if it is."""
    from iosonde.errors import NotPurgedError, NotVerifiedError
    from iosonde.printing import quoted
    from iosonde.vocabulary import PurgeOutcome

    device = record.devices[0].path
    listing = f"`iosonde prepare {quoted(device)}`"
    if record.outcome is PurgeOutcome.NOT_PURGED:
        return NotPurgedError(
            f"{device} was not purged: {record.reasons[0]}",
            f"use another method ({listing} lists them), or another drive",
        )
    if record.outcome is PurgeOutcome.NOT_VERIFIED:
        way_out = f"purge it again, or use another method ({listing} lists them)"
        if record.purge.end == "left_running":
            way_out = f"the drive refuses I/O until it ends; {listing} shows its status; then purge it again"
        return NotVerifiedError(f"the purge of {device} is not verified: {record.reasons[0]}", way_out)
    return None
