"""Flags that several commands share."""

from typing import Annotated

import typer

from iosonde.vocabulary import EngineChoice, Poll

TARGET_HELP = (
    "A directory (iosonde creates a test file in it and removes it afterwards), a new or an existing file, a block "
    "device (read only), or sim:MODEL (a simulated drive). Several targets are measured at the same time."
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
            "Size of each test file, or the part of an existing file or device to use. Default: 8GiB (quick and "
            "probe: 1GiB), at most a quarter of the free space; an existing file or a device in full."
        ),
        metavar="SIZE",
        rich_help_panel=TARGET_GROUP,
        show_default=False,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Overwrite an existing file; its contents are lost.", rich_help_panel=TARGET_GROUP
    ),
]
Buffered = Annotated[
    bool,
    typer.Option(
        "--buffered",
        help="Use the page cache instead of direct I/O. The report says so.",
        rich_help_panel=TARGET_GROUP,
    ),
]
EngineOption = Annotated[
    EngineChoice,
    typer.Option(
        "--engine",
        help="I/O engine. auto uses io_uring if it is available, else psync, and reports which.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
PollOption = Annotated[
    Poll,
    typer.Option(
        "--poll",
        help="How io_uring detects completions: by interrupt, or by polling the device (iopoll). With sqpoll a kernel "
        "thread polls the submission queue. The report says which mode was active.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Seed of all random numbers. Default: a new one, which is recorded.",
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
        help="Each cell: 0.2 s of warm-up and 0.5 s of measurement. Shows orders of magnitude only.",
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        help="Repeat each cell until the half-widths of the 95 % intervals of throughput, mean latency and p99 are at "
        "most this percentage. Default: the profile's; lab: 5 %, and 10 % for p99.",
        metavar="PERCENT",
        show_default=False,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="With --precision: time limit for all cells together. Default: the profile's; lab: 6m30s.",
        metavar="TIME",
        show_default=False,
    ),
]
Fixed = Annotated[
    bool,
    typer.Option("--fixed", help="Use the profile's fixed time and number of repeats for each cell, at any precision."),
]
Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        help="What to measure: lab, reads (lab without writes), or your own campaign file (docs/campaigns.md, "
        "examples/).",
        metavar="NAME|FILE",
    ),
]
