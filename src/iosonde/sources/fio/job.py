"""Translates a cell to fio's arguments. Pure functions: a workload in, arguments out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.records import (
    Access,
    Arrivals,
    CellPlan,
    CellTurn,
    Data,
    HotSpots,
    Pareto,
    Permutation,
    Runs,
    Sync,
    Workload,
    Zipf,
)
from iosonde.records.workload import ALL_READS
from iosonde.sources.fio.limits import MICROSECOND_NS, PERCENT_PERMILLE, percents_of
from iosonde.units import MILLISECOND_NS
from iosonde.vocabulary import OnError, Poll

# The same for every job. Jobs are threads, so that there is only one process to end. As in iosonde's own engine, files
# are neither created, laid out nor dropped from the page cache. Each target is a group, so that fio sums its jobs.
_ALWAYS: Final = (
    "--thread=1",
    "--group_reporting=1",
    "--new_group=1",
    "--allow_file_create=0",
    "--fallocate=none",
    "--invalidate=0",
    "--randrepeat=0",
    "--lat_percentiles=1",
    "--clat_percentiles=0",
)
_COLON: Final = ":"
# fio prints at least this often, even for longer intervals: a missing reader or a hang shows sooner.
SNAPSHOT_MS_MAX: Final = 2_000


@dataclass(frozen=True)
class Setup:
    """What a job needs in addition to its cell: the names of the files that fio opens, and the I/O path."""

    files: Sequence[str]
    ioengine: str
    direct: bool
    poll: Poll
    span_bytes: int
    on_error: OnError = OnError.CONTINUE


def arguments_of(cell: CellPlan, turn: CellTurn, setup: Setup) -> list[str]:
    """All arguments of fio, without its own name."""
    workload = cell.workload
    interval_ms = min(max(cell.timing.interval_ns // MILLISECOND_NS, 1), SNAPSHOT_MS_MAX)
    arguments = ["--output-format=json+", "--eta=never", f"--status-interval={interval_ms}ms"]
    if not workload.changes:
        arguments.append("--readonly")
    each = [
        *_ALWAYS,
        *_on_error(setup),
        f"--ioengine={setup.ioengine}",
        f"--direct={int(setup.direct)}",
        f"--iodepth={workload.queue_depth}",
        f"--numjobs={workload.jobs}",
        # 0 would select fio's own seed.
        f"--randseed={turn.seed or 1}",
        *_place(workload, setup.span_bytes),
        *_access(workload),
        *_sizes(workload),
        *_writes(workload),
        *_pace(workload),
        *_poll(setup),
        *_time(cell),
    ]
    for number, name in enumerate(setup.files[: workload.targets], start=1):
        arguments += [f"--name=target-{number}", f"--filename={escaped(name)}", *each]
    return arguments


def escaped(name: str) -> str:
    """A file name in fio's syntax: a colon separates names, unless a backslash precedes it."""
    return name.replace(_COLON, f"\\{_COLON}")


def _on_error(setup: Setup) -> list[str]:
    """Whether fio continues after an I/O error, or ends all jobs of the trial."""
    if setup.on_error is OnError.STOP:
        return ["--continue_on_error=none", "--exitall_on_error=1"]
    return ["--continue_on_error=io"]


def _place(workload: Workload, span_bytes: int) -> list[str]:
    """The test region of the target. Each sequential job has its own part of it, in whole blocks."""
    used_bytes = span_bytes - workload.offset_bytes if workload.span_bytes is None else workload.span_bytes
    if workload.pattern is not Access.SEQUENTIAL or workload.jobs == 1:
        return [f"--offset={workload.offset_bytes}", f"--size={used_bytes}"]
    share_bytes = used_bytes // workload.block_size_bytes // workload.jobs * workload.block_size_bytes
    return [f"--offset={workload.offset_bytes}", f"--size={share_bytes}", f"--offset_increment={share_bytes}"]


def _access(workload: Workload) -> list[str]:
    mixed = workload.reads and workload.writes
    direction = "rw" if mixed else "read" if workload.reads else "write"
    arguments = [f"--rwmixread={workload.read_percent}"] if mixed else []
    if workload.pattern is Access.SEQUENTIAL:
        return [f"--rw={direction}", *arguments]
    arguments.insert(0, f"--rw=rand{direction}")
    # Without a random map fio draws each block independently, as the random pattern requires.
    arguments.append(f"--norandommap={int(not isinstance(workload.pattern, Permutation))}")
    match workload.pattern:
        case Zipf(exponent_permille):
            arguments.append(f"--random_distribution=zipf:{exponent_permille / 1000:g}")
        case Pareto(share_permille):
            arguments.append(f"--random_distribution=pareto:{share_permille / 1000:g}")
        case HotSpots(zones):
            shares = [f"{accesses // PERCENT_PERMILLE}/{space // PERCENT_PERMILLE}" for accesses, space in zones]
            arguments.append(f"--random_distribution=zoned:{_COLON.join(shares)}")
        case Runs(jump_percent):
            arguments.append(f"--percentage_random={jump_percent}")
        case _:
            pass
    return arguments


def _sizes(workload: Workload) -> list[str]:
    if workload.block_sizes is None:
        return [f"--bs={workload.block_size_bytes}"]
    percents = percents_of(workload.block_sizes)
    assert percents is not None, "expected a plan that fio can run"
    return [f"--bssplit={_COLON.join(f'{size}/{percent}' for size, percent in percents)}"]


def _writes(workload: Workload) -> list[str]:
    """When a write is complete (sync, flushes), and the data it writes."""
    if not workload.writes:
        return []
    carried = {
        # fio's default: random data that is partly changed before each write.
        Data.RANDOM: [],
        Data.COMPRESSIBLE: ["--refill_buffers=1", "--buffer_compress_percentage=50"],
        Data.ZEROS: ["--zero_buffers=1"],
    }[workload.data]
    done = {
        Sync.NONE: [],
        Sync.FDATASYNC: [f"--fdatasync={workload.flush_every}"],
        Sync.DSYNC: ["--sync=dsync"],
    }[workload.sync]
    return [*carried, *done]


def _pace(workload: Workload) -> list[str]:
    arguments = []
    if workload.rate_per_s is not None:
        each = [
            workload.rate_per_s * percent // (ALL_READS * workload.jobs)
            for percent in (workload.read_percent, workload.write_percent)
        ]
        arguments.append(f"--rate_iops={','.join(str(rate) if rate else '' for rate in each)}".rstrip(","))
        arguments.append(f"--rate_process={'poisson' if workload.arrivals is Arrivals.POISSON else 'linear'}")
    if workload.burst_operations is not None and workload.think_ns is not None:
        arguments += [
            f"--thinktime={workload.think_ns // MICROSECOND_NS}us",
            f"--thinktime_blocks={workload.burst_operations}",
            "--thinktime_blocks_type=issue",
        ]
    return arguments


def _poll(setup: Setup) -> list[str]:
    if setup.ioengine != "io_uring":
        return []
    return {Poll.INTERRUPT: [], Poll.IOPOLL: ["--hipri=1"], Poll.SQPOLL: ["--sqthread_poll=1"]}[setup.poll]


def _time(cell: CellPlan) -> list[str]:
    amount_bytes = cell.timing.amount_bytes
    if amount_bytes is not None:
        return [f"--io_size={amount_bytes // cell.workload.jobs}"]
    arguments = ["--time_based=1", f"--runtime={cell.timing.measure_ns // MILLISECOND_NS}ms"]
    if cell.timing.warmup_ns:
        arguments.append(f"--ramp_time={cell.timing.warmup_ns // MILLISECOND_NS}ms")
    return arguments
