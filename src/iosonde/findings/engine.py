"""Rules about the engine: its build, which engine measured, and what the kernel allowed it."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some, of_trial
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine, Sync, Workload
from iosonde.units import format_percent
from iosonde.vocabulary import Poll

# An operation that an io-wq worker performs costs it about as much CPU time as it costs the engine. A share below this
# bound comes from metadata blocks that the file system had to read first.
WORKER_SHARE_MIN = 0.01


def debug_build(case: Case) -> Iterator[Finding]:
    """The engine was built without optimisation."""
    for profile in distinct(host.engine.build_profile for host in case.hosts):
        if profile != "release":
            yield Finding(
                id="debug-build",
                severity=Severity.INVALID,
                confidence=Confidence.CERTAIN,
                statement=(f"The engine is a {profile} build. It is slower than a release build by an unknown factor."),
                evidence=(("build profile", profile),),
                advice="Install iosonde from a wheel, or run pip install in the source directory. Then run again.",
                deciding_test="",
            )


def engine_fallback(case: Case) -> Iterator[Finding]:
    """io_uring is not available, so ``auto`` selected psync."""
    header = case.run.header
    if header.engine_asked == "auto" and header.engine is Engine.PSYNC:
        why = header.hello.io_uring_refused or "not supported by the engine"
        yield Finding(
            id="engine-fallback",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"io_uring is not available ({why}), so iosonde used psync. psync needs one thread per operation in "
                "flight, which costs CPU time and adds latency at high queue depth."
            ),
            evidence=(("refused", why), ("engine", header.engine.value)),
            advice=(
                "To measure at high queue depth, enable io_uring: set the sysctl kernel.io_uring_disabled to 0, or "
                "allow io_uring in the container's seccomp profile."
            ),
            deciding_test="Run again with --engine io_uring on a host that allows io_uring.",
        )


def engine_by_cell(case: Case) -> Iterator[Finding]:
    """A different engine measured some of the cells."""
    header = case.run.header
    others = [
        (record.cell, started.engine.value)
        for record in case.run.cells
        if (started := record.started_engine) and started.engine is not header.engine
    ]
    if others:
        cells = distinct(cell for cell, _ in others)
        _, engine = others[0]
        yield Finding(
            id="engine-by-cell",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{', '.join(cells)} ran with {engine}. With {header.engine.value}, every fdatasync is executed by an "
                "io-wq worker, which adds overhead. A database that calls fdatasync directly does not have this "
                "overhead."
            ),
            evidence=(("engine for other cells", header.engine.value), ("engine for these cells", engine)),
            advice=f"To use {header.engine.value} for these cells too, run again with --engine {header.engine.value}.",
            deciding_test="",
            cells=cells,
        )


def polling_refused(case: Case) -> Iterator[Finding]:
    """Polling was requested, but cells ran with interrupts."""
    asked = case.run.header.poll_asked
    if asked is Poll.INTERRUPT:
        return
    others = case.records_where(
        lambda record: (
            (started := record.started_engine) is not None
            and record.workload.poll_through(started.engine, asked) is asked
            and started.poll_mode != asked
        )
    )
    if others:
        reasons = distinct(reason for each in others if each.started_engine for reason in each.started_engine.fallbacks)
        cells = distinct(record.cell for record in others)
        yield Finding(
            id="polling-refused",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"--poll {asked} was requested, but {count_of(len(cells), 'cell')} ran without polling "
                f"({'; '.join(reasons) or 'reason unknown'}). The results do not show the effect of polling."
            ),
            evidence=tuple(("refused", reason) for reason in reasons),
            advice=(
                "Configure poll queues in the driver, for example with nvme.poll_queues=4 on the kernel command line."
                if asked is Poll.IOPOLL
                else "Run with the privileges that the kernel requires for an SQPOLL thread, or omit --poll."
            ),
            deciding_test=f"Run the cell again. The report should list {asked} as the completion mode.",
            cells=cells,
        )


def registration_refused(case: Case) -> Iterator[Finding]:
    """The kernel refused to register the I/O buffers."""
    refused = [
        (record, fallbacks)
        for record in case.run.cells
        if record.own_engine
        and (fallbacks := [reason for reason in record.own_engine.fallbacks if "registered buffers refused" in reason])
    ]
    if refused:
        reasons = distinct(reason for _, fallbacks in refused for reason in fallbacks)
        yield Finding(
            id="registration-refused",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The kernel refused to register the I/O buffers ({'; '.join(reasons)}). This adds a small CPU cost "
                "to each operation."
            ),
            evidence=tuple(("refused", reason) for reason in reasons),
            advice="Raise the locked-memory limit (ulimit -l) above the total size of the I/O buffers (queue depth × "
            "block size × jobs × targets).",
            deciding_test="",
            cells=distinct(record.cell for record, _ in refused),
        )


def kernel_workers(case: Case) -> Iterator[Finding]:
    """io_uring passed operations to io-wq workers because it could not submit them without blocking."""
    punted = case.records_where(_is_punted)
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
                f"Up to {count_of(most, 'io-wq worker')} performed I/O in {name_some(cells)} because io_uring could "
                "not submit some operations without blocking. Latency includes the overhead of these workers."
            ),
            evidence=(
                ("queue depth", str(deepest)),
                *((("requests per device queue", str(tags)),) if tags is not None else ()),
                *(of_trial(record, _workers_of(record)) for record in punted[:10]),
            ),
            advice=_how_to_avoid_workers(deepest, tags, direct=case.run.header.target.direct),
            deciding_test="Run the cell again with --engine psync, and then at a lower queue depth.",
            cells=cells,
        )


def _is_punted(record: CellRecord) -> bool:
    own = record.own_engine
    if own is None or not own.kernel_workers or _always_uses_workers(record.workload):
        return False
    if own.poll_mode == Poll.SQPOLL and own.sqpoll_threads is None:
        # Older records add the CPU time of SQPOLL threads to that of the workers.
        return False
    share = _worker_share(record)
    return share is None or share > WORKER_SHARE_MIN


def _kernel_workers(record: CellRecord) -> int:
    return 0 if record.own_engine is None else record.own_engine.kernel_workers or 0


def _always_uses_workers(workload: Workload) -> bool:
    """Whether it has fdatasyncs or trims. These always use io-wq workers, so workers show nothing about the rest."""
    return workload.sync is Sync.FDATASYNC or workload.trim_percent > 0


def _worker_share(record: CellRecord) -> float | None:
    """The io-wq workers' share of the cell's CPU time; None if it was not measured."""
    own_ns = record.cpu_workers_ns
    if record.cpu is None or own_ns is None or record.cpu.kernel_workers_ns is None:
        return None
    return record.cpu.kernel_workers_ns / max(own_ns + record.cpu.kernel_workers_ns, 1)


def _workers_of(record: CellRecord) -> str:
    workers = count_of(_kernel_workers(record), "worker")
    share = _worker_share(record)
    return workers if share is None else f"{workers} used {format_percent(share)} of the cell's CPU time"


def _how_to_avoid_workers(depth: int, tags: int | None, *, direct: bool) -> str:
    if not direct:
        return "Omit --buffered if the file system supports direct I/O, or use --engine psync for these cells."
    if tags is not None and depth > tags:
        return f"Keep at most {tags} operations in flight, which is the limit of one device queue."
    return (
        "Lower the queue depth, or use --engine psync for these cells. The actual tail latency of the device is "
        "probably lower than reported."
    )
