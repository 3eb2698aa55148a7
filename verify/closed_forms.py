"""Compares open queues on simulated drives with the closed forms of queueing theory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Final

from scipy.special import stdtrit

from iosonde.plans.models import load_model
from verify.kept import ClosedForm
from verify.queueing_theory import md1_response, mmc_response, quantile
from verify.simulated import SECOND_NS, SimulatedDrive

SEEDS: Final = tuple(range(1, 31))
CONFIDENCE: Final = 0.99
P99: Final = 0.99
# Arrivals above this depth wait in the engine. The response latency includes that wait.
QUEUE_DEPTH: Final = 1024


@dataclass(frozen=True)
class Queue:
    """A shipped model. ``theory`` returns mean and distribution of its response time at a load."""

    name: str
    model: str
    theory: Callable[[float], tuple[float, Callable[[float], float]]]


QUEUES: Final = (
    Queue("M/M/1", "mm1", lambda load: mmc_response(load, 1)),
    Queue("M/D/1", "md1", md1_response),
    Queue("M/M/4", "mmc", lambda load: mmc_response(load, 4)),
)


def compare(queue: Queue, load: float, arrivals: int, seeds: Sequence[int] = SEEDS) -> Iterator[ClosedForm]:
    """Measures a queue at a load with each seed, and compares mean and p99 of the response time."""
    found = [_measure(queue, load, arrivals, seed) for seed in seeds]
    mean, below = queue.theory(load)
    for figure, expected, values in (
        ("mean", mean, [each[0] for each in found]),
        ("p99", quantile(below, P99), [each[1] for each in found]),
    ):
        reach = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * stdev(values) / sqrt(len(values))
        yield ClosedForm(queue.name, queue.model, load, arrivals, figure, expected, fmean(values), reach)


def _measure(queue: Queue, load: float, arrivals: int, seed: int) -> tuple[float, float]:
    model = load_model(queue.model).parameters
    service_ns: int = model["service_ns"]
    rate_per_s = round(load * model["servers"] * SECOND_NS / service_ns)
    measure_ns = arrivals * SECOND_NS // rate_per_s
    with SimulatedDrive(model, seed) as drive:
        measured = drive.run(
            seed=seed,
            queue_depth=QUEUE_DEPTH,
            pace={"rate_per_s": rate_per_s, "arrivals": "poisson"},
            # The queue starts empty. A twentieth of the arrivals is much longer than the transient.
            warmup_ns=measure_ns // 20,
            measure_ns=measure_ns,
            interval_ns=measure_ns,
        )
    return measured.response.mean_ns / service_ns, measured.response.quantile_ns(P99) / service_ns
