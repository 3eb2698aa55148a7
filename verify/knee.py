"""The knees of queue-depth sweeps over simulated queues. The true knee is the number of servers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from iosonde.analysis.knee import DepthPoint, Knee, KneeReason, find_knee
from iosonde.plans.models import load_model
from verify.simulated import SECOND_NS, SimulatedDrive

DEPTHS: Final = tuple(2**step for step in range(9))
SEEDS: Final = tuple(range(1, 21))
REPEATS: Final = 3
OPERATIONS: Final = 4_000
"""Per repeat and depth. The mean of so many exponential times has a standard deviation of about 1.6 %."""


@dataclass(frozen=True)
class Servers:
    """A queue. ``expected`` is why a sweep from depth 1 to 256 has no knee; None if the knee is at ``number``."""

    number: int
    service: str
    expected: KneeReason | None


# With one server, throughput is the same at every depth. With 256 or more, it grows up to the last depth.
CASES: Final = (
    *(Servers(number, "exponential", None) for number in (2, 4, 6, 8, 16, 24, 32, 64, 128)),
    *(Servers(number, "constant", None) for number in (4, 32)),
    Servers(1, "exponential", KneeReason.FLAT),
    Servers(1, "constant", KneeReason.FLAT),
    Servers(256, "exponential", KneeReason.GROWING),
    Servers(1024, "exponential", KneeReason.GROWING),
)


@dataclass(frozen=True)
class FoundKnees:
    """The results of the sweeps over one queue: one knee per seed."""

    servers: Servers
    knees: tuple[Knee, ...]

    @property
    def right(self) -> int:
        """The number of correct sweeps: a knee within one step of the true one, or the right reason for none."""
        return sum(is_right(self.servers, knee) for knee in self.knees)

    @property
    def holds(self) -> bool:
        """Whether every sweep is correct."""
        return self.right == len(self.knees)


def is_right(servers: Servers, knee: Knee) -> bool:
    """Whether a sweep found the true knee within one step, or gave the right reason for none."""
    if servers.expected is not None:
        return knee.point is None and knee.reason is servers.expected
    return knee.point is not None and abs(log2(knee.point.queue_depth / servers.number)) <= 1


def find_knees(cases: Sequence[Servers] = CASES, seeds: Sequence[int] = SEEDS) -> Iterator[FoundKnees]:
    """Sweeps over every queue with every seed."""
    for servers in cases:
        yield FoundKnees(servers, tuple(_knee(servers, seed) for seed in seeds))


def _knee(servers: Servers, seed: int) -> Knee:
    model = load_model("mmc").parameters | {"servers": servers.number, "service": servers.service}
    with SimulatedDrive(model, seed) as drive:
        return find_knee([_point(drive, model["service_ns"], servers.number, depth, seed) for depth in DEPTHS])


def _point(drive: SimulatedDrive, service_ns: int, servers: int, depth: int, seed: int) -> DepthPoint:
    measure_ns = OPERATIONS * service_ns // min(depth, servers)
    repeats = []
    for repeat in range(REPEATS):
        measured = drive.run(
            seed=seed * REPEATS + repeat,
            queue_depth=depth,
            warmup_ns=measure_ns // 20,
            measure_ns=measure_ns,
            interval_ns=measure_ns,
        )
        repeats.append((measured.service.count * SECOND_NS / measured.measured_ns, measured.service.mean_ns))
    rates, waits = zip(*repeats, strict=True)
    return DepthPoint(depth, sum(rates) / REPEATS, sum(waits) / REPEATS, repeats=tuple(repeats))
