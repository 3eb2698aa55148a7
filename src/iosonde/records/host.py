"""The host that measured."""

from typing import Final

from iosonde.records.base import Record

WSL: Final = "Windows Subsystem for Linux"
"""The name of the virtual machine in which Windows runs Linux."""


class HostFacts(Record):
    """The properties of the host that affect results. An empty string or None means that the host does not report it.

    ``cpu_quota`` (in CPUs) and ``memory_limit_bytes`` are the tightest limits of the run's control groups, None without
    a limit. ``clock_source`` is the kernel's clock source, by the kernel's name. ``cores`` is the number of physical
    cores online, None if the kernel does not report it. ``turbo`` is ``on`` or ``off``. ``container`` is the
    kind of container that the run was in.
    """

    hostname: str
    kernel: str
    architecture: str
    cpu_model: str
    cpus_online: int
    cpus_allowed: int
    memory_bytes: int
    numa_nodes: int | None = None
    cpu_quota: float | None = None
    memory_limit_bytes: int | None = None
    governor: str
    virtual_machine: str
    python: str
    clock_source: str = ""
    distribution: str = ""
    kernel_command_line: str = ""
    cores: int | None = None
    frequency_driver: str = ""
    turbo: str = ""
    container: str = ""
