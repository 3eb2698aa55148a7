"""Host and device facts, read and never changed. In: a path or a device number. Out: records of facts."""

from iosonde.machine.device import device_facts
from iosonde.machine.host import host_facts
from iosonde.machine.mounts import file_system_facts
from iosonde.machine.neighbours import neighbours_of
from iosonde.machine.numa import cpus_near

__all__ = ["cpus_near", "device_facts", "file_system_facts", "host_facts", "neighbours_of"]
