"""How the clock that measured ran against the hardware's, which nobody corrects."""

from typing import Final

from iosonde.records import CellRecord
from iosonde.units import SECOND_NS

# In less time the moments at which the two are read differ by more than they drift.
TIME_NS_MIN: Final = SECOND_NS // 10


def drift_ppm(record: CellRecord) -> float | None:
    """Parts in a million by which a measurement's time is off, above 0 where the clock was fast.

    None where nobody wrote both clocks down, or for too short a time. In virtual time all clocks are one.
    """
    if record.clock_start is None or record.clock_end is None:
        return None
    engine_ns = record.clock_end.engine_ns - record.clock_start.engine_ns
    raw_ns = record.clock_end.raw_ns - record.clock_start.raw_ns
    return (engine_ns - raw_ns) * 1e6 / engine_ns if engine_ns > TIME_NS_MIN else None
