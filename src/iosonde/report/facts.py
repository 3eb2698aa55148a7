"""What was measured, where, and with what: pairs of a name and a value for the page."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from iosonde.analysis.clocks import furthest_drift_ppm
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.target_state import target_state
from iosonde.analysis.totals import merge_times
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import (
    CellRecord,
    DeviceFacts,
    EngineFacts,
    FioFacts,
    ImportFacts,
    Operation,
    RunHeader,
    RunRecord,
    SimulationFacts,
    SourceFacts,
    TargetFacts,
)
from iosonde.report.display import drift_text, fault_text, granularity_text, parameter_text
from iosonde.report.states import beginning_text, state_text, stop_text
from iosonde.units import SECOND_NS, format_amount, format_bandwidth, format_duration, format_size


@dataclass(frozen=True)
class FactGroup:
    """Facts under one heading; every value is text, and one that the host would not tell is a dash."""

    title: str
    facts: tuple[tuple[str, str], ...]


def fact_groups(analysis: RunAnalysis) -> tuple[FactGroup, ...]:
    """Target, device, host, engine, and what went wrong in the cells."""
    run, header = analysis.run, analysis.run.header
    groups = [
        *_target_groups(run),
        FactGroup("Host", _host(header)),
        FactGroup("Engine", _engine(run)),
        FactGroup("Run", _run(analysis)),
    ]
    return tuple(groups)


def _target_groups(run: RunRecord) -> list[FactGroup]:
    """Each target, and each device that one of them lies on."""
    targets = run.header.targets
    devices = dict.fromkeys(target.device for target in targets if target.device is not None)
    numbers = [""] if len(targets) == 1 else [f" {number}" for number in range(1, len(targets) + 1)]
    return [
        *(
            FactGroup(f"Target{number}", _target(each, run.preparation))
            for number, each in zip(numbers, targets, strict=True)
        ),
        *(
            FactGroup(f"Simulated drive{number}", _simulated(run, each.simulation, place))
            for place, (number, each) in enumerate(zip(numbers, targets, strict=True))
            if each.simulation is not None
        ),
        *(FactGroup("Device" if len(devices) == 1 else f"Device {each.name}", _device(each)) for each in devices),
    ]


def targets_text(header: RunHeader) -> str:
    """Where the targets are, in one line."""
    return ", ".join(target.path or target.kind for target in header.targets)


def span_text(header: RunHeader) -> str:
    """How much of the targets was used."""
    each = "" if len(header.targets) == 1 else " of each"
    return f"{format_size(header.plan.span_bytes)}{each}"


def access_text(header: RunHeader) -> str:
    """How operations reached the targets, in two words."""
    if header.is_simulated:
        return "no I/O"
    return "direct I/O" if header.target.direct else "buffered I/O"


def identity_text(target: TargetFacts) -> str:
    """What makes the target this target and no other, in one line."""
    parts: list[str] = []
    if target.device is not None:
        names = (target.device.model, f"serial {target.device.serial}" if target.device.serial else "")
        parts.extend(name for name in names if name)
    if target.identity is not None:
        identity = target.identity
        inode = "" if target.kind == "device" else f", inode {identity.inode}"
        parts.append(f"device {identity.device_major}:{identity.device_minor}{inode}")
    if target.device_identifier:
        parts.append(target.device_identifier)
    if target.kind == "null":
        parts.append("null ring, no device")
    if target.simulation is not None:
        drive = target.simulation
        scale = "" if drive.scale == 1 else f", {drive.scale:,} times smaller"
        parts.append(f"simulated, model {drive.model}{scale}, seed {drive.seed}")
    return ", ".join(parts) or "unknown"


def _target(target: TargetFacts, preparation: Sequence[CellRecord]) -> tuple[tuple[str, str], ...]:
    written = {
        "filled": "every block written by this run before any read",
        "data": "the file system reports no hole",
        "unknown": "unknown",
    }
    facts = [
        ("path", target.path or NO_VALUE),
        ("identity", identity_text(target)),
        ("span", f"{format_size(target.span_bytes)} ({target.span_bytes:,} bytes)"),
    ]
    if target.kind != "simulation":
        memory, offset, source = target.alignment.memory_bytes, target.alignment.offset_bytes, target.alignment.source
        facts += [
            *(_device_only(target) if target.kind == "device" else (("made by iosonde", _yes(target.created)),)),
            ("direct I/O", _yes(target.direct)),
            ("alignment", f"memory {memory} bytes, offset {offset} bytes (from {source})"),
        ]
    facts += [("blocks written before", written[target.written]), ("first write", _written_first(preparation))]
    system = target.file_system
    if system is not None:
        facts += [
            ("file system", f"{system.kind} on {system.mount_point} ({system.mount_options})"),
            (
                "file system size",
                f"{format_amount(system.size_bytes)}, {format_amount(system.available_bytes)} available",
            ),
        ]
    return tuple(facts)


def _device_only(target: TargetFacts) -> tuple[tuple[str, str], ...]:
    """What is said of a block device, and of no file."""
    uses = ", ".join(str(use) for use in target.uses)
    facts = [("kind", "a block device, only read"), ("in use otherwise", uses or "not that iosonde could see")]
    space = target.namespace
    if space is not None:
        most = format_size(space.transfer_bytes_max)
        facts.append(
            ("NVMe namespace", f"{space.number}, blocks of {space.block_bytes} bytes, at most {most} a command")
        )
    return tuple(facts)


def _simulated(run: RunRecord, drive: SimulationFacts, place: int) -> tuple[tuple[str, str], ...]:
    """What a simulated drive is made of, and what it was like at the end."""
    ended = [cell for cell in run.cells if len(cell.drives) > place]
    facts = [
        ("model", f"{drive.model}: {drive.title}"),
        ("seed", str(drive.seed)),
        ("scale", "none" if drive.scale == 1 else f"{drive.scale:,} times smaller than the model"),
        *((key, parameter_text(key, value)) for key, value in drive.parameters()),
        *((f"faults.{number}", fault_text(fault)) for number, fault in enumerate(drive.faults)),
    ]
    if ended:
        state = ended[-1].drives[place]
        facts += [(name.replace("_", " "), f"{value:,}") for name, value in state.health if value]
        facts.append(("state at the end", state.state_hash))
    return tuple(facts)


def _written_first(preparation: Sequence[CellRecord]) -> str:
    """What was written before anything was measured, step by step."""
    return "; ".join(_written(each) for each in preparation) or NO_VALUE


def _written(fill: CellRecord) -> str:
    totals = fill.operations.get(Operation.WRITE)
    if totals is None or not fill.measured_ns:
        return NO_VALUE
    rate = totals.bytes * SECOND_NS / fill.measured_ns
    together = "" if fill.workload.targets == 1 else f", all {fill.workload.targets} targets together"
    return f"{format_size(totals.bytes)} in {format_duration(fill.measured_ns)} ({format_bandwidth(rate)}{together})"


def _device(device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    rotational = {True: "rotating", False: "not rotating", None: NO_VALUE}[device.rotational]
    return (
        ("name", device.name or NO_VALUE),
        ("model", device.model or NO_VALUE),
        ("serial", device.serial or NO_VALUE),
        ("firmware", device.firmware or NO_VALUE),
        ("capacity", format_amount(device.size_bytes)),
        ("media", rotational),
        ("scheduler", device.scheduler or NO_VALUE),
        ("queue tags", _number(device.queue_tags)),
        ("write cache", device.write_cache or NO_VALUE),
        ("logical block (bytes)", _number(device.logical_block_size_bytes)),
        ("physical block (bytes)", _number(device.physical_block_size_bytes)),
        ("largest request (bytes)", _number(device.request_size_bytes_max)),
        ("NUMA node", _number(device.numa_node)),
    )


def _host(header: RunHeader) -> tuple[tuple[str, str], ...]:
    host = header.host
    return (
        ("host", host.hostname or NO_VALUE),
        ("kernel", f"{host.kernel} {host.architecture}".strip() or NO_VALUE),
        ("CPU", host.cpu_model or NO_VALUE),
        ("CPUs allowed", f"{host.cpus_allowed} of {host.cpus_online}"),
        ("NUMA nodes", _number(host.numa_nodes)),
        ("CPU quota (CPUs)", "none" if host.cpu_quota is None else f"{host.cpu_quota:.2f}"),
        ("CPU governor", host.governor or NO_VALUE),
        ("memory", format_size(host.memory_bytes)),
        ("memory limit", "none" if host.memory_limit_bytes is None else format_size(host.memory_limit_bytes)),
        ("virtual machine", host.virtual_machine or "none found"),
        ("clock source", host.clock_source or NO_VALUE),
        ("Python", host.python or NO_VALUE),
    )


def _engine(run: RunRecord) -> tuple[tuple[str, str], ...]:
    hello = run.header.hello
    overhead = hello.overhead_ns_per_io
    facts = [cell.engine for cell in run.cells if cell.engine is not None]
    fio = [fio_text(each) for each in facts if isinstance(each, FioFacts)]
    imported = [import_text(each) for each in facts if isinstance(each, ImportFacts)]
    return (
        *((("fio", _agreed(fio)),) if fio else ()),
        *((("imported from", _agreed(imported)),) if imported else ()),
        ("version", f"{hello.version}, protocol {hello.protocol}, {hello.build_profile} build"),
        ("asked, used", f"{run.header.engine_asked}, {run.header.engine}"),
        ("completion asked", run.header.poll_asked),
        ("io_uring refused", hello.io_uring_refused or "no"),
        ("own cost (ns an operation, on a null ring)", _number(overhead)),
        ("a look at the clock (ns)", _number(hello.clock_read_ns)),
        ("clock drift, furthest", _drift(run)),
        ("reap granularity (error bar of a latency)", _reap_granularity(run)),
        *((name, _agreed(map(told, facts))) for name, told in _GRANTED),
    )


def _drift(run: RunRecord) -> str:
    """By how much the clock was off at most, against the hardware's."""
    return drift_text(furthest_drift_ppm(run.cells)) or NO_VALUE


