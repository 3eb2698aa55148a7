"""The machine that did the measuring."""

from iosonde.records.base import Record


class HostFacts(Record):
    """What of the host bears on a measurement. An empty string or None means that the host would not say."""

    hostname: str
    kernel: str
    architecture: str
    cpu_model: str
    cpus_online: int
    cpus_allowed: int
    memory_bytes: int
    governor: str
    virtual_machine: str
    python: str
