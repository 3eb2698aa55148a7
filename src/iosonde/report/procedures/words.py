"""What a procedure measured, in words: its title, its statement, its phases and its parameters."""

from collections.abc import Iterable, Sequence
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds
from iosonde.charts.procedures.styles import mix_name
from iosonde.printing import capital, printable
from iosonde.records import (
    LONG_ROLES,
    CellPlan,
    FastRandom,
    HotSpots,
    PhasePlan,
    Procedure,
    Rounds,
    RunRecord,
    SteadySamples,
    SteadyState,
    Timing,
    Workload,
)
from iosonde.units import exact_size, format_amount, short_duration
from iosonde.vocabulary import PhaseRole, ProcedureKind

LIKE: Final = "PTS-like"

EXACT_MAX: Final = 10
"""The most characters of an exact size. Others are rounded, because nobody compares ``76187264 KiB``."""

LISTED_MAX: Final = 4
"""The most mixes or block sizes that a header lists."""

MEASURED: Final = {
    ProcedureKind.IOPS: "It measures the IOPS of random operations by mix and block size.",
    ProcedureKind.THROUGHPUT: "It measures the throughput of sequential operations on large blocks.",
    ProcedureKind.LATENCY: "It measures the latency of random operations by mix and block size.",
    ProcedureKind.WRITE_SATURATION: "It writes continuously from a purged drive on, until the drive is saturated.",
    ProcedureKind.HOST_IDLE_RECOVERY: "It measures what idle time between writes gains, and how long the gain lasts.",
    ProcedureKind.CROSS_STIMULUS_RECOVERY: "It measures how throughput recovers from a change of workload.",
    ProcedureKind.COMPOSITE_BLOCK_SIZE: "It varies the threads and queue depth of a mix of block sizes.",
    ProcedureKind.DEMAND_INTENSITY: "It varies the threads and queue depth of one workload.",
    ProcedureKind.ROUNDS: "It measures its cells in rounds.",
}

REPEATED: Final = (PhaseRole.ROUNDS, PhaseRole.SCREENING)

ROLES: Final = {
    PhaseRole.PRECONDITIONING: "preconditioning",
    PhaseRole.ROUNDS: "measured rounds",
    PhaseRole.SCREENING: "rounds of the tracking variables alone",
    PhaseRole.SATURATION: "one long write",
    PhaseRole.HISTOGRAM: "response-time histogram",
    PhaseRole.STIMULUS: "a long workload",
    PhaseRole.IDLE_RECOVERY: "writes with idle time between them",
    PhaseRole.BASELINE: "continuous writes",
    PhaseRole.OPERATING_POINTS: "operating points",
}


def title_of(procedure: Procedure) -> str:
    """The title of a procedure. That of a short form says so first."""
    title = printable(procedure.title or procedure.name)
    return f"{LIKE}: {title}" if procedure.is_like else title


SNIA: Final = "SNIA"
NO_TEXT: Final = "The text was not available. Parameters and criteria follow public implementations that cite it."


def specification_text(procedure: Procedure) -> str:
    """The specification: ``after SNIA SSS PTS 2.0.2, chapter 7, enterprise mode``; empty if it names none."""
    if not procedure.specification:
        return ""
    mode = "" if procedure.mode is None else f", {procedure.mode} mode"
    return f"after {printable(procedure.specification)}{mode}"


def statement_of(rounds: ProcedureRounds) -> str:
    """What was measured, after which specification, and with what reservations."""
    procedure = rounds.procedure
    after = specification_text(procedure)
    title = printable(procedure.title or procedure.name)
    said = [f"{title}, {after}." if after else f"{title}: a procedure without a specification."]
    if procedure.is_like:
        said.append(f"This is a short form ({LIKE}), which must not be presented as the test itself.")
    repeats = procedure.kind is not ProcedureKind.ROUNDS or any(each.role in REPEATED for each in procedure.phases)
    if repeats and (what := MEASURED.get(procedure.kind)) is not None:
        said.append(what)
    if procedure.repeats_offsets:
        said.append("Each round has the same random offsets, so rounds are not independent of each other.")
    if rounds.attempt > 1:
        said.append(f"It was interrupted and began again: this is attempt {rounds.attempt}.")
    points = [f"{capital(printable(each)).rstrip('.')}." for each in procedure.open_points]
    if SNIA in procedure.specification:
        points.insert(0, NO_TEXT)
    if points:
        said.append(f"Open points of the specification: {' '.join(points)}")
    return " ".join(said)


