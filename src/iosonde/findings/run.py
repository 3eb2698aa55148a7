"""Rules about a run as a whole: its length, its interruptions, and other runs on the device."""

from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some, of_trial, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.printing import trials_text
from iosonde.records import EngineHello, HostFacts, Outcome
from iosonde.units import format_duration


def quick_run(case: Case) -> Iterator[Finding]:
    """A quick run shows no more than the order of magnitude."""
    plan = case.run.header.plan
    if plan.quick:
        measure_ns = plan.cells[0].timing.measure_ns
        yield Finding(
            id="quick-run",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"This is a quick run with {format_duration(measure_ns)} of measurement time per cell. Its "
                "results show only the order of magnitude, and there are too few samples to measure tail latency."
            ),
            evidence=(("measurement time per cell", format_duration(measure_ns)),),
            advice="Do not base decisions on these results. Run again without --quick.",
            deciding_test="Run again without --quick.",
        )


def run_unfinished(case: Case) -> Iterator[Finding]:
    """The run ended before its plan was complete, or is still in progress."""
    run = case.run
    if run.finished:
        return
    plan, done = run.header.plan, sum(cell.outcome is Outcome.FINISHED for cell in run.cells)
    # What a stopping rule adds is not known yet.
    planned = len(run.turns) if plan.is_fixed else plan.trials_least
    trials = trials_text(done, planned, is_fixed=plan.is_fixed)
    missing = (
        "Figures of a procedure that is not complete are those of its last whole rounds, and not its result."
        if plan.procedures
        else "Some repeats are missing, so confidence intervals are wider."
    )
    parts = "procedures" if plan.procedures else "cells"
    yield Finding(
        id="run-unfinished",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The run {'is still in progress' if run.running else 'was interrupted'}: {trials} finished. {missing}"
        ),
        evidence=(("finished", f"{done}"), ("planned", f"{'' if plan.is_fixed else 'at least '}{planned}")),
        advice=(
            "Wait until the run finishes before you draw conclusions."
            if run.running
            else f"Use only the results of finished {parts}, or run `iosonde resume` to measure the remaining trials."
        ),
        deciding_test="",
    )


def _changed(before: tuple[HostFacts, EngineHello], after: tuple[HostFacts, EngineHello]) -> Iterator[tuple[str, str]]:
    """What changed on a host between the start of the run and its last resumption."""
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
    """The run was interrupted and resumed."""
    run = case.run
    sessions = [session for session in run.sessions if not session.is_planned]
    if not sessions or case.is_simulated:
        return  # A simulated drive resumes at the same virtual time and in the same state.
    pairs = zip(run.header.engines, sessions[-1].engines, strict=False)
    changed = [change for before, after in pairs for change in _changed(before, after)]
    is_new_file = any(session.made_anew for session in sessions)
    times = "once" if len(sessions) == 1 else f"{len(sessions)} times"
    what = f", after which these differ: {', '.join(name for name, _ in changed)}" if changed else ""
    laid_out = " and laid out" if run.header.plan.writes_first else ""
    file = f" The file was created{laid_out} again." if is_new_file else ""
    yield Finding(
        id="run-resumed",
        severity=Severity.DOUBTFUL if changed else Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(f"The run was interrupted and resumed {times}{what}.{file} {_effect_of_resuming(case)}"),
        evidence=(*(("resumed", session.resumed_at) for session in sessions), *changed),
        advice=(
            "Check the purge and the conditions that the report lists for the last attempt."
            if run.header.plan.procedures
            else "Check the variation between repeats. If it is large, run again without interruption."
        ),
        deciding_test="Run again without interruption.",
    )


def _effect_of_resuming(case: Case) -> str:
    """What an interruption does to results."""
    if not case.run.header.plan.procedures:
        return (
            "Some repeats are further apart in time than planned. Changes to the host or target during an interruption "
            "can increase the variation between repeats."
        )
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures.from_run import discarded_attempts

    number = discarded_attempts(case.analysis.recorded)
    discarded = (
        f", and {case.trials(number, 'earlier')} of it {'is' if number == 1 else 'are'} in no result" if number else ""
    )
    return f"A procedure that was interrupted begins again from its start{discarded}."


def journal_damaged(case: Case) -> Iterator[Finding]:
    """Part of the journal is unreadable."""
    if case.run.damage is not None:
        yield Finding(
            id="journal-damaged",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"Part of the journal is unreadable: {case.run.damage}. The results exclude the unreadable "
                "part. The rest of the journal is not affected."
            ),
            evidence=(("damage", case.run.damage),),
            advice=(
                "If you have an intact copy of the run directory, use it. Check the drive that stores the journal."
            ),
            deciding_test="",
        )


def neighbours(case: Case) -> Iterator[Finding]:
    """Another run of iosonde used the same device during repeats that results are computed from."""
    shared = [record for record in case.used if record.neighbours]
    if shared:
        others = distinct(f"process {each.process}" for record in shared for each in record.neighbours)
        devices = distinct(each.device for record in shared for each in record.neighbours)
        who = "Another iosonde run" if len(others) == 1 else f"{len(others)} other iosonde runs"
        yield Finding(
            id="neighbours",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{who} ({name_some(others)}) used the same device ({', '.join(devices)}) during "
                f"{case.trials(len(shared))}. The runs competed for the device."
            ),
            evidence=tuple((record.cell, trial_name(record)) for record in shared[:10]),
            advice="Do not use the results of these cells. Run them again while no other run uses the device.",
            deciding_test="Run these cells again with no other I/O on the device.",
            cells=distinct(record.cell for record in shared),
        )


def intervals_merged(case: Case) -> Iterator[Finding]:
    """The front end did not read intervals in time, so the engine merged them."""
    merged = case.records_where(lambda record: record.intervals_merged > 0)
    if merged:
        number = sum(record.intervals_merged for record in merged)
        yield Finding(
            id="intervals-merged",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The engine merged {count_of(number, 'interval')} with adjacent ones because the Python process did "
                "not read them in time. Totals are complete, but time series have a lower resolution."
            ),
            evidence=tuple(of_trial(record, count_of(record.intervals_merged, "interval")) for record in merged[:10]),
            advice="Totals are not affected. For full-resolution time series, run again on an idle host.",
            deciding_test="",
            cells=distinct(record.cell for record in merged),
        )
