"""Closed forms of queueing theory: the response time of an open queue, its mean and its percentiles.

Gross, Shortle, Thompson and Harris, Fundamentals of Queueing Theory, 4th edition (2008): M/M/1 in section 2.2, M/M/c in
2.3; the waiting time of M/D/1 by Erlang, as in Iversen, Teletraffic Engineering Handbook (2010), section 10.4.
Times are in units of the mean service time. A load is a share of the servers' capacity.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import exp, factorial, isclose

from scipy.optimize import brentq

# The terms of M/D/1 alternate and grow like exp(2 t) before they cancel: each unit of time costs less than a digit.
DIGITS = 40
TIME_MAX = 400.0


def mmc_response(load: float, servers: int) -> tuple[float, Callable[[float], float]]:
    """Mean and distribution of the response time of M/M/c; M/M/1 with one server."""
    offered = load * servers
    wait = _erlang_c(offered, servers)
    theta = servers - offered  # The rate at which waiting ends, for those who wait.

    def below(time: float) -> float:
        if isclose(theta, 1.0):
            both = (1.0 + time) * exp(-time)
        else:
            both = (theta * exp(-time) - exp(-theta * time)) / (theta - 1.0)
        return 1.0 - (1.0 - wait) * exp(-time) - wait * both

    return 1.0 + wait / theta, below


def md1_response(load: float) -> tuple[float, Callable[[float], float]]:
    """Mean and distribution of the response time of M/D/1."""

    def below(time: float) -> float:
        waited = time - 1.0
        if waited < 0.0:
            return 0.0
        with localcontext() as context:
            context.prec = DIGITS + int(waited)
            rate, wait, total = Decimal(load), Decimal(waited), Decimal(0)
            for number in range(int(waited) + 1):
                argument = rate * (number - wait)
                total += argument**number / factorial(number) * (-argument).exp() if argument else Decimal(number == 0)
            return float((1 - rate) * total)

    return 1.0 + load / (2.0 * (1.0 - load)), below


def quantile(below: Callable[[float], float], share: float) -> float:
    """The time below which a share of responses lies."""
    return float(brentq(lambda time: below(time) - share, 1e-9, TIME_MAX, xtol=1e-10))


def _erlang_c(offered: float, servers: int) -> float:
    """The share of arrivals that wait."""
    terms = [offered**number / factorial(number) for number in range(servers)]
    last = offered**servers / factorial(servers) * servers / (servers - offered)
    return last / (sum(terms) + last)
