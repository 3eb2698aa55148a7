"""Rules about the run as a whole: how it was made and how it ended."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import Engine, Outcome
from iosonde.units import SECOND_NS, format_duration


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


def run_unfinished(case: Case) -> Iterator[Finding]:
    """The run was cut off before its plan was done."""
    run = case.run
    if run.finished:
        return
    planned, done = len(run.header.plan.turns), sum(cell.outcome is Outcome.FINISHED for cell in run.cells)
    yield Finding(
        id="run-unfinished",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The run was cut off: {done} of {count_of(planned, 'measurement')} are finished, so repeats are missing "
            "and intervals are wider."
        ),
        evidence=(("finished", f"{done}"), ("planned", f"{planned}")),
        advice="Use the finished cells as they are; run again for the rest.",
        deciding_test="",
    )


def journal_damaged(case: Case) -> Iterator[Finding]:
    """The journal can't be read to its end."""
    if case.run.damage is not None:
        yield Finding(
            id="journal-damaged",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The journal is readable only in part: {case.run.damage}. What comes before is whole, what comes "
                "after is lost."
            ),
            evidence=(("damage", case.run.damage),),
            advice="Look for a copy of the run directory, and at the health of the disk that it lay on.",
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
    others = case.records_where(lambda record: record.engine.engine is not header.engine)
    if others:
        cells = distinct(record.cell for record in others)
        engine = others[0].engine.engine.value
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


def registration_refused(case: Case) -> Iterator[Finding]:
    """The engine was not granted all it asked for."""
    refused = case.records_where(lambda record: bool(record.engine.fallbacks))
    if refused:
        reasons = distinct(reason for record in refused for reason in record.engine.fallbacks)
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
            cells=distinct(record.cell for record in refused),
        )


# NTP slews a clock by at most 500 parts in a million; beyond that the clock source itself is in doubt.
DRIFT_PPM_MAX = 500
WALL_STEP_NS_MAX = SECOND_NS


def clock_drift(case: Case) -> Iterator[Finding]:
    """The clock that measured ran unlike the hardware's, or the wall clock was set meanwhile."""
    worst_ppm, stepped = 0.0, False
    for record in case.run.cells:
        engine_ns = record.clock_end.engine_ns - record.clock_start.engine_ns
        raw_ns = record.clock_end.raw_ns - record.clock_start.raw_ns
        wall_ns = record.clock_end.wall_ns - record.clock_start.wall_ns
        if engine_ns > SECOND_NS // 10:
            worst_ppm = max(worst_ppm, abs(engine_ns - raw_ns) * 1e6 / engine_ns)
        stepped = stepped or abs(wall_ns - engine_ns) > WALL_STEP_NS_MAX
    if worst_ppm > DRIFT_PPM_MAX:
        yield Finding(
            id="clock-drift",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The kernel's clock ran up to {worst_ppm:.0f} parts in a million unlike the hardware's: every time "
                "here is off by as much."
            ),
            evidence=(("drift", f"{worst_ppm:.0f} ppm"), ("bound", f"{DRIFT_PPM_MAX} ppm")),
            advice="Look at the clock source and the time service of the host.",
            deciding_test="The same run after the clock has settled.",
        )
    if stepped:
        yield Finding(
            id="wall-clock-set",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement="The wall clock was set while the run went on; durations and latencies do not depend on it.",
            evidence=(),
            advice="Don't line this run up with other logs by wall time.",
            deciding_test="",
        )


RUN_RULES = (
    debug_build,
    quick_run,
    run_unfinished,
    journal_damaged,
    engine_fallback,
    engine_by_cell,
    registration_refused,
    clock_drift,
)
