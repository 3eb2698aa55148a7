"""The machine that a comparison ran on."""

from pathlib import Path

from iosonde.machine import device_facts, host_facts


def machine_lines(folder: Path) -> list[str]:
    """Host and device as Markdown."""
    host, device = host_facts(), device_facts(folder)
    below = f"{device.name}, {device.model or 'no model named'}, scheduler {device.scheduler}" if device else "none"
    return [
        f"- CPU: {host.cpu_model}, {host.cpus_allowed} allowed{' (virtual machine)' if host.virtual_machine else ''}",
        f"- kernel: {host.kernel}",
        f"- device: {below}",
    ]
