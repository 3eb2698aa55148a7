"""The flags that describe one workload."""

from typing import Annotated

import typer

from iosonde.vocabulary import Access, Arrivals, Data, Sync

GROUP = "Workload"

Pattern = Annotated[Access, typer.Option("--pattern", help="Where the next block lies.", rich_help_panel=GROUP)]
ReadShare = Annotated[
    int, typer.Option("--read", help="Share of reads in percent.", min=0, max=100, rich_help_panel=GROUP)
]
BlockSize = Annotated[
    str, typer.Option("--block-size", help="Bytes of each operation.", metavar="SIZE", rich_help_panel=GROUP)
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
