"""Rules about the engine's own threads, and those that the kernel gave it."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine, Sync, Workload
from iosonde.vocabulary import Poll

# Above this share of a CPU, operations queue inside the engine (the bound that kbench uses is 60 % for a whole host).
BUSY_MAX = 0.90
# An operation that a kernel thread does costs it about as much CPU time as the engine. Below this share it was a block
# of the file system's own that had to be read first.
HANDED_OVER_MIN = 0.01


def host_limited(case: Case) -> Iterator[Finding]:
    """The engine's own thread was busy nearly all the time."""
    busy = case.records_where(
        lambda record: _shows_the_host(record) and not _is_awake_by_design(record) and _busy(record) > BUSY_MAX
    )
    if busy:
        worst = max(busy, key=_busy)
        cells = distinct(record.cell for record in busy)
        yield Finding(
            id="host-limited",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"The engine's thread was busy {_told_busy(worst)} of the time in {worst.cell}: the limit of "
                f"{count_of(len(cells), 'cell')} may be this CPU, not the target."
            ),
            evidence=tuple((record.cell, _told_busy(record)) for record in busy[:10]),
            advice="Take the figure for what one core of this host can drive; more --jobs use more cores.",
            deciding_test="The same cell with twice the jobs at half the queue depth, or on a faster CPU.",
            cells=cells,
        )


def busy_by_design(case: Case) -> Iterator[Finding]:
    """The engine's thread was awake all the time because that is how it was asked to work."""
    awake = case.records_where(
        lambda record: _shows_the_host(record) and _is_awake_by_design(record) and _busy(record) > BUSY_MAX
    )
    if awake:
        cells = distinct(record.cell for record in awake)
        yield Finding(
            id="busy-by-design",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The engine's thread was awake all the time in {name_some(cells)}, as polling and open loops are: "
                "CPU time does not tell whether this host was the limit."
            ),
            evidence=tuple((record.cell, _told_busy(record)) for record in awake[:10]),
            advice="Go by the engine's own lag in an open loop; compare with --poll interrupt in a closed one.",
            deciding_test="",
            cells=cells,
        )


def _shows_the_host(record: CellRecord) -> bool:
    """On rings that lead nowhere there is nothing else to be busy with."""
    return record.own_engine is not None and record.own_engine.engine not in {Engine.NULL, Engine.NOP}


def _is_awake_by_design(record: CellRecord) -> bool:
    """Who polls the device never sleeps, and in an open loop the thread waits for arrivals awake."""
    polls = record.own_engine is not None and record.own_engine.poll_mode == Poll.IOPOLL
    return polls or record.workload.is_open_loop


def _busy(record: CellRecord) -> float:
    user, system = _busiest(record)
    return user + system


def _busiest(record: CellRecord) -> tuple[float, float]:
    """The shares of the time that the busiest of the cell's threads spent in user mode and in the kernel."""
    if not record.measured_ns or record.cpu is None or not record.cpu.threads:
        return 0.0, 0.0
    thread = max(record.cpu.threads, key=lambda each: each.user_ns + each.system_ns)
    return thread.user_ns / record.measured_ns, thread.system_ns / record.measured_ns


def _told_busy(record: CellRecord) -> str:
    user, system = _busiest(record)
    return f"{user + system:.0%} ({user:.0%} user, {system:.0%} system)"


def kernel_workers(case: Case) -> Iterator[Finding]:
    """io_uring needed kernel threads for operations that should not block."""
    punted = case.records_where(_hands_over)
    if punted:
        cells = distinct(record.cell for record in punted)
        most = max(map(_kernel_workers, punted))
        deepest = max(record.workload.operations_in_flight_each for record in punted)
        device = case.run.header.target.device
        tags = None if device is None else device.queue_tags
        yield Finding(
            id="kernel-workers",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"Completions came through up to {count_of(most, 'kernel thread')} in {name_some(cells)}: io_uring "
                "could not start operations without blocking, and latency includes the hand-over to these threads."
            ),
            evidence=(
                ("queue depth", str(deepest)),
                *((("requests a queue of the device", str(tags)),) if tags is not None else ()),
                *((record.cell, _handed_over(record)) for record in punted[:10]),
            ),
            advice=_less_handed_over(deepest, tags, direct=case.run.header.target.direct),
            deciding_test="The same cell with --engine psync, and at a lower depth.",
            cells=cells,
        )


def _hands_over(record: CellRecord) -> bool:
    own = record.own_engine
    if own is None or not own.kernel_workers or _always_handed_over(record.workload):
        return False
    if own.poll_mode == Poll.SQPOLL and own.sqpoll_threads is None:
        # In older records the CPU time of submission threads is in the same sum.
        return False
    share = _share_handed_over(record)
    return share is None or share > HANDED_OVER_MIN


def _kernel_workers(record: CellRecord) -> int:
    return 0 if record.own_engine is None else record.own_engine.kernel_workers or 0


def _always_handed_over(workload: Workload) -> bool:
    """An fdatasync and a trim go to kernel threads wherever they are done, which says nothing of the others."""
    return workload.sync is Sync.FDATASYNC or workload.trim_percent > 0


def _share_handed_over(record: CellRecord) -> float | None:
    """The kernel threads' part of the CPU time of all that worked for the cell; None where nobody measured it."""
    own_ns = record.cpu_workers_ns
    if record.cpu is None or own_ns is None or record.cpu.kernel_workers_ns is None:
        return None
    return record.cpu.kernel_workers_ns / max(own_ns + record.cpu.kernel_workers_ns, 1)


def _handed_over(record: CellRecord) -> str:
    threads = count_of(_kernel_workers(record), "thread")
    share = _share_handed_over(record)
    return threads if share is None else f"{threads} with {share:.0%} of the cell's CPU time"


def _less_handed_over(depth: int, tags: int | None, *, direct: bool) -> str:
    if not direct:
        return (
            "Measure without --buffered where the file system does direct I/O, or take --engine psync for these cells."
        )
    if tags is not None and depth > tags:
        return f"Keep at most {tags} operations in flight, which is what a queue of the device takes."
    return "Lower the depth, or take --engine psync for these cells; expect longer tails than the device has."


ENGINE_RULES = (
    host_limited,
    busy_by_design,
    kernel_workers,
)
