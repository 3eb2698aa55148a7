"""Rules about a run as a whole: its form, its interruptions, and whether it was alone on the device."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import EngineHello, HostFacts, Outcome
from iosonde.units import format_duration


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
    planned, done = len(run.turns), sum(cell.outcome is Outcome.FINISHED for cell in run.cells)
    yield Finding(
        id="run-unfinished",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The run {'is still going on' if run.running else 'was cut off'}: {done} of "
            f"{count_of(planned, 'measurement')} are finished, so repeats are missing and intervals are wider."
        ),
        evidence=(("finished", f"{done}"), ("planned", f"{planned}")),
        advice=(
            "Wait for its end before deciding."
            if run.running
            else "Use the finished cells as they are; `iosonde resume` measures the rest."
        ),
        deciding_test="",
    )


def _changed(before: tuple[HostFacts, EngineHello], after: tuple[HostFacts, EngineHello]) -> Iterator[tuple[str, str]]:
    """What is no longer the same on a host, and what became of it."""
    (first, first_engine), (last, last_engine) = before, after
    pairs = (
        ("kernel", first.kernel, last.kernel),
        ("host", first.hostname, last.hostname),
        ("CPU", first.cpu_model, last.cpu_model),
        ("CPUs allowed", str(first.cpus_allowed), str(last.cpus_allowed)),
        ("engine", first_engine.version, last_engine.version),
        ("fio", first_engine.fio or "none", last_engine.fio or "none"),
    )
    yield from ((name, f"{was} -> {now}") for name, was, now in pairs if was != now)


def run_resumed(case: Case) -> Iterator[Finding]:
    """The run was broken off and went on later."""
    run = case.run
    if not run.sessions or case.is_simulated:
        return  # A simulated drive goes on at the very moment and in the very state in which it was left.
    pairs = zip(run.header.engines, run.sessions[-1].engines, strict=False)
    changed = [change for before, after in pairs for change in _changed(before, after)]
    anew = any(session.made_anew for session in run.sessions)
    what = " with another " + ", ".join(name for name, _ in changed) if changed else ""
    file = "; the file was made and filled anew" if anew else ""
    yield Finding(
        id="run-resumed",
        severity=Severity.DOUBTFUL if changed else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The run was broken off and went on {count_of(len(run.sessions), 'time')}{what}{file}: repeats lie "
            "further apart in time than planned, and what changed meanwhile is in their spread."
        ),
        evidence=(*(("resumed", session.resumed_at) for session in run.sessions), *changed),
        advice="Look at the spread of repeats first; where it is wide, run again in one piece.",
        deciding_test="The same run unbroken.",
    )


def journal_damaged(case: Case) -> Iterator[Finding]:
    """The journal can't be read to its end."""
    if case.run.damage is not None:
        yield Finding(
            id="journal-damaged",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The journal is readable only in part: {case.run.damage}. What stands there is lost and was not read "
                "as numbers; all other cells are whole."
            ),
            evidence=(("damage", case.run.damage),),
            advice="Look for a copy of the run directory, and at the health of the disk that it lay on.",
            deciding_test="",
        )


def neighbours(case: Case) -> Iterator[Finding]:
    """Another run of iosonde was at work on the same device, and figures rest on what was measured meanwhile."""
    beside = [record for record in case.used if record.neighbours]
    if beside:
        others = distinct(f"process {each.process}" for record in beside for each in record.neighbours)
        devices = distinct(each.device for record in beside for each in record.neighbours)
        yield Finding(
            id="neighbours",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"Another iosonde ({name_some(others)}) was measuring on the same device ({', '.join(devices)}) during "
                f"{count_of(len(beside), 'measurement')}: each has what the other left."
            ),
            evidence=tuple((record.cell, f"repeat {record.repeat}") for record in beside[:10]),
            advice="Throw these cells away and measure them with the device to themselves.",
            deciding_test="The same cells with nothing else on the device.",
            cells=distinct(record.cell for record in beside),
        )


def intervals_merged(case: Case) -> Iterator[Finding]:
    """The front did not keep up, and intervals were added together."""
    merged = case.records_where(lambda record: record.intervals_merged > 0)
    if merged:
        number = sum(record.intervals_merged for record in merged)
        yield Finding(
            id="intervals-merged",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(number, 'interval')} had to be added to their neighbours because nobody took them in time: "
                "totals are whole, series are coarser."
            ),
            evidence=tuple((record.cell, str(record.intervals_merged)) for record in merged[:10]),
            advice="Nothing to do for totals; keep the host idle for finer series.",
            deciding_test="",
            cells=distinct(record.cell for record in merged),
        )
