"""What is measured: devices of null_blk with the time that each was set to, and the cells on them."""

from dataclasses import dataclass
from typing import Final

US: Final = 1_000
MS: Final = 1_000_000
# Each tool measures each cell that is compared so often, and the others once. Who is first in one turn is last in the
# next.
TURNS: Final = 2
# The kernel's latencies are counted in so many buckets from the set time on, and in one of all beyond.
BUCKETS: Final = 500
BUCKET_NS: Final = 20 * US
FLOOR_BUCKET_NS: Final = 500


@dataclass(frozen=True)
class Device:
    """A device of null_blk: a timer completes each request ``set_ns`` after its issue, or it is done at once with 0."""

    name: str
    set_ns: int
    poll_queues: int = 0


@dataclass(frozen=True)
class Cell:
    """Random reads of 4 KiB from one device.

    Minimum and p50 are ``judged`` against fio's where the emulated CPUs keep up with the device: not with SQPOLL, whose
    thread spins on one of the two, and not on the floor, where a tool's own work is all there is. The kernel's
    tracepoints follow each request where the cell is ``traced``.
    """

    device: Device
    poll: str
    queue_depth: int
    jobs: int = 1
    judged: bool = True
    traced: bool = False

    @property
    def turns(self) -> int:
        """A second turn shows how far a comparison can be trusted. Where only bounds are checked, one is enough."""
        return TURNS if self.judged and not self.traced else 1

    @property
    def duration_s(self) -> int:
        """A p99 wants a thousand reads, and one reader alone takes its time for them."""
        return 2 if self.queue_depth * self.jobs == 1 else 1

    @property
    def note(self) -> str:
        """What sets the cell apart from others with the same numbers."""
        words = {"traced": self.traced, "bounds only": not self.judged}
        return ", ".join(word for word, holds in words.items() if holds)


# The kernel numbers them in this order.
SHORT: Final = Device("nullb0", 200 * US)
MIDDLE: Final = Device("nullb1", 1 * MS)
LONG: Final = Device("nullb2", 20 * MS)
FLOOR: Final = Device("nullb3", 0, poll_queues=2)
DEVICES: Final = (SHORT, MIDDLE, LONG, FLOOR)

# Left out, since they would add nothing here. With SQPOLL two jobs: four threads would spin on two CPUs. At 200 µs and
# at 1 ms deeper queues with two jobs: the emulated CPUs do not keep up. At 20 ms shallow queues: too few reads. On the
# floor further depths: a request is done before the next begins, however many there are.
CELLS: Final = (
    Cell(SHORT, "interrupt", 1),
    Cell(SHORT, "interrupt", 1, jobs=2),
    Cell(SHORT, "interrupt", 8),
    Cell(MIDDLE, "interrupt", 1),
    Cell(MIDDLE, "interrupt", 8),
    Cell(MIDDLE, "interrupt", 8, jobs=2),
    Cell(MIDDLE, "interrupt", 32),
    Cell(MIDDLE, "interrupt", 128, judged=False),
    Cell(LONG, "interrupt", 32),
    Cell(LONG, "interrupt", 32, jobs=2),
    Cell(LONG, "interrupt", 128),
    Cell(LONG, "interrupt", 128, jobs=2),
    Cell(SHORT, "sqpoll", 1, judged=False),
    Cell(SHORT, "sqpoll", 32, judged=False),
    Cell(MIDDLE, "sqpoll", 1, judged=False),
    Cell(MIDDLE, "sqpoll", 8, judged=False),
    Cell(LONG, "sqpoll", 32, judged=False),
    Cell(LONG, "sqpoll", 128, judged=False),
    Cell(FLOOR, "interrupt", 1, judged=False),
    Cell(FLOOR, "interrupt", 1, jobs=2, judged=False),
    Cell(FLOOR, "interrupt", 32, judged=False),
    Cell(FLOOR, "iopoll", 1, judged=False),
    Cell(FLOOR, "iopoll", 32, judged=False),
    Cell(FLOOR, "sqpoll", 32, judged=False),
    Cell(SHORT, "interrupt", 1, traced=True),
    Cell(MIDDLE, "interrupt", 1, traced=True),
    Cell(MIDDLE, "interrupt", 8, traced=True),
    Cell(LONG, "interrupt", 32, traced=True),
    Cell(FLOOR, "interrupt", 1, judged=False, traced=True),
)
