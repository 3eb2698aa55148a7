"""Whether an open loop achieves the requested arrival rate in real time, on the null engine."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.process import EngineProcess
from verify.compared import Compared
from verify.simulated import JOB, SECOND_NS, events_of

RATES_PER_S: Final = (100_000, 300_000, 600_000)
SECONDS: Final = 10
ANSWER_S_MAX: Final = 60.0


@dataclass(frozen=True)
class Delivered(Compared):
    """Requested and achieved operations per second. ``own_lag_ns_max`` is the largest lag of the engine."""

    SHARE_MAX: ClassVar[float] = 0.005
    """The count of 1,000,000 Poisson arrivals has a standard deviation of 1,000, a tenth of a percent."""

    arrivals: str
    own_lag_ns_max: int


def delivered() -> Iterator[Delivered]:
    """Each rate, with both kinds of arrivals."""
    process = EngineProcess([find_engine()])
    try:
        process.receive(ANSWER_S_MAX)
        opened = {"id": 1, "command": "open", "kind": "null", "access": "write", "create": False, "direct": True}
        process.send({**opened, "size_bytes": 1 << 30})
        process.receive(ANSWER_S_MAX)
        for arrivals in ("poisson", "constant"):
            for rate_per_s in RATES_PER_S:
                yield _deliver(process, arrivals, rate_per_s)
    finally:
        process.end()


def _deliver(process: EngineProcess, arrivals: str, rate_per_s: int) -> Delivered:
    job: dict[str, Any] = {
        **JOB,
        "engine": "null",
        "queue_depth": 64,
        "span_bytes": 1 << 30,
        "warmup_ns": SECOND_NS,
        "measure_ns": SECONDS * SECOND_NS,
        "pace": {"rate_per_s": rate_per_s, "arrivals": arrivals},
    }
    count, lag_ns_sum, lag_ns_max = 0, 0, 0
    for event in events_of(process, 2, job, ANSWER_S_MAX):
        if event["type"] == "interval" and event["interval"]["phase"] == "measure":
            totals = event["interval"]["operations"]["read"]
            count += totals["count"]
            lag_ns_sum += totals["host_lag"]["ns_sum"]
            lag_ns_max = max(lag_ns_max, totals["host_lag"]["ns_max"])
    measured_ns = event["result"]["measured_ns"]
    return Delivered(rate_per_s, count * SECOND_NS / measured_ns, lag_ns_sum / count, arrivals, lag_ns_max)