def _reap_granularity(run: RunRecord) -> str:
    """How much later than it came a completion may have been stamped, over all cells."""
    return granularity_text(merge_times([cell.reap_granularity for cell in run.cells])) or NO_VALUE


def fio_text(fio: FioFacts) -> str:
    """Which fio measured, and how it reached the kernel."""
    return f"{fio.version}, ioengine {fio.ioengine}"


def import_text(imported: ImportFacts) -> str:
    """Which tool measured what was imported."""
    return f"{imported.engine} {imported.version or 'of an unknown version'}"


def _fallbacks(facts: SourceFacts) -> str:
    """Where the engine fell back, and why; a dash where that is not known."""
    return NO_VALUE if facts.fallbacks is None else ", ".join(facts.fallbacks) or "none"


def _own(told: Callable[[EngineFacts], str]) -> Callable[[SourceFacts], str]:
    """What only iosonde's own engine tells."""
    return lambda facts: told(facts) if isinstance(facts, EngineFacts) else NO_VALUE


def _started(told: Callable[[EngineFacts | FioFacts], str]) -> Callable[[SourceFacts], str]:
    """What is known of whatever iosonde started."""
    return lambda facts: NO_VALUE if isinstance(facts, ImportFacts) else told(facts)


_GRANTED: tuple[tuple[str, Callable[[SourceFacts], str]], ...] = (
    ("workers", _started(lambda facts: str(facts.workers))),
    ("ring flags granted", _own(lambda facts: " ".join(facts.ring_flags) or "none")),
    ("completion", _started(lambda facts: facts.poll_mode)),
    ("fixed buffers", _own(lambda facts: _yes(facts.fixed_buffers))),
    ("fixed file", _own(lambda facts: _yes(facts.fixed_file))),
    ("batch, largest", _own(lambda facts: str(facts.batch_max))),
    ("clock", _own(lambda facts: facts.clock_source)),
    ("I/O buffers", _own(lambda facts: NO_VALUE if facts.buffer_bytes is None else format_size(facts.buffer_bytes))),
    ("kernel threads that io_uring needed", _own(lambda facts: _number(facts.kernel_workers))),
    ("SQPOLL threads", _own(lambda facts: _number(facts.sqpoll_threads))),
    ("fall-backs", _fallbacks),
)


