"""Rules about how a run was made: its engine and its form."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import Engine
from iosonde.units import format_duration
from iosonde.vocabulary import Poll


def debug_build(case: Case) -> Iterator[Finding]:
    """The engine was built without optimisation."""
    hello = case.run.header.hello
    if hello.build_profile != "release":
        yield Finding(
            id="debug-build",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The engine is a {hello.build_profile} build: it is slower than the real one by a factor nobody knows."
            ),
            evidence=(("build profile", hello.build_profile),),
            advice="Install iosonde from a wheel, or with pip from the source folder, and run again.",
            deciding_test="",
        )


def quick_run(case: Case) -> Iterator[Finding]:
    """The quick form: too short to say more than the order of magnitude."""
    plan = case.run.header.plan
    if plan.quick:
        measure_ns = plan.cells[0].timing.measure_ns
        yield Finding(
            id="quick-run",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"This is a quick run: each cell was measured for {format_duration(measure_ns)}, which shows the order "
                "of magnitude and little of the tail."
            ),
            evidence=(("measured a cell", format_duration(measure_ns)),),
            advice="Decide nothing on it; run again without --quick.",
            deciding_test="The same run without --quick.",
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


RUN_RULES = (
    debug_build,
    quick_run,
    engine_fallback,
    engine_by_cell,
    polling_refused,
    registration_refused,
)
