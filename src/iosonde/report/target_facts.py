"""Facts about the targets and their devices, as pairs of a name and a value."""

from iosonde.charts.quantities import NO_VALUE
from iosonde.records import DeviceFacts, RunRecord, SimulationFacts, TargetFacts
from iosonde.report.blocks import FactGroup
from iosonde.report.display import fault_text, number_text, parameter_text, yes_text
from iosonde.report.preconditioning_words import purged_text, written_text
from iosonde.report.target_words import identity_text
from iosonde.units import format_amount, format_size


def target_groups(run: RunRecord) -> list[FactGroup]:
    """A group for each target, each simulated drive and each device."""
    targets = run.header.targets
    devices = dict.fromkeys(target.device for target in targets if target.device is not None)
    numbers = [""] if len(targets) == 1 else [f" {number}" for number in range(1, len(targets) + 1)]
    return [
        *(FactGroup(f"Target{number}", _target(each, run)) for number, each in zip(numbers, targets, strict=True)),
        *(
            FactGroup(f"Simulated drive{number}", _simulated(run, each.simulation, place))
            for place, (number, each) in enumerate(zip(numbers, targets, strict=True))
            if each.simulation is not None
        ),
        *(FactGroup("Device" if len(devices) == 1 else f"Device {each.name}", _device(each)) for each in devices),
    ]


def _target(target: TargetFacts, run: RunRecord) -> tuple[tuple[str, str], ...]:
    written = {
        "filled": "every block was written by this run before the first read",
        "purged": "none: the target was purged, and not preconditioned",
        "data": "the file system reports no holes",
        "unknown": "unknown",
    }
    facts = [
        ("path", target.path or NO_VALUE),
        ("identity", identity_text(target)),
        ("test region", f"{format_size(target.span_bytes)} ({target.span_bytes:,} bytes), from offset 0 of the target"),
    ]
    if target.kind != "simulation":
        memory, offset, source = target.alignment.memory_bytes, target.alignment.offset_bytes, target.alignment.source
        facts += [
            *(_device_only(target) if target.kind == "device" else (("created by iosonde", yes_text(target.created)),)),
            ("direct I/O", yes_text(target.direct)),
            ("alignment", f"memory {memory} bytes, offset {offset} bytes (from {source})"),
        ]
    else:
        facts.append(("direct I/O", "does not apply to a simulated drive, which has no page cache"))
    purges = (*run.header.purges, *(each for session in run.sessions for each in session.purges))
    facts += [("purged", purged_text(each)) for each in purges if each.target == target.path]
    if not run.header.plan.procedures:
        # Those of a procedure are among its conditions.
        facts.append(("blocks already written", written[target.written]))
        facts.append(("preconditioning", written_text(run.preparation)))
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
    """The facts that only a block device has."""
    uses = ", ".join(str(use) for use in target.uses)
    granted = target.granted
    kind = "block device, reads only" if granted is None else "block device, written with permission"
    facts = [("kind", kind), ("other users", uses or "none detected")]
    if granted is not None:
        facts.append(("permission to write", f"{granted.kind.replace('-', ' ')} {granted.name}"))
        facts.append(("findings accepted", ", ".join(target.consents) or "none"))
    space = target.namespace
    if space is not None:
        most = format_size(space.transfer_bytes_max)
        facts.append(("NVMe namespace", f"{space.number}, {space.block_bytes}-byte blocks, at most {most} per command"))
    return tuple(facts)


def _simulated(run: RunRecord, drive: SimulationFacts, place: int) -> tuple[tuple[str, str], ...]:
    """The parameters of a simulated drive, and its state at the end."""
    ended = [cell for cell in run.cells if len(cell.drives) > place]
    facts = [
        ("model", f"{drive.model}: {drive.title}"),
        ("seed", str(drive.seed)),
        ("scale", "none" if drive.scale == 1 else f"1/{drive.scale:,} of the modelled drive"),
        *((key, parameter_text(key, value)) for key, value in drive.parameters()),
        *((f"faults.{number}", fault_text(fault)) for number, fault in enumerate(drive.faults)),
    ]
    if ended:
        state = ended[-1].drives[place]
        counters = ((name, value) for name, value in state.health if isinstance(value, int) and value)
        facts += [(f"at the end: {name}", parameter_text(name, value)) for name, value in counters]
        facts.append(("checksum of the state at the end", state.state_hash))
    return tuple(facts)


def _device(device: DeviceFacts) -> tuple[tuple[str, str], ...]:
    rotational = {True: "rotational", False: "non-rotational", None: NO_VALUE}[device.rotational]
    return (
        ("name", device.name or NO_VALUE),
        ("model", device.model or NO_VALUE),
        ("serial", device.serial or NO_VALUE),
        ("firmware", device.firmware or NO_VALUE),
        ("capacity", format_amount(device.size_bytes)),
        ("media", rotational),
        ("scheduler", device.scheduler or NO_VALUE),
        ("queue tags", number_text(device.queue_tags)),
        ("write cache", device.write_cache or NO_VALUE),
        ("logical block (bytes)", number_text(device.logical_block_size_bytes)),
        ("physical block (bytes)", number_text(device.physical_block_size_bytes)),
        ("largest request (bytes)", number_text(device.request_size_bytes_max)),
        ("NUMA node", number_text(device.numa_node)),
    )
