"""Every key of a workload, described once. Flags, arguments, campaign keys, checks and pages are derived from it."""

from typing import Any, Final

from iosonde.units import exact_duration, exact_size, format_rate, parse_bytes, parse_duration, parse_rate
from iosonde.vocabulary import Access, Arrivals, Data, Sync, WriteCache
from iosonde.workload_keys.bounds import (
    AMOUNT_BYTES_MAX,
    BLOCK_SIZE_BYTES_MAX,
    COUNT_MAX,
    DURATION_NS_MAX,
    DURATION_NS_MIN,
    JOBS_MAX,
    QUEUE_DEPTH_MAX,
    RATE_PER_S_MAX,
    SECTOR_BYTES,
    TARGETS_MAX,
)
from iosonde.workload_keys.key import InFile, Key
from iosonde.workload_keys.kinds import OneOf, PatternText, Quantity, SizesText, Switch, Whole


def _size(least: int, most: int, *examples: str) -> Quantity:
    return Quantity("Bytes", "SIZE", "str | int", parse_bytes, exact_size, least, most, examples)


def _time(least_ns: int, *examples: str) -> Quantity:
    return Quantity("Time", "TIME", "str", parse_duration, exact_duration, least_ns, DURATION_NS_MAX, examples)


BLOCK: Final = _size(SECTOR_BYTES, BLOCK_SIZE_BYTES_MAX, "4KiB", "1MiB")
_PERCENT: Final = Whole(0, 100)
_COUNT: Final = Whole(1, COUNT_MAX, tells_most=False)
_EXTENT: Final = _size(0, AMOUNT_BYTES_MAX, "1GiB", "64MiB")
_REST: Final = _time(0, "1s", "0s")

