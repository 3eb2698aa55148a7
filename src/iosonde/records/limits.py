"""The limits that a user set for a run, to spare its drives."""

from typing import Final

from pydantic import Field

from iosonde.records.base import Record


class RunLimits(Record):
    """What ends a run early. None is no limit.

    ``written_bytes_max`` are the bytes that the run may write in all: preconditioning, warm-up and measurements, on all
    targets. The run ends when a drive is hotter than ``temperature_celsius_max``. No trial starts when a drive has a
    smaller share of spare blocks than ``spare_percent_min``.
    """

    written_bytes_max: int | None = Field(default=None, ge=0)
    temperature_celsius_max: int | None = None
    spare_percent_min: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return any(value is not None for _, value in self)


NO_LIMITS: Final = RunLimits()
