"""The interface to the host that targets are on. It reads facts, and removes files that a run created.

In: a path or a device number. Out: plain facts. ``local_host`` is the only implementation. The caller that starts a
campaign creates it, and all other code uses the interface.
"""

from iosonde.machine.boot import boot_id
from iosonde.machine.holders import Holders
from iosonde.machine.host import Counters, Host, PathFacts, leads_nowhere
from iosonde.machine.orphans import Orphan
from iosonde.machine.power import PowerSample, PowerSensor
from iosonde.machine.smartctl import ASLEEP
from iosonde.machine.write_permit import CONSENTABLE, WAYS_OUT, UnpermittedWriteError, WritePermit, permit_for

__all__ = [
    "ASLEEP",
    "CONSENTABLE",
    "WAYS_OUT",
    "Counters",
    "Holders",
    "Host",
    "Orphan",
    "PathFacts",
    "PowerSample",
    "PowerSensor",
    "UnpermittedWriteError",
    "WritePermit",
    "boot_id",
    "leads_nowhere",
    "permit_for",
]
