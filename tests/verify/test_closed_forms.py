"""Response times of open queues on simulated drives agree with queueing theory: a short ``make verify``."""

from math import log

import pytest

from verify.closed_forms import QUEUES, SEEDS, Queue, compare
from verify.queueing_theory import md1_response, mmc_response, quantile

LOAD = 0.5
ARRIVALS = 100_000


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.name)
def test_the_interval_of_thirty_seeds_contains_the_closed_form_and_is_narrow(queue: Queue) -> None:
    assert len(SEEDS) == 30
    for compared in compare(queue, LOAD, ARRIVALS):
        assert compared.holds, compared


@pytest.mark.parametrize("load", [0.1, 0.5, 0.8, 0.95])
def test_the_response_of_m_m_1_is_exponential(load: float) -> None:
    mean, below = mmc_response(load, 1)
    assert mean == pytest.approx(1 / (1 - load))
    assert quantile(below, 0.99) == pytest.approx(-log(0.01) / (1 - load))


def test_a_queue_with_many_servers_and_little_load_only_serves() -> None:
    mean, below = mmc_response(0.01, 64)
    assert mean == pytest.approx(1.0)
    assert quantile(below, 0.99) == pytest.approx(-log(0.01), rel=1e-6)


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_the_distribution_of_m_d_1_has_the_mean_of_pollaczek_and_khinchine(load: float) -> None:
    mean, below = md1_response(load)
    # The mean of a nonnegative variable is the integral of its survival function.
    step = 0.1
    beyond = (1 - below((number + 0.5) * step) for number in range(int(60 / step)))
    assert sum(beyond) * step == pytest.approx(mean, rel=2e-3)
