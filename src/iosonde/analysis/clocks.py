"""The drift of the engine's clock against the raw hardware clock, which NTP does not adjust."""

from collections.abc import Sequence
from typing import Final

from iosonde.records import CellRecord
from iosonde.units import SECOND_NS

# The two clocks are read one after the other. If the thread loses the CPU for 0.25 ms in between, an eighth of a second
# appears to drift by 2,000 ppm.
TIME_NS_MIN: Final = SECOND_NS


def drift_ppm(record: CellRecord) -> float | None:
    """The drift of a repeat's clock in ppm, positive if the clock was fast.

    None if the record lacks a clock or the repeat was too short. In virtual time all clocks are the same.
    """
    return _ppm([record])


def largest_drift_ppm(records: Sequence[CellRecord]) -> float | None:
    """The largest drift in either direction: of a repeat that was long enough, or of all repeats together."""
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
