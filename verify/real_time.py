"""One exponential server in real time against the closed form of M/M/1, through the worker that drives real rings."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from verify.queueing_theory import mmc_response, quantile
from verify.simulated import JOB, SECOND_NS, Times

ENGINE: Final = Path(__file__).parent.parent / "engine"
SERVICE_NS: Final = 100_000
LOAD: Final = 0.5
SECONDS: Final = 120
SHARE_MAX: Final = 0.02
"""Of 600,000 arrivals the mean strays by half a percent at one standard deviation, for want of more of them."""

P99: Final = 0.99


@dataclass(frozen=True)
class Answered:
    """What the response came to, in services, beside what theory says."""

    figure: str
    arrivals: int
    expected: float
    measured: float
    own_lag_ns_mean: float

    @property
    def off(self) -> float:
        """How far it is off, as a share of what was expected."""
        return self.measured / self.expected - 1

    @property
    def holds(self) -> bool:
        """Whether it is within two percent."""
        return abs(self.off) <= SHARE_MAX


def answered() -> list[Answered]:
    """Mean and p99 of one run."""
    found = _run()
    times = Times(count=found["count"], ns_sum=found["response_ns_sum"])
    times.buckets.update(dict(found["buckets"]))
    mean, below = mmc_response(LOAD, 1)
    lag_ns_mean = found["host_lag_ns_sum"] / times.count
    return [
        Answered("mean", times.count, mean, times.mean_ns / SERVICE_NS, lag_ns_mean),
        Answered("p99", times.count, quantile(below, P99), times.quantile_ns(P99) / SERVICE_NS, lag_ns_mean),
    ]


def _run() -> dict[str, Any]:
    job = {
        **JOB,
        "engine": "null",
        "queue_depth": 1024,
        "warmup_ns": SECOND_NS,
        "measure_ns": SECONDS * SECOND_NS,
        "interval_ns": SECONDS * SECOND_NS,
        "pace": {"rate_per_s": round(LOAD * SECOND_NS / SERVICE_NS), "arrivals": "poisson"},
    }
    words = ["cargo", "bench", "--quiet", "--locked", "--bench", "real_time", "--", json.dumps(job), str(SERVICE_NS)]
    answer = subprocess.run(words, cwd=ENGINE, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found
