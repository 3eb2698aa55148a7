"""``iosonde doctor``: what would spoil a measurement here, and what a device is."""

from typing import Annotated

import typer

from iosonde.cli.options import OUTPUT_GROUP
from iosonde.errors import UsageError


def doctor(
    target: Annotated[
        str | None,
        typer.Argument(
            help="A file, a directory or a block device. Without it, only this host is examined.",
            metavar="TARGET",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print all lines as JSON to stdout.", rich_help_panel=OUTPUT_GROUP)
    ] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Restore the settings of drives that killed runs have left changed, then end. The drives are found by "
            "their identity, and may be in use.",
        ),
    ] = False,
) -> None:
    """Show what would spoil a measurement, with the command that changes it. Changes nothing without --restore.

    Example: [bold]iosonde doctor /dev/nvme0n1[/bold]

    For a block device, it also shows the identity that --destroy needs, and what speaks against writing to the device.
    """
    from iosonde.campaign.doctor import examine
    from iosonde.cli.text_width import print_paper
    from iosonde.machine.local_host import LocalHost

    if restore:
        from iosonde.cli.left_settings import restore_or_fail

        if target is not None:
            raise UsageError("--restore applies to all drives", "omit the target")
        restore_or_fail(LocalHost())
        return
    found = examine(LocalHost(), target)
    if json:
        from pydantic import TypeAdapter

        from iosonde.campaign.doctor import Examination

        typer.echo(TypeAdapter(Examination).dump_json(found, indent=2).decode())
        return
    from iosonde.report.terminal.fitness import render_fitness

    print_paper(render_fitness(found.lines))
