"""Rules about the engine: how it was built, which one measured, and what the kernel granted it."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine, Sync, Workload
from iosonde.vocabulary import Poll

# An operation that a kernel thread does costs it about as much CPU time as the engine. Below this share it was a block
# of the file system's own that had to be read first.
HANDED_OVER_MIN = 0.01


def debug_build(case: Case) -> Iterator[Finding]:
    """The engine was built without optimisation."""
    for profile in distinct(host.engine.build_profile for host in case.hosts):
        if profile != "release":
            yield Finding(
                id="debug-build",
                severity=Severity.INVALID,
                confidence=Confidence.CERTAIN,
                statement=f"The engine is a {profile} build: it is slower than the real one by a factor nobody knows.",
                evidence=(("build profile", profile),),
                advice="Install iosonde from a wheel, or with pip from the source folder, and run again.",
                deciding_test="",
            )


def engine_fallback(case: Case) -> Iterator[Finding]:
    """io_uring could not be had, and auto took psync."""
    header = case.run.header
    if header.engine_asked == "auto" and header.engine is Engine.PSYNC:
        why = header.hello.io_uring_refused or "it is not offered"
        yield Finding(
            id="engine-fallback",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"io_uring could not be had ({why}), so psync measured: each operation in flight needs a thread, which "
                "costs CPU and adds to latency at depth."
            ),
            evidence=(("refused", why), ("engine", header.engine.value)),
            advice=(
                "Allow io_uring (sysctl kernel.io_uring_disabled, the container's seccomp profile) for figures at "
                "depth."
            ),
            deciding_test="The same run with --engine io_uring where it is allowed.",
        )


def engine_by_cell(case: Case) -> Iterator[Finding]:
    """Some cells were measured by another engine than the rest."""
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
                f"{', '.join(cells)} went through {engine}: {header.engine.value} hands every fdatasync to a kernel "
                "thread, and that is not what a database waits for."
            ),
            evidence=(("engine of the run", header.engine.value), ("engine of these cells", engine)),
            advice=f"--engine {header.engine.value} measures these cells through {header.engine.value} too.",
            deciding_test="",
            cells=cells,
        )


def polling_refused(case: Case) -> Iterator[Finding]:
    """Polling was asked for, and cells ran with interrupts."""
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
                f"{asked} was asked for, and {count_of(len(cells), 'cell')} ran with interrupts "
                f"({'; '.join(reasons) or 'no reason was given'}): their figures are not those of polling."
            ),
            evidence=tuple(("refused", reason) for reason in reasons),
            advice=(
                "Give the driver queues to poll, such as nvme.poll_queues=4 on the kernel's command line."
                if asked is Poll.IOPOLL
                else "Run with the rights that the kernel wants for a submission thread, or leave --poll away."
            ),
            deciding_test="The same cell once more after that: the report's completion then says what was asked.",
            cells=cells,
        )


def registration_refused(case: Case) -> Iterator[Finding]:
    """The kernel did not register the buffers."""
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
                f"The kernel did not grant the engine all it asked for ({'; '.join(reasons)}), which costs a little "
                "CPU time on each operation."
            ),
            evidence=tuple(("refused", reason) for reason in reasons),
            advice="Raise the limit on locked memory (ulimit -l) to at least 16 MiB.",
            deciding_test="",
            cells=distinct(record.cell for record, _ in refused),
        )


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
