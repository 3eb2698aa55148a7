"""The electric power of a cell over its repeats, and its IOPS per watt, for each source that was sampled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.estimate import Estimate, estimate_known
from iosonde.analysis.totals import count_of
from iosonde.records import CellRecord, Operation, Power, PowerSource
from iosonde.units import SECOND_NS

UW_PER_W: Final = 1_000_000


@dataclass(frozen=True)
class PowerEstimate:
    """The power of a source in watts, and the operations per second of all classes for each watt of it.

    ``samples`` is the number over all repeats. ``sensors`` are those of the first repeat. ``iops_per_w`` is None if the
    power was 0.
    """

    source: PowerSource
    sensors: tuple[str, ...]
    power_w: Estimate
    iops_per_w: Estimate | None
    samples: int


def estimate_power(used: Sequence[CellRecord], weights: Sequence[float] | None) -> tuple[PowerEstimate, ...]:
    """The power of each source that was sampled in any repeat, with the weights of throughput."""
    return tuple(found for source in PowerSource if (found := _estimate(source, used, weights)) is not None)


def _estimate(source: PowerSource, used: Sequence[CellRecord], weights: Sequence[float] | None) -> PowerEstimate | None:
    known = [found for record in used if (found := power_of(record, source)) is not None]
    power = estimate_known([power_w(record, source) for record in used], weights)
    if not known or power is None:
        return None
    return PowerEstimate(
        source=source,
        sensors=known[0].sensors,
        power_w=power,
        iops_per_w=estimate_known([iops_per_w(record, source, Operation.ALL) for record in used], weights),
        samples=sum(each.samples for each in known),
    )


def power_of(record: CellRecord, source: PowerSource) -> Power | None:
    """The power of a source in a repeat; None if it was not sampled."""
    return next((each for each in record.power if each.source is source), None)


def power_w(record: CellRecord, source: PowerSource) -> float | None:
    """The power of a source in a repeat, in watts."""
    found = power_of(record, source)
    return None if found is None else found.power_uw / UW_PER_W


def iops_per_w(record: CellRecord, source: PowerSource, operation: Operation) -> float | None:
    """The operations per second of a class for each watt of a source; None without power or measurement time."""
    watts = power_w(record, source)
    if not watts or not record.measured_ns:
        return None
    return count_of(record.operations, operation) * SECOND_NS / record.measured_ns / watts
