"""``iosonde probe``: one workload, straight to the terminal."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from iosonde.cli.options import OUTPUT_GROUP, Buffered, EngineOption, Overwrite, PollOption, Seed, Size
from iosonde.cli.workload_options import ProbeTargets, with_workload_flags
from iosonde.vocabulary import EngineChoice, Poll


@with_workload_flags
def probe(
    targets: ProbeTargets,
    size: Size = None,
    overwrite: Overwrite = False,
    buffered: Buffered = False,
    engine: EngineOption = EngineChoice.AUTO,
    poll: PollOption = Poll.INTERRUPT,
    seed: Seed = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print the whole record as JSON to stdout.", rich_help_panel=OUTPUT_GROUP),
    ] = False,
    **workload: Any,
) -> None:
    """Run one workload on TARGET and print what it gave.

    Example: [bold]iosonde probe /mnt/data --pattern random --read 70 --block-size 4KiB --queue-depth 32[/bold]
    """
    from iosonde.campaign.wishes import probe_wish
    from iosonde.cli.probing import print_probe, run_probe
    from iosonde.machine.local_host import LocalHost

    wish = probe_wish(
        targets,
        workload,
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
        host=LocalHost(),
    )
    print_probe(run_probe(wish, datetime.now(UTC)), as_json=json)