def rounds_word(number: int) -> str:
    """``1 round``, ``12 rounds``."""
    return f"{number} round" if number == 1 else f"{number} rounds"


def stop_words(phase: PhasePlan) -> str:
    """When a phase ends: ``until steady over 5 rounds, at most 25``."""
    match phase.stop:
        case Rounds(rounds=number):
            return rounds_word(number)
        case SteadyState(window=window, rounds_max=most):
            return f"until steady over {rounds_word(window)}, at most {most}"
        case SteadySamples(window=window):
            return f"until {window} samples are steady, or its end"


def mixes_text(workloads: Sequence[Workload]) -> str:
    """The mixes of reads and writes in their order: ``100/0, 95/5, 0/100``."""
    return ", ".join(dict.fromkeys(map(mix_name, workloads)))


def sizes_text(workloads: Sequence[Workload]) -> str:
    """The block sizes in their order."""
    return ", ".join(dict.fromkeys(each.size_text for each in workloads))


def demand_text(workloads: Iterable[Workload]) -> str:
    """The jobs and queue depths: ``4 jobs × QD 32``; for all combinations of several, ``4, 1 jobs × QD 32, 1``."""
    every = list(workloads)
    found = dict.fromkeys((each.jobs, each.queue_depth) for each in every)
    targets = max((each.targets for each in every), default=1)
    of_each = f" on each of {targets} targets" if targets > 1 else ""
    every_jobs, every_depth = (list(dict.fromkeys(each)) for each in zip(*found, strict=True)) if found else ([], [])
    if len(found) > 1 and len(found) == len(every_jobs) * len(every_depth):
        unit = "job" if every_jobs == [1] else "jobs"
        return f"{', '.join(map(str, every_jobs))} {unit} × QD {', '.join(map(str, every_depth))}{of_each}"
    return ", ".join(f"{jobs} {'job' if jobs == 1 else 'jobs'} × QD {depth}" for jobs, depth in found) + of_each


def times_text(plans: Iterable[CellPlan], *, brief: bool = False) -> str:
    """How long the trials take, or how much they transfer, with their warm-up unless ``brief``."""
    return ", ".join(dict.fromkeys(_time_text(each.timing, brief=brief) for each in plans))


def cycles_text(plans: Iterable[CellPlan], *, brief: bool = False) -> str:
    """How long the trials take, as in ``times_text``, each after the duty cycle of its workload."""
    return ", ".join(
        dict.fromkeys(f"{_cycle_text(each.workload)}{_time_text(each.timing, brief=brief)}" for each in plans)
    )


def _cycle_text(asked: Workload) -> str:
    """The duty cycle of a workload before its time: ``5.0 s + 10.0 s idle for ``; empty without one."""
    if asked.on_ns is None or asked.off_ns is None:
        return ""
    return f"{short_duration(asked.on_ns)} + {short_duration(asked.off_ns)} idle for "


def _time_text(timing: Timing, *, brief: bool) -> str:
    has_warmup = timing.warmup_ns and not brief
    warmup = f" after {short_duration(timing.warmup_ns)} of warm-up" if has_warmup else ""
    if timing.amount_bytes is None:
        return f"{short_duration(timing.measure_ns)}{warmup}"
    exact = exact_size(timing.amount_bytes)
    amount = exact if len(exact) <= EXACT_MAX else format_amount(timing.amount_bytes)
    if timing.limit_ns is None:
        return f"{amount}{warmup}"
    return f"at most {amount}{'' if brief else f' or {short_duration(timing.limit_ns)}'}{warmup}"


def idle_text(plans: Iterable[CellPlan]) -> str:
    """The idle time before the trials and within their duty cycles; empty without any."""
    found: dict[str, None] = {}
    for each in plans:
        on_ns, off_ns = each.workload.on_ns, each.workload.off_ns
        if each.timing.idle_ns:
            found[f"{short_duration(each.timing.idle_ns)} before the trial"] = None
        if on_ns is not None and off_ns is not None:
            found[f"{short_duration(off_ns)} after every {short_duration(on_ns)} of operations"] = None
    return ", ".join(found)


