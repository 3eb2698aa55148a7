"""How the clock that measured ran against the hardware's, which nobody corrects."""

from collections.abc import Sequence
from typing import Final

from iosonde.records import CellRecord
from iosonde.units import SECOND_NS

# The two are read one after the other. Who loses the CPU in between for a quarter of a millisecond makes a drift of
# 2,000 parts in a million of an eighth of a second.
TIME_NS_MIN: Final = SECOND_NS


def drift_ppm(record: CellRecord) -> float | None:
    """Parts in a million by which a measurement's time is off, above 0 where the clock was fast.

    None where nobody wrote both clocks down, or for too short a time. In virtual time all clocks are one.
    """
    return _ppm([record])


def furthest_drift_ppm(records: Sequence[CellRecord]) -> float | None:
    """The drift that is furthest from 0: of a measurement that was long enough, or of all of them together."""
    found = [drift_ppm(record) for record in records]
    return max((each for each in [*found, _ppm(records)] if each is not None), key=abs, default=None)


def _ppm(records: Sequence[CellRecord]) -> float | None:
    clocks = [
        (record.clock_start, record.clock_end)
        for record in records
        if record.clock_start is not None and record.clock_end is not None
    ]
    engine_ns = sum(end.engine_ns - start.engine_ns for start, end in clocks)
    raw_ns = sum(end.raw_ns - start.raw_ns for start, end in clocks)
    return (engine_ns - raw_ns) * 1e6 / engine_ns if engine_ns >= TIME_NS_MIN else None
