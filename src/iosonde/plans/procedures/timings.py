"""The times of procedures, divided by a scale on simulated drives that are smaller by as much."""

from dataclasses import dataclass
from typing import Final

from iosonde.plans.procedures.tables import CellsTable
from iosonde.plans.timings import AMOUNT_INTERVAL_NS_MIN, SLOW_BYTES_PER_S
from iosonde.records import Timing, Workload
from iosonde.units import SECOND_NS
from iosonde.workload_keys.keys import AMOUNT, DURATION

INTERVAL_NS: Final = SECOND_NS
"""The samples of the standard are seconds."""
AMOUNT_INTERVALS: Final = 1000
WARMUP_PART: Final = 2


@dataclass(frozen=True)
class Clock:
    """Converts the times of a procedure: each is divided by ``scale``."""

    scale: int

    def ns(self, time_ns: int) -> int:
        """A scaled time."""
        return time_ns // self.scale

    def interval_ns(self, time_ns: int) -> int:
        """The intervals of a scaled time, which is a multiple but for nanoseconds: seconds, or shorter if scaled."""
        scaled_ns = max(self.ns(time_ns), 1)
        wanted_ns = min(max(INTERVAL_NS // self.scale, AMOUNT_INTERVAL_NS_MIN), scaled_ns)
        return scaled_ns // (scaled_ns // wanted_ns)

    def sample_ns(self, sample_ns: int) -> int:
        """A scaled sample: a whole number of intervals."""
        interval_ns = self.interval_ns(sample_ns)
        return self.ns(sample_ns) // interval_ns * interval_ns

    def _warmup_ns(self, measure_ns: int) -> int:
        """None, unless the cell is scaled: a deep queue of large blocks takes a while to fill, which is not scaled."""
        return 0 if self.scale == 1 else self.ns(measure_ns) // WARMUP_PART

    def timing(self, table: CellsTable, workload: Workload, capacity_bytes: int) -> Timing:
        """The timing of a cell. Amounts are on each target."""
        for measure_ns in table.values(DURATION.name):
            return Timing(
                warmup_ns=self._warmup_ns(measure_ns),
                measure_ns=self.ns(measure_ns),
                interval_ns=self.interval_ns(measure_ns),
            )
        (asked_bytes,) = table.values(AMOUNT.name) if table.capacities is None else (table.capacities * capacity_bytes,)
        amount_bytes = asked_bytes // workload.block_size_bytes * workload.block_size_bytes
        return Timing(
            warmup_ns=0,
            measure_ns=SECOND_NS,
            interval_ns=_amount_interval_ns(amount_bytes),
            amount_bytes=amount_bytes,
        )


def _amount_interval_ns(amount_bytes: int) -> int:
    """A second, or a thousandth of the time that a slow drive takes if that is shorter."""
    slow_ns = amount_bytes * SECOND_NS // SLOW_BYTES_PER_S
    return min(max(slow_ns // AMOUNT_INTERVALS, AMOUNT_INTERVAL_NS_MIN), INTERVAL_NS)
