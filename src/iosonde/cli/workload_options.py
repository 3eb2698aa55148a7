"""The flags that describe one workload."""

from typing import Annotated

import typer

from iosonde.cli.options import OUTPUT_GROUP
from iosonde.vocabulary import Arrivals, Data, Sync

GROUP = "Workload"

ProbeTargets = Annotated[
    list[str],
    typer.Argument(
        help=(
            "A directory, a new file, an existing one, a block device (only read), sim:MODEL (a simulated drive), or "
            "null: (nothing, in process). Several: at the same time."
        ),
        metavar="TARGET...",
        show_default=False,
    ),
]
Pattern = Annotated[
    str,
    typer.Option(
        "--pattern",
        help=(
            "Where the next block lies: random, sequential, permutation (random, each once), zipf:1.1, pareto:0.2, "
            "hot:80/20 (% of accesses / % of space), strided:64KiB, or runs:10 (sequential with 10 % jumps)."
        ),
        metavar="PATTERN",
        rich_help_panel=GROUP,
    ),
]
ReadShare = Annotated[
    int, typer.Option("--read", help="Share of reads in percent.", min=0, max=100, rich_help_panel=GROUP)
]
TrimShare = Annotated[
    int,
    typer.Option(
        "--trim", help="Share of trims in percent; the rest is written.", min=0, max=100, rich_help_panel=GROUP
    ),
]
BlockSize = Annotated[
    str,
    typer.Option(
        "--block-size",
        help="Bytes of each operation, or several sizes with weights: 4KiB:70,64KiB:30, or snia-composite.",
        metavar="SIZE",
        rich_help_panel=GROUP,
    ),
]
FlushEvery = Annotated[
    int,
    typer.Option(
        "--flush-every",
        help="With --sync fdatasync: writes of a worker behind the last of which comes the flush.",
        min=1,
        rich_help_panel=GROUP,
    ),
]
Offset = Annotated[
    str,
    typer.Option("--offset", help="Where the used part of the target begins.", metavar="SIZE", rich_help_panel=GROUP),
]
Span = Annotated[
    str | None,
    typer.Option(
        "--span",
        help="How much is used from there on. Default: up to the end.",
        metavar="SIZE",
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
Burst = Annotated[
    int | None,
    typer.Option(
        "--burst",
        help="Operations of a worker that follow each other, before it rests for --think-time.",
        min=1,
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
ThinkTime = Annotated[
    str | None,
    typer.Option(
        "--think-time",
        help="The rest, from the completion of the last operation of a burst.",
        metavar="TIME",
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
QueueDepth = Annotated[
    int | None,
    typer.Option(
        "--queue-depth",
        help=(
            "Operations that each job keeps in flight; with --rate, the most that it has in flight. Default: 1, and 64 "
            "with --rate."
        ),
        min=1,
        max=4096,
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(
        "--rate",
        help=(
            "Operations wanted a second on each target, such as 20k, whatever becomes of those before them: an open "
            "loop. Default: each queue is kept full."
        ),
        metavar="RATE",
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
ArrivalsOption = Annotated[
    Arrivals | None,
    typer.Option(
        "--arrivals",
        help="With --rate: independently of each other, as many users come, or at equal distances. Default: poisson.",
        rich_help_panel=GROUP,
        show_default=False,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", help="Workers, each with a queue and a CPU of its own.", min=1, max=256, rich_help_panel=GROUP
    ),
]
DataOption = Annotated[
    Data,
    typer.Option(
        "--data",
        help="What is written: random bytes, half random and half zeros, or zeros.",
        rich_help_panel=GROUP,
    ),
]
Compressible = Annotated[
    int,
    typer.Option(
        "--compressible",
        help="With --data random: by how much of its size it can be compressed, in percent.",
        min=0,
        max=100,
        rich_help_panel=GROUP,
    ),
]
Duplicates = Annotated[
    int,
    typer.Option(
        "--duplicates",
        help="Share of writes that carry what was written before, in percent.",
        min=0,
        max=100,
        rich_help_panel=GROUP,
    ),
]
VerifyOption = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="Read the target back afterwards, and find writes that are lost, stale, torn, misplaced or corrupt.",
        rich_help_panel=GROUP,
    ),
]
SyncMode = Annotated[
    Sync,
    typer.Option(
        "--sync",
        help="When a write counts as done: at once, after an fdatasync of its own, or as O_DSYNC write.",
        rich_help_panel=GROUP,
    ),
]
Duration = Annotated[str, typer.Option("--duration", help="Time that counts.", metavar="TIME", rich_help_panel=GROUP)]
Warmup = Annotated[
    str, typer.Option("--warmup", help="Time before that, not counted.", metavar="TIME", rich_help_panel=GROUP)
]
JsonRecord = Annotated[
    bool, typer.Option("--json", help="Print the whole record as JSON to stdout.", rich_help_panel=OUTPUT_GROUP)
]
