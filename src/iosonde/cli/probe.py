"""``iosonde probe``: one workload, straight to the terminal."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from iosonde.cli.options import OUTPUT_GROUP, Buffered, EngineOption, Overwrite, PollOption, Seed, Size
from iosonde.cli.workload_options import (
    ArrivalsOption,
    BlockSize,
    DataOption,
    Duration,
    Jobs,
    Pattern,
    QueueDepth,
    Rate,
    ReadShare,
    SyncMode,
    Warmup,
)
from iosonde.vocabulary import Access, Data, EngineChoice, Poll, Sync


def probe(
    targets: Annotated[
        list[str],
        typer.Argument(
            help=(
                "A directory, a new file, an existing one, sim:MODEL (a simulated drive), or null: (nothing, in "
                "process). Several: at the same time."
            ),
            metavar="TARGET...",
            show_default=False,
        ),
    ],
    pattern: Pattern = Access.RANDOM,
    read: ReadShare = 100,
    block_size: BlockSize = "4KiB",
    queue_depth: QueueDepth = None,
    rate: Rate = None,
    arrivals: ArrivalsOption = None,
    jobs: Jobs = 1,
    sync: SyncMode = Sync.NONE,
    data: DataOption = Data.RANDOM,
    duration: Duration = "5s",
    warmup: Warmup = "1s",
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
) -> None:
    """Run one workload on TARGET and print what it gave.

    Example: [bold]iosonde probe /mnt/data --pattern random --read 70 --block-size 4KiB --queue-depth 32[/bold]
    """
    from iosonde.campaign.wishes import probe_wish
    from iosonde.cli.probing import print_probe, run_probe

    wish = probe_wish(
        targets,
        pattern=pattern,
        read_percent=read,
        block_size=block_size,
        queue_depth=queue_depth,
        rate=rate,
        arrivals=arrivals,
        sync=sync,
        jobs=jobs,
        data=data,
        duration=duration,
        warmup=warmup,
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
    )
    print_probe(run_probe(wish, datetime.now(UTC)), as_json=json)