def _agreed(values: Iterable[str]) -> str:
    """One value where all measurements agree, else each with its number of measurements."""
    counts = Counter(values)
    if not counts:
        return NO_VALUE
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({count} measurements)" for value, count in counts.most_common())


def _run(analysis: RunAnalysis) -> tuple[tuple[str, str], ...]:
    run, plan, state = analysis.run, analysis.run.header.plan, target_state(analysis)
    faults: Counter[str] = Counter()
    for cell in run.cells:
        for fault in cell.faults:
            faults[f"{fault.operation} {fault.kind} {fault.errno_name}".strip()] += fault.count
    censored = sum(cell.censored.count for cell in run.cells if cell.censored is not None)
    return (
        ("run", run.header.run),
        ("command", " ".join(run.header.command)),
        ("profile", plan.profile),
        ("seed of the plan", str(plan.seed)),
        ("measured until", stop_text(plan.stop)),
        ("repeats" if plan.is_fixed else "repeats at first", str(plan.repeats)),
        ("measurements made", str(len(run.cells))),
        ("target at first", beginning_text(state)),
        ("target while it was measured", state_text(state)),
        ("resumed", ", ".join(session.resumed_at for session in run.sessions) or "never"),
        ("measured again after a cut or a failure", str(len(run.superseded))),
        ("faults", ", ".join(f"{count} x {name}" for name, count in faults.items()) or "none"),
        ("in flight when measuring ended (operations)", f"{censored:,}"),
        ("record schema", str(run.header.schema_version)),
    )


def _yes(value: bool) -> str:  # noqa: FBT001 - a value to be shown, not a switch
    return "yes" if value else "no"


def _number(value: int | None) -> str:
    return NO_VALUE if value is None else f"{value:,}"
