"""The machine that a comparison ran on."""

from pathlib import Path

from iosonde.machine.local_host import LocalHost


def machine_facts(folder: Path) -> dict[str, str | int | bool]:
    """Host and device as JSON values."""
    here = LocalHost()
    host, device = here.facts(), here.device(str(folder))
    return {
        "cpu": host.cpu_model,
        "cpus_allowed": host.cpus_allowed,
        "virtual_machine": bool(host.virtual_machine),
        "kernel": host.kernel,
        "device": device.name if device else "none",
        "model": (device.model if device else None) or "not named",
        "scheduler": (device.scheduler if device else None) or "none",
    }


def machine_lines(folder: Path) -> list[str]:
    """Host and device as Markdown."""
    facts = machine_facts(folder)
    virtual = " (virtual machine)" if facts["virtual_machine"] else ""
    below = "none"
    if facts["device"] != "none":
        below = f"{facts['device']}, model {facts['model']}, scheduler {facts['scheduler']}"
    return [
        f"- CPU: {facts['cpu']}, {facts['cpus_allowed']} allowed{virtual}",
        f"- kernel: {facts['kernel']}",
        f"- device: {below}",
    ]
