"""Flags that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.vocabulary import EngineChoice, OnError, Poll, PurgeMethod

TARGET_HELP = (
    "A directory (iosonde creates a test file in it and removes the file afterwards), a new or existing file, a block "
    "device (read-only without --destroy), or sim:MODEL (a simulated drive). Multiple targets are measured at the same "
    "time."
)

TIME_SCALE_MAX = 10_000

RUN_HELP = "Run directory or run archive."

TARGET_GROUP = "Target"
ENGINE_GROUP = "Engine"
LIMITS_GROUP = "Limits"
OUTPUT_GROUP = "Output"

Targets = Annotated[list[str], typer.Argument(help=TARGET_HELP, metavar="TARGET...", show_default=False)]
Size = Annotated[
    str | None,
    typer.Option(
        "--size",
        help=(
            "Size of each test file, or of the part of an existing file or device to use. Default for new files: 8GiB "
            "(--quick and probe: 1GiB), but at most a quarter of the free space. Default for others: the full size."
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
Destroy = Annotated[
    list[str] | None,
    typer.Option(
        "--destroy",
        help="Write to the block device with this identity; its contents are lost. `iosonde doctor DEVICE` prints the "
        "identity.",
        metavar="IDENTITY",
        rich_help_panel=TARGET_GROUP,
        show_default=False,
    ),
]
DestroyFrom = Annotated[
    Path | None,
    typer.Option(
        "--destroy-from",
        help="Write to the block devices whose identities are in FILE, one per line, for unattended runs.",
        metavar="FILE",
        rich_help_panel=TARGET_GROUP,
        show_default=False,
    ),
]
Consent = Annotated[
    list[str] | None,
    typer.Option(
        "--consent",
        help="Accept what this check of the device to write found: open, below or signature.",
        metavar="CHECK",
        rich_help_panel=TARGET_GROUP,
        show_default=False,
    ),
]
HoldCstates = Annotated[
    bool,
    typer.Option(
        "--hold-cstates",
        help="Keep the CPUs out of C-states during the run, for the lowest latency. Requires root; costs power.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
PowerCommand = Annotated[
    str | None,
    typer.Option(
        "--power-command",
        help="Shell command that prints the measured power in watts, one number per line. Restarted when it exits.",
        metavar="COMMAND",
        rich_help_panel=ENGINE_GROUP,
        show_default=False,
    ),
]
OnErrorOption = Annotated[
    OnError | None,
    typer.Option(
        "--on-error",
        help="After an operation failed: continue the trial, which then ends after more than 1,000 failed operations, "
        "or stop it. With both, the exit code is 5. Default: continue, or as in the campaign file.",
        rich_help_panel=ENGINE_GROUP,
        show_default=False,
    ),
]
MaxWrites = Annotated[
    str | None,
    typer.Option(
        "--max-writes",
        help="End the run before it has written more than this in all, such as 500GB.",
        metavar="SIZE",
        rich_help_panel=LIMITS_GROUP,
        show_default=False,
    ),
]
MaxTemperature = Annotated[
    int | None,
    typer.Option(
        "--max-temperature",
        help="End the run when a drive is hotter than this, in °C.",
        metavar="CELSIUS",
        rich_help_panel=LIMITS_GROUP,
        show_default=False,
    ),
]
MinSpare = Annotated[
    int | None,
    typer.Option(
        "--min-spare",
        help="Start no trial when a drive has a smaller share of its spare blocks than this, in percent.",
        metavar="PERCENT",
        rich_help_panel=LIMITS_GROUP,
        show_default=False,
    ),
]
Buffered = Annotated[
    bool,
    typer.Option(
        "--buffered",
        help="Use the page cache instead of direct I/O. The report notes this.",
        rich_help_panel=TARGET_GROUP,
    ),
]
EngineOption = Annotated[
    EngineChoice,
    typer.Option(
        "--engine",
        help="I/O engine. auto selects io_uring if available, otherwise psync. The report states which one was used.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
PollOption = Annotated[
    Poll,
    typer.Option(
        "--poll",
        help="Completion mode of io_uring: by interrupt, or by polling the device (iopoll). With sqpoll, a kernel "
        "thread polls the submission queue. The report states which mode was active.",
        rich_help_panel=ENGINE_GROUP,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Random seed. Default: chosen at random and recorded.",
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
        help="Measure each cell for 0.5 s after a warm-up of 0.2 s. "
        "The results are accurate only to an order of magnitude.",
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        "--precision",
        help="Target precision: repeat each cell until the half-widths of the 95 % confidence intervals of throughput "
        "and mean latency are at most PERCENT (p99: twice PERCENT). Default: set by the profile (lab: 5 %).",
        metavar="PERCENT",
        show_default=False,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="With a target precision: total time limit for all cells. Default: set by the profile (lab: 6m30s).",
        metavar="TIME",
        show_default=False,
    ),
]
Fixed = Annotated[
    bool,
    typer.Option("--fixed", help="Use the profile's fixed repeats and durations, regardless of precision."),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Profile: lab, reads (lab without writes), data-sheet (the workloads of data sheets), a standard "
        "procedure such as pts-iops (see docs/guides/procedures.md), or the path of a campaign file (see "
        "docs/campaigns.md and examples/). Default: lab.",
        metavar="NAME|FILE",
        show_default=False,
    ),
]
Purge = Annotated[
    PurgeMethod | None,
    typer.Option(
        "--purge",
        help="With standard procedures: how block devices are purged before each of them (see `iosonde prepare`). "
        "Default: as in the campaign file, else no purge.",
        metavar="METHOD",
        show_default=False,
    ),
]
TimeScale = Annotated[
    int | None,
    typer.Option(
        "--time-scale",
        help="With standard procedures: divide all of their times by this number. Results are then not those of the "
        "procedure. Default: 1, or the scale of the simulated drive.",
        min=1,
        max=TIME_SCALE_MAX,
        show_default=False,
    ),
]
Purpose = Annotated[
    str | None,
    typer.Option(
        "--for",
        help="Measure whether TARGET is good enough for a purpose, instead of --profile: etcd, postgres-oltp, kafka, "
        "redis-aof, vm-host, video-ingest, or the path of a file with requirements (see docs/guides/good-enough.md).",
        metavar="NAME|FILE",
        show_default=False,
    ),
]
AGAINST_HELP = (
    "Name of a data sheet (intel-d3-s4510, intel-p4500, intel-s4500, micron-7400-pro, samsung-980-pro, samsung-pm9a1, "
    "samsung-pm9a3, samsung-usb-type-c, sandisk-extreme-pro-usb, seagate-exos-x18, wd-ultrastar-hc310) or of a "
    "purpose, or the path of a TOML file with expected values (see docs/guides/expectations.md)."
)
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        help=f"{AGAINST_HELP} The report has the verdicts.",
        metavar="NAME|FILE",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]
NoReport = Annotated[
    bool,
    typer.Option(
        "--no-report",
        help="Do not write report.html. `iosonde report RUN --html FILE` writes it later, also on another host.",
        rich_help_panel=OUTPUT_GROUP,
    ),
]
OnEnd = Annotated[
    str | None,
    typer.Option(
        "--on-end",
        help=(
            "Shell command to run at the end, also after a failure or interruption. Environment variables contain the "
            "outcome. The exit code does not change."
        ),
        metavar="COMMAND",
        rich_help_panel=OUTPUT_GROUP,
        show_default=False,
    ),
]