def cells_of(run: RunRecord, phase: PhasePlan) -> list[CellPlan]:
    """The planned cells of a phase, in the order of its round."""
    planned = {cell.cell: cell for cell in run.header.plan.cells}
    return [planned[name] for name in phase.cells if name in planned]


def parameters_text(run: RunRecord, procedure: Procedure, *, brief: bool = False) -> str:
    """The cells of the measured rounds in short: ``random, 100/0, 0/100 × 4 KiB, 4 jobs × QD 32, 60 s``.

    ``brief`` leaves out all but the first and the last of many mixes and block sizes.
    """
    groups = measured_groups(run, procedure)
    parts = [f"{workloads_text(plans, brief=brief)}, {cycles_text(plans, brief=brief)}" for plans in groups]
    return "; ".join(dict.fromkeys(parts)) or "unknown"


def measured_groups(run: RunRecord, procedure: Procedure) -> list[list[CellPlan]]:
    """The cells that a procedure is about: those of its rounds, else of its long trials, else of its last phase.

    The cells of each phase with rounds are one group. Long trials are a group for each workload, so that each can be
    named with its times.
    """
    rounds = [each for each in procedure.phases if each.role is PhaseRole.ROUNDS]
    if rounds:
        return [found for phase in rounds if (found := cells_of(run, phase))]
    phases = [each for each in procedure.phases if each.role in LONG_ROLES] or list(procedure.phases[-1:])
    groups: dict[str, list[CellPlan]] = {}
    for plan in (plan for phase in phases for plan in cells_of(run, phase)):
        groups.setdefault(workloads_text([plan]), []).append(plan)
    return list(groups.values())


def workloads_text(plans: Sequence[CellPlan], *, brief: bool = False) -> str:
    """What cells do: ``random, 100/0, 0/100 × 4 KiB, 4 jobs × QD 32``."""
    workloads = [each.workload for each in plans]
    patterns = "/".join(dict.fromkeys(str(each.pattern) for each in workloads))
    named = [mixes_text(workloads), sizes_text(workloads)]
    loops = " × ".join(map(_brief, named) if brief else named)
    places = len({each.offset_bytes for each in workloads})
    zones = f", {places} zones" if places > 1 else ""
    return f"{patterns}, {loops}, {demand_text(workloads)}{zones}"


def mixes_spelt_out(plans: Iterable[CellPlan]) -> dict[str, str]:
    """What the names of mixed block sizes and of access zones stand for, by what they are."""
    found: dict[str, str] = {}
    for asked in (each.workload for each in plans):
        if asked.block_sizes is not None:
            shares = asked.block_sizes.shares
            whole = sum(weight for _, weight in shares)
            parts = [f"{exact_size(size)} {100 * weight / whole:.3g} %" for size, weight in shares]
            found[str(asked.block_sizes)] = ", ".join(parts)
        if isinstance(asked.pattern, HotSpots):
            zones = [f"{one / 10:g} % of operations in {of / 10:g} % of the range" for one, of in asked.pattern.zones]
            found[str(asked.pattern)] = ", ".join(zones)
    return found


def _brief(names: str) -> str:
    """The first and the last of many names, with their number: ``100/0 … 0/100 (7)``."""
    found = names.split(", ")
    return names if len(found) <= LISTED_MAX else f"{found[0]} … {found[-1]} ({len(found)})"


def preconditioning_text(run: RunRecord, procedure: Procedure) -> str:
    """The workload-independent preconditioning: ``sequential 128 KiB writes, 1 job × QD 32, 6.4 GB``."""
    phases = [phase for phase in procedure.phases if phase.role is PhaseRole.PRECONDITIONING]
    plans = [plan for phase in phases for plan in cells_of(run, phase)]
    if not plans:
        return "none"
    asked = plans[0].workload
    pattern = asked.pattern
    named = f"{pattern.word} (assumes {pattern.assumed})" if isinstance(pattern, FastRandom) else pattern
    ends_early = any(isinstance(phase.stop, SteadySamples) for phase in phases)
    times = f"{'at most ' if ends_early else ''}{times_text(plans)}"
    return f"{named}, {mix_name(asked)} × {asked.size_text}, {demand_text([asked])}, {times}"
