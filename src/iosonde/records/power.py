"""The electric power while a trial was measured, by what measured it."""

from enum import StrEnum

from pydantic import Field

from iosonde.records.base import Record


class PowerSource(StrEnum):
    """What a power is that of.

    ``drive``: the drives below the targets, by their own sensors (hwmon). ``cpu``: the CPU packages of the host, with
    their caches and integrated memory controllers, for everything that runs on it (RAPL). ``command``: whatever the
    user's command measures.
    """

    DRIVE = "drive"
    CPU = "cpu"
    COMMAND = "command"


class Power(Record):
    """The mean power of a source over the measurement time of a trial, in microwatts: the sum over its ``sensors``.

    ``samples`` is the number of samples within the measurement time. Counters of energy are averaged from the first of
    them to the last; other sensors have the mean of the samples.
    """

    source: PowerSource
    sensors: tuple[str, ...] = ()
    power_uw: int = Field(ge=0)
    samples: int = Field(ge=1)
