"""The host that targets are on, as a port; what the local one answers is read, and changed only by removing own files.

In: a path or a device number. Out: plain facts. ``local_host`` is the one implementation: whoever starts a campaign
makes it, and nothing behind knows it.
"""

from iosonde.machine.holders import Holders
from iosonde.machine.host import Host, PathFacts, leads_nowhere
from iosonde.machine.orphans import Orphan

__all__ = ["Holders", "Host", "Orphan", "PathFacts", "leads_nowhere"]
