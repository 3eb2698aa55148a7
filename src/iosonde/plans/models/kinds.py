"""The kinds of models: one row each, and nothing else to change for another one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from iosonde.plans.models.disk import DiskTable, disk_limits, mean_bytes_per_s
from iosonde.plans.models.queueing import QueueingTable, queueing_bytes_per_s, queueing_limits
from iosonde.plans.models.ssd import SsdTable, ssd_bytes_per_s, ssd_limits, ssd_size_bytes
from iosonde.plans.models.table import SCALE_KEY, Limit, ModelTable


@dataclass(frozen=True)
class Kind:
    """A kind of models: its table, the size of a drive of it in bytes, and what follows from the parameters.

    ``write_bytes_per_s`` is the rate at which a drive of it is filled, where the parameters tell it.
    """

    table: type[ModelTable]
    size_bytes: Callable[[Any], int]
    limits: Callable[[Any], tuple[Limit, ...]]
    write_bytes_per_s: Callable[[Any], int] | None = None

    @property
    def can_be_scaled(self) -> bool:
        """Whether its drives can be made smaller without another shape in drive fills."""
        return SCALE_KEY in self.table.model_fields


KINDS: Final[dict[str, Kind]] = {
    "queueing": Kind(QueueingTable, lambda table: table.size_bytes, queueing_limits, queueing_bytes_per_s),
    "ssd": Kind(SsdTable, ssd_size_bytes, ssd_limits, ssd_bytes_per_s),
    "disk": Kind(DiskTable, lambda table: table.size_bytes, disk_limits, mean_bytes_per_s),
}
