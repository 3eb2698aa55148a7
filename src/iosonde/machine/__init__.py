"""Host and device facts, read and never changed. In: a path or a device number. Out: records of facts."""

from iosonde.machine.device import device_facts, device_identifier, device_size_bytes
from iosonde.machine.host import host_facts
from iosonde.machine.mounts import file_system_facts
from iosonde.machine.neighbours import neighbours_of
from iosonde.machine.numa import cpus_near
from iosonde.machine.uses import uses_of

__all__ = [
    "cpus_near",
    "device_facts",
    "device_identifier",
    "device_size_bytes",
    "file_system_facts",
    "host_facts",
    "neighbours_of",
    "uses_of",
]
