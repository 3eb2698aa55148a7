"""``iosonde probe``: one workload, straight to the terminal."""

from datetime import UTC, datetime

from iosonde.cli.options import Buffered, EngineOption, Overwrite, PollOption, Seed, Size
from iosonde.cli.workload_options import (
    ArrivalsOption,
    BlockSize,
    Burst,
    Compressible,
    DataOption,
    Duplicates,
    Duration,
    FlushEvery,
    Jobs,
    JsonRecord,
    Offset,
    Pattern,
    ProbeTargets,
    QueueDepth,
    Rate,
    ReadShare,
    Span,
    SyncMode,
    ThinkTime,
    TrimShare,
    VerifyOption,
    Warmup,
)
from iosonde.vocabulary import Access, Data, EngineChoice, Poll, Sync


def probe(
    targets: ProbeTargets,
    pattern: Pattern = Access.RANDOM.value,
    read: ReadShare = 100,
    trim: TrimShare = 0,
    block_size: BlockSize = "4KiB",
    queue_depth: QueueDepth = None,
    rate: Rate = None,
    arrivals: ArrivalsOption = None,
    jobs: Jobs = 1,
    sync: SyncMode = Sync.NONE,
    flush_every: FlushEvery = 1,
    data: DataOption = Data.RANDOM,
    compressible: Compressible = 0,
    duplicates: Duplicates = 0,
    verify: VerifyOption = False,
    offset: Offset = "0B",
    span: Span = None,
    burst: Burst = None,
    think_time: ThinkTime = None,
    duration: Duration = "5s",
    warmup: Warmup = "1s",
    size: Size = None,
    overwrite: Overwrite = False,
    buffered: Buffered = False,
    engine: EngineOption = EngineChoice.AUTO,
    poll: PollOption = Poll.INTERRUPT,
    seed: Seed = None,
    json: JsonRecord = False,
) -> None:
    """Run one workload on TARGET and print what it gave.

    Example: [bold]iosonde probe /mnt/data --pattern random --read 70 --block-size 4KiB --queue-depth 32[/bold]
    """
    from iosonde.campaign.wishes import probe_wish
    from iosonde.cli.probing import print_probe, run_probe
    from iosonde.machine.local_host import LocalHost

    wish = probe_wish(
        targets,
        pattern=pattern,
        read_percent=read,
        trim_percent=trim,
        block_size=block_size,
        queue_depth=queue_depth,
        rate=rate,
        arrivals=arrivals,
        sync=sync,
        flush_every=flush_every,
        jobs=jobs,
        data=data,
        compressible=compressible,
        duplicates=duplicates,
        verify=verify,
        offset=offset,
        span=span,
        burst=burst,
        think_time=think_time,
        duration=duration,
        warmup=warmup,
        size=size,
        overwrite=overwrite,
        buffered=buffered,
        engine=engine,
        poll=poll,
        seed=seed,
        host=LocalHost(),
    )
    print_probe(run_probe(wish, datetime.now(UTC)), as_json=json)
