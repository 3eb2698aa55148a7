"""Every key of a workload, described once: flags, arguments, campaign keys, their checks and their pages follow."""

from typing import Any, Final

from iosonde.units import exact_duration, exact_size, format_rate, parse_bytes, parse_duration, parse_rate
from iosonde.vocabulary import Access, Arrivals, Data, Sync
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
    "Where the next block lies: random, sequential, permutation (random, each once), zipf:1.1, pareto:0.2, "
    "hot:80/20 (% of accesses / % of space), strided:64KiB, or runs:10 (sequential with 10 % jumps).",
    InFile("Where the next block lies.", needed=True, example='"random"'),
)
READ: Final = Key(
    "read",
    _PERCENT,
    "read_percent",
    100,
    "Share of reads in percent.",
    InFile(needed=True, example="[100, 70, 0]"),
)
TRIM: Final = Key("trim", _PERCENT, "trim_percent", 0, "Share of trims in percent; the rest is written.", InFile())
BLOCK_SIZE: Final = Key(
    "block_size",
    SizesText(BLOCK),
    "block_size_bytes",
    "4KiB",
    "Bytes of each operation, or several sizes with weights: 4KiB:70,64KiB:30, or snia-composite.",
    InFile("Bytes of each operation, or several sizes with their weights.", needed=True, example='["4KiB", "128KiB"]'),
)
QUEUE_DEPTH: Final = Key(
    "queue_depth",
    Whole(1, QUEUE_DEPTH_MAX),
    "queue_depth",
    None,
    "Operations that each job keeps in flight; with --rate, the most that it has in flight. Default: 1, and 64 "
    "with --rate.",
    InFile(
        "Operations that each job keeps in flight; with a rate, the most that it has in flight.",
        needed=True,
        example="[1, 8, 32]",
    ),
)
RATE: Final = Key(
    "rate",
    Quantity(
        "Operations a second",
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
    "Operations wanted a second on each target, such as 20k, whatever becomes of those before them: an open "
    "loop. Default: each queue is kept full.",
    InFile(
        "Operations wanted a second on each target, whatever becomes of others; default: full queues.",
        example='"20k"',
    ),
)
ARRIVALS: Final = Key(
    "arrivals",
    OneOf(Arrivals),
    "arrivals",
    None,
    "With --rate: independently of each other, as many users come, or at equal distances. Default: poisson.",
    InFile("How operations that are wanted at a rate follow each other; default: poisson."),
)
JOBS: Final = Key(
    "jobs",
    Whole(1, JOBS_MAX),
    "jobs",
    1,
    "Workers, each with a queue and a CPU of its own.",
    InFile("Workers, each with a queue of its own."),
    in_name="jobs{}",
)
SYNC: Final = Key(
    "sync",
    OneOf(Sync),
    "sync",
    Sync.NONE,
    "When a write counts as done: at once, after an fdatasync of its own, or as O_DSYNC write.",
    InFile("When a write counts as done."),
)
FLUSH_EVERY: Final = Key(
    "flush_every",
    _COUNT,
    "flush_every",
    1,
    "With --sync fdatasync: writes of a worker behind the last of which comes the flush.",
    InFile("With sync = fdatasync: writes of a worker behind the last of which comes the flush."),
)
DATA: Final = Key(
    "data",
    OneOf(Data),
    "data",
    Data.RANDOM,
    "What is written: random bytes, half random and half zeros, or zeros.",
    InFile("What writes carry."),
    in_name="{}",
)
COMPRESSIBLE: Final = Key(
    "compressible",
    _PERCENT,
    "compressible_percent",
    0,
    "With --data random: by how much of its size it can be compressed, in percent.",
    InFile("With data = random: by how much of its size it can be compressed, in percent."),
    in_name="compressible{}",
)
DUPLICATES: Final = Key(
    "duplicates",
    _PERCENT,
    "duplicates_percent",
    0,
    "Share of writes that carry what was written before, in percent.",
    InFile(),
    in_name="duplicates{}",
)
VERIFY: Final = Key(
    "verify",
    Switch(),
    "verify",
    default=False,
    help="Read the target back afterwards, and find writes that are lost, stale, torn, misplaced or corrupt.",
    in_name="verify",
)
OFFSET: Final = Key(
    "offset",
    _EXTENT,
    "offset_bytes",
    "0B",
    "Where the used part of the target begins.",
    InFile(),
    in_name="from{}",
)
SPAN: Final = Key(
    "span",
    _EXTENT,
    "span_bytes",
    None,
    "How much is used from there on. Default: up to the end.",
    InFile("How much is used from there on; default: up to the end."),
    in_name="span{}",
)
BURST: Final = Key(
    "burst",
    _COUNT,
    "burst_operations",
    None,
    "Operations of a worker that follow each other, before it rests for --think-time.",
    InFile("Operations of a worker that follow each other, before it rests."),
)
THINK_TIME: Final = Key(
    "think_time",
    _REST,
    "think_ns",
    None,
    "The rest, from the completion of the last operation of a burst.",
    InFile("The rest, from the completion of a burst's last operation."),
)
TARGETS: Final = Key(
    "targets",
    Whole(1, TARGETS_MAX),
    "targets",
    in_file=InFile("How many of the given targets are used, from the first on; default: all of them."),
    in_name="targets{}",
)
WARMUP: Final = Key(
    "warmup",
    _REST,
    "warmup_ns",
    "1s",
    "Time before that, not counted.",
    InFile("Time before measuring; default: the campaign's.", inherits=True, swept=False),
)
DURATION: Final = Key(
    "duration",
    _time(DURATION_NS_MIN, "5s", "200ms", "2m"),
    "measure_ns",
    "5s",
    "Measurement time.",
    InFile("Time that counts; default: the campaign's.", inherits=True),
)
AMOUNT: Final = Key(
    "amount",
    _size(SECTOR_BYTES, AMOUNT_BYTES_MAX, "64GiB"),
    "amount_bytes",
    in_file=InFile("Bytes to move, instead of a time."),
)

_LOOP: Final = (PATTERN, READ, TRIM, BLOCK_SIZE, QUEUE_DEPTH, RATE, ARRIVALS, JOBS, SYNC, FLUSH_EVERY)
_CONTENT: Final = (DATA, COMPRESSIBLE, DUPLICATES, VERIFY, OFFSET, SPAN, BURST, THINK_TIME)

WORKLOAD_KEYS: Final[tuple[Key[Any], ...]] = (*_LOOP, TARGETS, *_CONTENT)
"""In the order in which a sweep goes through them: values of the last one change first."""

TIMING_KEYS: Final[tuple[Key[Any], ...]] = (WARMUP, DURATION, AMOUNT)

PROBE_KEYS: Final[tuple[Key[Any], ...]] = (*_LOOP, *_CONTENT, DURATION, WARMUP)
"""The flags of ``iosonde probe`` and the arguments of ``iosonde.probe``, in the order of the help."""

EXPERIMENT_KEYS: Final[tuple[Key[Any], ...]] = tuple(
    key for key in (*_LOOP, *_CONTENT, TARGETS, *TIMING_KEYS) if key.in_file is not None
)
"""The keys of an ``[[experiment]]``, in the order of its schema."""
