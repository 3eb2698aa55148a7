"""Compares one exponential server in real time with the closed form of M/M/1, with the worker for real rings."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from verify.compared import Compared
from verify.queueing_theory import mmc_response, quantile
from verify.simulated import JOB, SECOND_NS, Times

ENGINE: Final = Path(__file__).parent.parent / "engine"
SERVICE_NS: Final = 100_000
LOAD: Final = 0.5
SECONDS: Final = 120
P99: Final = 0.99


@dataclass(frozen=True)
class Answered(Compared):
    """The measured response time and that of theory, in units of the service time."""

    SHARE_MAX: ClassVar[float] = 0.02
    """The mean over 600,000 arrivals has a standard deviation of half a percent."""

    figure: str
    arrivals: int


def answered() -> list[Answered]:
    """Mean and p99 of one run."""
    found = _run()
    times = Times(count=found["count"], ns_sum=found["response_ns_sum"])
    times.buckets.update(dict(found["buckets"]))
    mean, below = mmc_response(LOAD, 1)
    lag_ns_mean = found["host_lag_ns_sum"] / times.count
    return [
        Answered(mean, times.mean_ns / SERVICE_NS, lag_ns_mean, "mean", times.count),
        Answered(quantile(below, P99), times.quantile_ns(P99) / SERVICE_NS, lag_ns_mean, "p99", times.count),
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
