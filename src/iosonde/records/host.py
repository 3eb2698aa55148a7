"""The host that measured."""

from iosonde.records.base import Record


class HostFacts(Record):
    """The properties of the host that affect results. An empty string or None means that the host does not report it.

    ``cpu_quota`` (in CPUs) and ``memory_limit_bytes`` are the tightest limits of the run's control groups, None without
    a limit. ``clock_source`` is the kernel's clock source, by the kernel's name.
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
