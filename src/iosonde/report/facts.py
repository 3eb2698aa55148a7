"""Facts about the run for the page: targets, devices, hosts and engines, as pairs of a name and a value."""

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Final

from iosonde.analysis.procedures.from_run import discarded_attempts
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.target_state import target_state
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.case import count_of
from iosonde.records import HostFacts, Plan, RunHeader, RunRecord
from iosonde.report.blocks import FactGroup
from iosonde.report.condition_facts import condition_groups
from iosonde.report.display import number_text
from iosonde.report.engine_facts import engine_facts
from iosonde.report.health_facts import health_groups
from iosonde.report.states import beginning_text, state_text, stop_text
from iosonde.report.target_facts import target_groups
from iosonde.units import format_size
from iosonde.vocabulary import OnError

_ON_ERROR: Final = {OnError.CONTINUE: "the trial continues", OnError.STOP: "the trial ends"}
DURATIONS_MAX: Final = 3
"""The most durations of trials that are listed."""


def fact_groups(analysis: RunAnalysis) -> tuple[FactGroup, ...]:
    """Groups of facts on targets, devices, hosts, engines and the run."""
    run, header = analysis.run, analysis.run.header
    groups = [
        *target_groups(run),
        *health_groups(run),
        *condition_groups(run),
        *_on_each("Host", header, [_host(header, host) for host in header.hosts]),
        *_on_each("Engine", header, [engine_facts(run, hello) for _, hello in header.engines]),
        FactGroup("Run", _run(analysis)),
    ]
    return tuple(groups)


def _on_each(title: str, header: RunHeader, facts: list[tuple[tuple[str, str], ...]]) -> Iterator[FactGroup]:
    """A group for each host. With several hosts, the titles name the host."""
    for host, pairs in zip(header.hosts, facts, strict=True):
        yield FactGroup(f"{title} {host.hostname}" if len(facts) > 1 else title, pairs)


def _host(header: RunHeader, host: HostFacts) -> tuple[tuple[str, str], ...]:
    return (
        ("host", host.hostname or NO_VALUE),
        ("distribution", host.distribution or NO_VALUE),
        ("kernel", f"{host.kernel} {host.architecture}".strip() or NO_VALUE),
        ("kernel command line", host.kernel_command_line or NO_VALUE),
        ("CPU", host.cpu_model or NO_VALUE),
        ("CPUs allowed", f"{host.cpus_allowed} of {host.cpus_online}"),
        ("CPU cores, threads", f"{number_text(host.cores)}, {host.cpus_online}"),
        ("NUMA nodes", number_text(host.numa_nodes)),
        ("CPU quota (CPUs)", "none" if host.cpu_quota is None else f"{host.cpu_quota:.2f}"),
        ("CPU frequency driver", host.frequency_driver or NO_VALUE),
        ("CPU governor", host.governor or NO_VALUE),
        ("CPU turbo", host.turbo or NO_VALUE),
        ("C-states", "held off by this run" if header.hold_cstates else "as the host uses them"),
        *((("power command", header.power_command),) if header.power_command else ()),
        ("memory", format_size(host.memory_bytes)),
        ("memory limit", "none" if host.memory_limit_bytes is None else format_size(host.memory_limit_bytes)),
        ("virtual machine", host.virtual_machine or "none detected"),
        ("container", host.container or "none detected"),
        ("clock source", host.clock_source or NO_VALUE),
        ("Python", host.python or NO_VALUE),
    )


def _durations(run: RunRecord) -> str:
    """How long trials take, with warm-up; those of most cells first. Procedures plan cells that they do not need."""
    plan, measured = run.header.plan, {each.cell for each in run.cells}
    cells = [each for each in plan.cells if each.cell in measured] if plan.procedures else plan.cells
    counts = Counter(cell.timing.text for cell in cells or plan.cells)
    shown = [f"{text} ({count_of(number, 'cell')})" for text, number in counts.most_common(DURATIONS_MAX)]
    if len(counts) == 1:
        return next(iter(counts))
    more = len(counts) - DURATIONS_MAX
    return ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])


def _written_data(plan: Plan) -> str:
    """The content of the blocks that cells write: its kinds, with how far a drive could compress it."""
    asked = [stream.workload for cell in plan.cells for stream in cell.streams if stream.workload.writes]
    kinds = (
        f"{each.data}, {each.compressible_percent} % compressible, {each.duplicates_percent} % duplicates"
        for each in asked
    )
    return "; ".join(dict.fromkeys(kinds)) or "none"


def _states(analysis: RunAnalysis) -> tuple[tuple[str, str], ...]:
    """The state of the target. Procedures judge it by their own criteria, so their conditions have it."""
    plan = analysis.run.header.plan
    if plan.procedures:
        return ()
    state = target_state(analysis)
    return (
        ("initial target state", beginning_text(state, plan.writes_first)),
        ("target state during the run", state_text(state)),
    )


def _run(analysis: RunAnalysis) -> tuple[tuple[str, str], ...]:
    run, plan = analysis.run, analysis.run.header.plan
    faults: Counter[str] = Counter()
    for cell in run.cells:
        for fault in cell.faults:
            faults[f"{fault.operation} {fault.kind} {fault.errno_name}".strip()] += fault.count
    censored = sum(cell.censored.count for cell in run.cells if cell.censored is not None)
    return (
        ("run", run.header.run),
        ("command", shlex.join(run.header.command)),
        ("profile", plan.profile),
        ("plan seed", str(plan.seed)),
        ("measured until", stop_text(plan.stop)),
        ("repeats" if plan.is_fixed else "initial repeats", str(plan.repeats)),
        ("duration of a trial", _durations(run)),
        ("trials", str(len(run.cells))),
        ("data written", _written_data(plan)),
        *_states(analysis),
        *((("ended", run.end.ended_at),) if run.end and run.end.ended_at else ()),
        ("resumed", ", ".join(each.resumed_at for each in run.sessions if not each.is_planned) or "never"),
        (
            "trials repeated after an interruption or failure",
            str(len(run.superseded) + discarded_attempts(analysis.recorded)),
        ),
        ("after an I/O error", _ON_ERROR[plan.on_error]),
        ("faults", ", ".join(f"{count} x {name}" for name, count in faults.items()) or "none"),
        ("in flight at the end of all trials together (operations)", f"{censored:,}"),
        ("record schema", str(run.header.schema_version)),
    )
