"""The machine that did the measuring."""

from iosonde.records.base import Record


class HostFacts(Record):
    """What of the host bears on a measurement. An empty string or None means that the host would not say.

    ``cpu_quota`` (in CPUs) and ``memory_limit_bytes`` are the tightest limits of the control groups that the run is in;
    None where there is none. ``clock_source`` is what the kernel reads the time from, by its own word for it.
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
