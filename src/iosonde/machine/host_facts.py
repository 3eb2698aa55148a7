"""The facts of the machine that measures."""

import os
import platform
from pathlib import Path

from iosonde.machine.containers import container_of
from iosonde.machine.control_groups import cpu_quota, memory_limit_bytes
from iosonde.machine.numa import numa_nodes
from iosonde.machine.sysfs import read_text
from iosonde.records import WSL, HostFacts


def host_facts(root: Path = Path("/")) -> HostFacts:
    """The facts of this host that affect a measurement. ``root`` is the directory with ``proc`` and ``sys``."""
    cpuinfo = read_text(root / "proc/cpuinfo")
    return HostFacts(
        hostname=platform.node(),
        kernel=f"{platform.system()} {platform.release()}",
        architecture=platform.machine(),
        cpu_model=_field(cpuinfo, "model name"),
        cpus_online=os.cpu_count() or 1,
        cpus_allowed=len(os.sched_getaffinity(0)),
        numa_nodes=numa_nodes(root) or None,
        memory_bytes=_memory_bytes(read_text(root / "proc/meminfo")),
        cpu_quota=cpu_quota(root),
        memory_limit_bytes=memory_limit_bytes(root),
        governor=read_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        virtual_machine=_virtual_machine(root, cpuinfo),
        python=platform.python_version(),
        clock_source=read_text(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"),
        distribution=_distribution(root),
        kernel_command_line=read_text(root / "proc/cmdline"),
        cores=_cores(root),
        frequency_driver=read_text(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
        turbo=_turbo(root),
        container=container_of(root),
    )


def _distribution(root: Path) -> str:
    """The name of the distribution, from os-release."""
    for path in ("etc/os-release", "usr/lib/os-release"):
        for line in read_text(root / path).splitlines():
            key, equals, value = line.partition("=")
            if equals and key == "PRETTY_NAME":
                return value.strip().strip("\"'")
    return ""


def _cores(root: Path) -> int | None:
    """The number of physical cores online. Hardware threads of one core name each other as siblings."""
    siblings = {
        text
        for path in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
        if (text := read_text(path))
    }
    return len(siblings) or None


def _turbo(root: Path) -> str:
    """Whether the CPU may exceed its nominal frequency: ``on``, ``off``, or empty if the kernel does not report it."""
    cpu = root / "sys/devices/system/cpu"
    without = read_text(cpu / "intel_pstate/no_turbo")
    if without:
        return "off" if without == "1" else "on"
    boost = read_text(cpu / "cpufreq/boost")
    return {"0": "off", "1": "on"}.get(boost, "")


def _field(text: str, name: str) -> str:
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() == name:
            return value.strip()
    return ""


def _memory_bytes(meminfo: str) -> int:
    total = _field(meminfo, "MemTotal").split()
    return int(total[0]) * 1024 if total else 0


def _virtual_machine(root: Path, cpuinfo: str) -> str:
    # WSL has no DMI tables. Its kernel names it.
    if "microsoft" in read_text(root / "proc/sys/kernel/osrelease").lower():
        return WSL
    if "hypervisor" not in _field(cpuinfo, "flags").split():
        return ""
    return read_text(root / "sys/class/dmi/id/sys_vendor") or "unnamed hypervisor"