PATTERN: Final = Key(
    "pattern",
    PatternText(),
    "pattern",
    Access.RANDOM.value,
    "Access pattern: random, sequential, permutation (random, each block once), zipf:1.1, pareto:0.2, "
    "hot:80/20 (% of accesses / % of space), strided:64KiB, or runs:10 (sequential with 10 % jumps).",
    InFile("Access pattern.", needed=True, example='"random"'),
)
READ: Final = Key(
    "read",
    _PERCENT,
    "read_percent",
    100,
    "Percentage of reads.",
    InFile(needed=True, example="[100, 70, 0]"),
)
TRIM: Final = Key(
    "trim", _PERCENT, "trim_percent", 0, "Percentage of trims. The remaining operations are writes.", InFile()
)
BLOCK_SIZE: Final = Key(
    "block_size",
    SizesText(BLOCK),
    "block_size_bytes",
    "4KiB",
    "Block size, several sizes with weights (4KiB:70,64KiB:30), or snia-composite.",
    InFile("Block size, or several sizes with weights.", needed=True, example='["4KiB", "128KiB"]'),
)
QUEUE_DEPTH: Final = Key(
    "queue_depth",
    Whole(1, QUEUE_DEPTH_MAX),
    "queue_depth",
    None,
    "Operations that each job keeps in flight. With --rate: maximum in flight. Default: 1, or 64 with --rate.",
    InFile(
        "Operations that each job keeps in flight. With a rate: maximum in flight.",
        needed=True,
        example="[1, 8, 32]",
    ),
)
RATE: Final = Key(
    "rate",
    Quantity(
        "Operations per second",
        "RATE",
        "str | int",
        parse_rate,
        format_rate,
        1,
        RATE_PER_S_MAX,
        ("20k", "500"),
        takes_numbers=True,
    ),
    "rate_per_s",
    None,
    "Open loop: arrivals per second on each target, such as 20k, independent of completions. Default: closed loop "
    "(each queue is kept full).",
    InFile(
        "Open loop: arrivals per second on each target, independent of completions. Default: closed loop.",
        example='"20k"',
    ),
)
ARRIVALS: Final = Key(
    "arrivals",
    OneOf(Arrivals),
    "arrivals",
    None,
    "With --rate: arrivals at random times (poisson) or at equal intervals (constant). Default: poisson.",
    InFile("With a rate: arrivals at random times (poisson) or at equal intervals (constant). Default: poisson."),
)
JOBS: Final = Key(
    "jobs",
    Whole(1, JOBS_MAX),
    "jobs",
    1,
    "Number of workers, each with a separate queue and, if there are enough, a separate CPU.",
    InFile("Number of workers, each with a separate queue."),
    in_name="jobs{}",
)
SYNC: Final = Key(
    "sync",
    OneOf(Sync),
    "sync",
    Sync.NONE,
    "Sync method for writes: none, fdatasync, or dsync (O_DSYNC).",
    InFile("Sync method for writes: none, fdatasync, or dsync (O_DSYNC)."),
)
FLUSH_EVERY: Final = Key(
    "flush_every",
    _COUNT,
    "flush_every",
    1,
    "With --sync fdatasync: call fdatasync after every N writes of each job.",
    InFile("With sync = fdatasync: call fdatasync after every N writes of each job."),
)
DATA: Final = Key(
    "data",
    OneOf(Data),
    "data",
    Data.RANDOM,
    "Data to write: random, compressible (half random, half zeros), or zeros.",
    InFile("Data to write: random, compressible (half random, half zeros), or zeros."),
    in_name="{}",
)
COMPRESSIBLE: Final = Key(
    "compressible",
    _PERCENT,
    "compressible_percent",
    0,
    "With --data random: percentage of the data to replace with zeros, to make it compressible.",
    InFile("With data = random: percentage of the data to replace with zeros, to make it compressible."),
    in_name="compressible{}",
)
DUPLICATES: Final = Key(
    "duplicates",
    _PERCENT,
    "duplicates_percent",
    0,
    "Percentage of writes that repeat earlier data (to test deduplication).",
    InFile(),
    in_name="duplicates{}",
)
VERIFY: Final = Key(
    "verify",
    Switch(),
    "verify",
    default=False,
    help="After the measurement, read the target back and detect lost, stale, torn, misplaced or corrupt writes.",
    in_name="verify",
)
OFFSET: Final = Key(
    "offset",
    _EXTENT,
    "offset_bytes",
    "0B",
    "Start of the test region on the target.",
    InFile(),
    in_name="from{}",
)
SPAN: Final = Key(
    "span",
    _EXTENT,
    "span_bytes",
    None,
    "Size of the test region. Default: up to the end of the target.",
    InFile("Size of the test region. Default: up to the end of the target."),
    in_name="span{}",
)
BURST: Final = Key(
    "burst",
    _COUNT,
    "burst_operations",
    None,
    "Operations that each worker completes before it pauses for --think-time.",
    InFile("Operations that each worker completes before it pauses."),
)
THINK_TIME: Final = Key(
    "think_time",
    _REST,
    "think_ns",
    None,
    "Pause after each burst. It starts when the last operation of the burst completes.",
    InFile("Pause after each burst. It starts when the last operation of the burst completes."),
)
ON_TIME: Final = Key(
    "on_time",
    _time(DURATION_NS_MIN, "5s", "500ms"),
    "on_ns",
    None,
    "With --off-time: how long operations are submitted, over and over from the start of the warm-up.",
    InFile("With off_time: how long operations are submitted, over and over from the start of the warm-up."),
)
OFF_TIME: Final = Key(
    "off_time",
    _time(DURATION_NS_MIN, "25s", "500ms"),
    "off_ns",
    None,
    "Time without submissions after each --on-time. Operations in flight complete. Default: none.",
    InFile("Time without submissions after each on_time. Operations in flight complete. Default: none."),
)
WRITE_CACHE: Final = Key(
    "write_cache",
    OneOf(WriteCache),
    "write_cache",
    None,
    "Volatile write cache of the drive during the measurement: on or off. Needs --destroy, because it changes the "
    "drive, and is restored afterwards. Default: as it is.",
    InFile(
        "Volatile write cache of the drive during the measurement: on or off. Needs --destroy, because it changes the "
        "drive, and is restored afterwards. Default: as it is."
    ),
    in_name="write-cache-{}",
)
TARGETS: Final = Key(
    "targets",
    Whole(1, TARGETS_MAX),
    "targets",
    in_file=InFile("Number of targets to use, in the order of the command line. Default: all."),
    in_name="targets{}",
)
WARMUP: Final = Key(
    "warmup",
    _REST,
    "warmup_ns",
    "1s",
    "Warm-up (fio: ramp time) before the measurement, excluded from the results.",
    InFile(
        "Warm-up (fio: ramp time) before the measurement. Default: the campaign setting.", inherits=True, swept=False
    ),
)
DURATION: Final = Key(
    "duration",
    _time(DURATION_NS_MIN, "5s", "200ms", "2m"),
    "measure_ns",
    "5s",
    "Measurement time.",
    InFile("Measurement time. Default: the campaign setting.", inherits=True),
)
AMOUNT: Final = Key(
    "amount",
    _size(SECTOR_BYTES, AMOUNT_BYTES_MAX, "64GiB"),
    "amount_bytes",
    in_file=InFile("Amount of data to transfer, instead of a measurement time."),
)

_LOOP: Final = (PATTERN, READ, TRIM, BLOCK_SIZE, QUEUE_DEPTH, RATE, ARRIVALS, JOBS, SYNC, FLUSH_EVERY)
_CONTENT: Final = (
    DATA,
    COMPRESSIBLE,
    DUPLICATES,
    VERIFY,
    OFFSET,
    SPAN,
    BURST,
    THINK_TIME,
    WRITE_CACHE,
    ON_TIME,
    OFF_TIME,
)

WORKLOAD_KEYS: Final[tuple[Key[Any], ...]] = (*_LOOP, TARGETS, *_CONTENT)
"""In the order of a sweep: values of the last key change fastest."""

TIMING_KEYS: Final[tuple[Key[Any], ...]] = (WARMUP, DURATION, AMOUNT)

PROBE_KEYS: Final[tuple[Key[Any], ...]] = (*_LOOP, *_CONTENT, DURATION, WARMUP)
"""The flags of ``iosonde probe`` and the arguments of ``iosonde.probe``, in the order of the help."""

EXPERIMENT_KEYS: Final[tuple[Key[Any], ...]] = tuple(
    key for key in (*_LOOP, *_CONTENT, TARGETS, *TIMING_KEYS) if key.in_file is not None
)
"""The keys of an ``[[experiment]]``, in the order of its schema."""
