"""How often a closed loop refilled its queue during a repeat, and whether the queue was full when it began."""

from dataclasses import dataclass
from typing import Final

from iosonde.analysis.totals import count_of
from iosonde.records import CellRecord

WARM_ROUNDS_MIN: Final = 2
"""A warm-up in which the queue was refilled less often than this ends before completions are evenly spaced."""


@dataclass(frozen=True)
class QueueRounds:
    """A round is the time in which as many operations complete as the queue holds: by Little's law, the mean latency.

    ``operations`` completed at queue depth ``depth``. ``rounds`` and ``warm_rounds`` are the lengths of the measurement
    and of the warm-up.
    """

    operations: int
    depth: int
    rounds: float
    warm_rounds: float

    @property
    def bias_share(self) -> float:
        """An upper bound of the share that throughput and mean latency can be too low; 0 after a warm-up.

        In a queue that starts empty, nothing completes during the first round, and the operations of the last round
        are in flight at the end.
        """
        return 0.0 if self.warm_rounds >= WARM_ROUNDS_MIN else min(1 / self.rounds, 1.0)


def queue_rounds(record: CellRecord) -> QueueRounds | None:
    """The rounds of a repeat. None if nothing completed, or if the workload does not keep its queue full."""
    asked = record.workload
    operations = count_of(record.operations, asked.subject)
    if not operations or not record.measured_ns or asked.is_open_loop or asked.has_pauses:
        return None
    rounds = operations / asked.operations_in_flight
    return QueueRounds(
        operations=operations,
        depth=asked.operations_in_flight,
        rounds=rounds,
        warm_rounds=rounds * record.timing.warmup_ns / record.measured_ns,
    )
