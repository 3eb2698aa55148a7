"""A simulated drive, used directly through the engine's protocol."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from iosonde.analysis.histogram import low_and_width
from iosonde.records import Layout
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.process import EngineProcess

SILENT_S_MAX: Final = 3600.0
SECOND_NS: Final = 10**9
JOB: Final[dict[str, Any]] = {
    "engine": "simulation",
    "pattern": "random",
    "read_percent": 100,
    "block_size_bytes": 4096,
    "queue_depth": 1,
    "jobs": 1,
    "targets": 1,
    "sync": "none",
    "data": "zeros",
    "seed": 1,
    "span_bytes": 1 << 20,
    "warmup_ns": 0,
    "measure_ns": SECOND_NS,
    "interval_ns": SECOND_NS,
    "pace": None,
    "amount_bytes": None,
}


@dataclass
class Times:
    """Latencies of one kind, summed over intervals: their number, their sum, and their counts by bucket."""

    count: int = 0
    ns_sum: int = 0
    buckets: Counter[int] = field(default_factory=Counter)

    def add(self, ns_sum: int, histogram: dict[str, Any]) -> None:
        """Adds those of an interval."""
        self.ns_sum += ns_sum
        for bucket, count in zip(histogram["bucket"], histogram["count"], strict=True):
            self.buckets[bucket] += count
            self.count += count

    @property
    def mean_ns(self) -> float:
        """The exact mean, not from buckets."""
        return self.ns_sum / self.count

    def quantile_ns(self, share: float) -> float:
        """The time below which this share of them is, interpolated within its bucket.

        Reports use the midpoint of the bucket, whose error of up to 0.4 % is too large to test a closed form.
        """
        wanted, below = share * self.count, 0
        for bucket in sorted(self.buckets):
            count = self.buckets[bucket]
            if below + count >= wanted:
                low, width = low_and_width(Layout(), bucket)
                return low + width * (wanted - below) / count
            below += count
        raise AssertionError(share)


@dataclass
class Measured:
    """The results of a job on a simulated drive."""

    response: Times
    service: Times
    in_flight_ns: int
    measured_ns: int
    drives: list[dict[str, Any]]


def events_of(
    process: EngineProcess, number: int, job: dict[str, Any], silent_s_max: float
) -> Iterator[dict[str, Any]]:
    """Runs a job on the engine, and yields its events. The last one is ``finished``."""
    process.send({"id": number, "command": "run", "job": job})
    while True:
        event = process.receive(silent_s_max)
        assert event["type"] != "error", event
        yield event
        if event["type"] == "finished":
            return


class SimulatedDrive:
    """One simulated drive in its own engine process."""

    def __init__(self, model: dict[str, Any], seed: int) -> None:
        self._engine = EngineProcess([find_engine()])
        self._engine.receive(SILENT_S_MAX)
        self._engine.send({"id": 1, "command": "open", "kind": "simulation", "model": model, "seed": seed})
        opened = self._engine.receive(SILENT_S_MAX)
        assert opened["type"] != "error", opened
        self._jobs = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._engine.end()

    def run(self, **changes: Any) -> Measured:
        """Runs ``JOB`` with these fields changed."""
        measured = Measured(Times(), Times(), 0, 0, [])
        self._jobs += 1
        for event in events_of(self._engine, self._jobs, {**JOB, **changes}, SILENT_S_MAX):
            if event["type"] == "interval" and event["interval"]["phase"] == "measure":
                measured.in_flight_ns += event["interval"]["in_flight_ns"]
                for totals in event["interval"]["operations"].values():
                    measured.service.add(totals["latency_ns_sum"], totals["latency"])
                    if "response" in totals:
                        measured.response.add(totals["response"]["ns_sum"], totals["response"]["histogram"])
        result = event["result"]
        assert result["outcome"] == "finished", result["failure"]
        measured.measured_ns = result["measured_ns"]
        measured.drives = result["drives"]
        return measured
