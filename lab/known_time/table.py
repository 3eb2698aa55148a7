"""The page of results: the set times, and the latencies by both tools and by the kernel."""

from collections.abc import Iterable, Sequence
from typing import Final

from lab.known_time.cells import BUCKET_NS, BUCKETS, FLOOR
from lab.known_time.judge import EARLY_NS_MAX, MIN_OVER_FIO_NS_MAX, P50_RATIO, P50_RATIO_ONE_TURN, PERCENTILES
from lab.known_time.seen import Pair, Seen, Trace

HEAD: Final = """# Latencies on devices of known latency

`make lab` writes this page: null_blk on Debian's kernel {kernel}, emulated by QEMU with {cpus} CPUs.
A timer completes each request at the set time after its issue; on the floor device (set to 0) it completes at issue.
Both tools read random 4 KiB blocks with io_uring, direct I/O, registered files and registered buffers, without
warm-up. Both measure from before submission until reaping, with the same clock. The tools take turns: {turns}.
A row shows the pass of each tool with the lower p50. All times are in µs.

## Limits of the emulation

- Between its own tracepoints, without any tool, the kernel takes longer than the set time:
{late}.
  A p99 is therefore that of the emulating host. It is shown; only its lower
  limit is compared with the kernel's p99.
- {spread}
- Cells with the note "bounds only" are not compared with fio. With SQPOLL, the submission thread, the tool and
  the timers share two emulated CPUs. On the floor device, and on devices faster than these CPUs, a
  tool measures itself.

## Checks

- No latency of either tool is more than {early:.0f} µs below the set time.
- The sum of a tool's latencies is at least the kernel's for the same requests (`/sys/block/*/stat`). Reads in
  flight at the end, which a tool does not count, get the longest latency.
- In traced cells, p50 and p99 are at least those of the same requests between issue and completion.
- Compared with fio, except with the note "bounds only": the minimum is at most {over:.0f} µs above, and the p50 is
  between {low} and {high} times fio's; between {low_once} and {high_once} times after one pass.

## Cells
"""
COLUMNS: Final = (
    *("set", "poll", "depth", "jobs"),
    *("iosonde min", "p50", "p99", "mean"),
    *("fio min", "p50", "p99", "mean"),
    *("iosonde / fio p50", "p99", "kernel's mean, iosonde's reads", "fio's", "note"),
)
TRACED: Final = (
    *("set", "poll", "depth", "by", "min", "p50", "p99", "mean"),
    *("kernel's min", "p50", "p99", "mean", "traced", "kernel's mean by stat", "p50 / kernel's", "p99 / kernel's"),
)


def page(pairs: Sequence[Pair], kernel: str, cpus: int) -> str:
    """The whole page, as Markdown."""
    head = HEAD.format(
        kernel=kernel,
        turns=_turns(pairs),
        cpus=cpus,
        late=";\n".join(f"  {line}" for line in late(pairs)),
        spread=spread(pairs),
        early=EARLY_NS_MAX / 1000,
        over=MIN_OVER_FIO_NS_MAX / 1000,
        low=P50_RATIO[0],
        high=P50_RATIO[1],
        low_once=P50_RATIO_ONE_TURN[0],
        high_once=P50_RATIO_ONE_TURN[1],
    )
    traced = [seen for pair in pairs if pair.cell.traced for seen in pair.quieter]
    return "\n".join(
        [
            head,
            *_table(COLUMNS, map(_row, pairs)),
            "",
            "## Traced cells",
            "",
            "The kernel's latencies are from bpftrace, from `block_rq_issue` to `block_rq_complete` of the same",
            "requests; percentiles are in steps of 20 µs, or 0.5 µs on the floor device. 10 ms above the set time",
            "means at least 10 ms.",
            "Tracing adds time to the latencies of both tools.",
            "",
            *_table(TRACED, map(_traced_row, traced)),
            "",
        ]
    )


def late(pairs: Iterable[Pair]) -> list[str]:
    """The differences between the kernel's times and the set times."""
    words = []
    for pair in pairs:
        trace, set_ns = pair.quieter[0].trace, pair.cell.device.set_ns
        if trace is None or pair.cell.device == FLOOR:
            continue
        half_ns, most_ns = (trace.at_rank(_rank(part, trace)) - set_ns for part in PERCENTILES)
        beyond = " or more" if most_ns >= BUCKETS * BUCKET_NS else ""
        name = f"{set_ns // 1000:,} µs at depth {pair.cell.queue_depth}"
        words.append(f"{name}: {_us(half_ns)} µs more at p50, {_us(most_ns)} µs{beyond} at p99")
    return words


def spread(pairs: Iterable[Pair]) -> str:
    """The largest difference of a tool's p50 between two passes."""
    twice = [seen for pair in pairs for seen in (pair.iosonde, pair.fio) if len(seen) > 1]
    if not twice:
        return "The host allowed one pass only: the variation is unknown, and the p50 has a wider tolerance."
    values = [[each.p50_ns for each in seen] for seen in twice]
    most = max(max(each) / min(each) - 1 for each in values)
    return f"Between two passes, the p50 of a tool changed by up to {most:.0%}."


def _turns(pairs: Sequence[Pair]) -> str:
    """How often each cell was measured."""
    if any(len(pair.iosonde) < pair.cell.turns for pair in pairs):
        return "each measures each cell once, since the host was busy"
    return "each measures cells that are compared with fio twice, and traced cells and those with bounds only once"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [columns, ["---"] * len(columns), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _row(pair: Pair) -> list[str]:
    cell, (ours, fios) = pair.cell, pair.quieter
    return [
        *(f"{cell.device.set_ns // 1000:,}", cell.poll, str(cell.queue_depth), str(cell.jobs)),
        *_figures(ours),
        *_figures(fios),
        *(_ratio(ours.p50_ns, fios.p50_ns), _ratio(ours.p99_ns, fios.p99_ns)),
        *(_us(ours.kernel_mean_ns), _us(fios.kernel_mean_ns), cell.note),
    ]


def _traced_row(seen: Seen) -> list[str]:
    cell, trace = seen.cell, seen.trace
    assert trace is not None
    half, most = (trace.at_rank(_rank(part, trace)) for part in PERCENTILES)
    return [
        *(f"{cell.device.set_ns // 1000:,}", cell.poll, str(cell.queue_depth), seen.tool),
        *_figures(seen),
        *(_us(trace.min_ns), _us(half), _us(most), _us(trace.mean_ns)),
        *(f"{trace.count / seen.kernel_count:.0%}", _us(seen.kernel_mean_ns)),
        *(_ratio(seen.p50_ns, half), _ratio(seen.p99_ns, most)),
    ]


def _rank(part: float, trace: Trace) -> int:
    return max(1, round(part * trace.count))


def _figures(seen: Seen) -> list[str]:
    return [_us(seen.min_ns), _us(seen.p50_ns), _us(seen.p99_ns), _us(seen.mean_ns)]


def _ratio(ours_ns: float | None, other_ns: float | None) -> str:
    return f"{ours_ns / other_ns:.2f}" if ours_ns and other_ns else ""


def _us(value_ns: float | None) -> str:
    if value_ns is None:
        return ""
    return f"{value_ns / 1000:,.1f}" if value_ns < 100_000 else f"{value_ns / 1000:,.0f}"
