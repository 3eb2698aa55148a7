"""The continuous transfers of a run: its preconditioning writes, and the trials of its sustained cells."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from iosonde.analysis.drive_counters import every_change
from iosonde.analysis.plateaus import Transfer, transfer_of
from iosonde.records import CellRecord, Experiment, Outcome


@dataclass(frozen=True)
class Stretch:
    """A preconditioning write, or a trial of a sustained cell with the idle time before it.

    ``throttled_ns`` is the time for which the drives' counters report throttling from the trial before to its end.
    """

    record: CellRecord = field(repr=False)
    transfer: Transfer
    throttled_ns: int = 0

    @property
    def cell(self) -> str:
        """The name of its cell."""
        return self.record.cell

    @property
    def idle_ns(self) -> int:
        """The idle time before it."""
        return self.record.timing.idle_ns

    @property
    def is_finished(self) -> bool:
        """Whether it was completed."""
        return self.record.outcome is Outcome.FINISHED

    @property
    def is_level(self) -> bool:
        """Whether it had a single, flat level."""
        return len(self.transfer.plateaus) == 1 and self.transfer.plateaus[0].is_flat


def stretch_of(record: CellRecord, throttled_ns: int = 0) -> Stretch:
    """A record as a continuous transfer."""
    return Stretch(record, transfer_of(record), throttled_ns)


def sustained_stretches(records: Iterable[CellRecord]) -> Iterator[Stretch]:
    """The finished trials of sustained cells, in run order. ``records`` are all trials of the run."""
    for record, change in every_change(records):
        if record.outcome is Outcome.FINISHED and Experiment.SUSTAINED in record.experiments:
            yield stretch_of(record, 0 if change is None else change.throttled_ns or 0)
