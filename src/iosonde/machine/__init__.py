"""Host and device facts, read and never changed. In: a path or a device number. Out: records of facts."""

from iosonde.machine.device import device_facts, device_identifier, device_size_bytes
from iosonde.machine.holders import Holders, holders_of
from iosonde.machine.host import host_facts
from iosonde.machine.mounts import file_system_facts
from iosonde.machine.namespaces import block_of, generic_of
from iosonde.machine.neighbours import neighbours_of
from iosonde.machine.numa import cpus_near
from iosonde.machine.uses import uses_of

__all__ = [
    "Holders",
    "block_of",
    "cpus_near",
    "device_facts",
    "device_identifier",
    "device_size_bytes",
    "file_system_facts",
    "generic_of",
    "holders_of",
    "host_facts",
    "neighbours_of",
    "uses_of",
]
