"""The kinds of models. A new kind needs one entry here and no other change."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from iosonde.plans.models.disk import DiskTable, disk_limits, mean_bytes_per_s
from iosonde.plans.models.queueing import QueueingTable, queueing_bytes_per_s, queueing_limits
from iosonde.plans.models.ssd import SsdTable, ssd_bytes_per_s, ssd_limits, ssd_size_bytes
from iosonde.plans.models.table import SCALE_KEY, Limit, ModelTable
from iosonde.plans.models.volume import VolumeTable, volume_bytes_per_s, volume_limits, volume_size_bytes


@dataclass(frozen=True)
class Kind:
    """A kind of model: its table, and the functions that give a drive's capacity in bytes and its limits.

    ``write_bytes_per_s`` gives the rate of preconditioning writes; None if the parameters do not determine it.
    """

    table: type[ModelTable]
    size_bytes: Callable[[Any], int]
    limits: Callable[[Any], tuple[Limit, ...]]
    write_bytes_per_s: Callable[[Any], int] | None = None

    @property
    def can_be_scaled(self) -> bool:
        """Whether its drives can be scaled down without changing their behaviour per drive fill."""
        return SCALE_KEY in self.table.model_fields


KINDS: Final[dict[str, Kind]] = {
    "queueing": Kind(QueueingTable, lambda table: table.size_bytes, queueing_limits, queueing_bytes_per_s),
    "ssd": Kind(SsdTable, ssd_size_bytes, ssd_limits, ssd_bytes_per_s),
    "disk": Kind(DiskTable, lambda table: table.size_bytes, disk_limits, mean_bytes_per_s),
    "volume": Kind(VolumeTable, volume_size_bytes, volume_limits, volume_bytes_per_s),
}
