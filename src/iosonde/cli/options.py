"""The flags that several commands share, and what they mean."""

from typing import Annotated

import typer

from iosonde.vocabulary import EngineChoice, Poll

TARGET_HELP = (
    "A directory (a file is made in it and removed afterwards), a new file, an existing one, a block device (only "
    "read), or sim:MODEL (a simulated drive). Several are measured at the same time."
)

RUN_HELP = "A run directory, or an archive of one."

TARGET_GROUP = "Target"
ENGINE_GROUP = "Engine"
OUTPUT_GROUP = "Output"

Targets = Annotated[list[str], typer.Argument(help=TARGET_HELP, metavar="TARGET...", show_default=False)]
Size = Annotated[
    str | None,
    typer.Option(
        "--size",
        help=(
            "Size of each file, or how much of what exists is used. Default: 8GiB (quick and probe: 1GiB), "
            "at most a quarter of the free space; an existing file or a device in full."
        ),
        metavar="SIZE",
        rich_help_panel=TARGET_GROUP,
        show_default=False,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Give up what an existing file holds.", rich_help_panel=TARGET_GROUP),
]
Buffered = Annotated[
    bool,
    typer.Option(
        "--buffered",
        help="Go through the page cache, where direct I/O is refused. The report says so.",
        rich_help_panel=TARGET_GROUP,
    ),
]
EngineOption = Annotated[
    EngineChoice,
    typer.Option(
        "--engine",
        help="How I/O reaches the kernel. auto takes io_uring where it can be had, else psync, and says which.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
PollOption = Annotated[
    Poll,
    typer.Option(
        "--poll",
        help="How io_uring finds out what is done. iopoll asks the device again and again; with sqpoll a thread of the "
        "kernel takes what is handed over. The report says what was achieved.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="What all randomness comes from. Default: a fresh one, recorded.",
        min=0,
        max=2**53 - 1,
        metavar="N",
        rich_help_panel=ENGINE_GROUP,
        show_default=False,
    ),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="Each cell: 0.2 s of warm-up and 0.5 s of measuring. Shows orders of magnitude only.",
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        help="Measure each cell until the 95 % intervals of throughput, mean latency and p99 are as narrow, on either "
        "side. Default: the profile's; lab: 5 %, and 10 % for p99.",
        metavar="PERCENT",
        show_default=False,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="The time that all cells together may take for it. Default: the profile's; lab: 6m30s.",
        metavar="TIME",
        show_default=False,
    ),
]
Fixed = Annotated[
    bool,
    typer.Option(
        "--fixed", help="Each cell for the profile's own time and number of repeats, however well it is known."
    ),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="What to measure: lab, reads (lab without its writes), or a campaign file of your own (docs/campaigns.md, "
        "examples/).",
        metavar="NAME|FILE",
    ),
]
