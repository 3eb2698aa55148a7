"""Student's t distribution: its upper tail probability and its quantiles.

The upper tail is half a regularised incomplete beta function, which has a continued fraction (Abramowitz and Stegun,
Handbook of Mathematical Functions, 1964, 26.5.8, 26.7.1 and 26.7.5). SciPy has both functions, but takes 145 MB and
0.17 s to import. The tests use it as a reference.
"""

from math import exp, gamma, log, log1p, pi, sqrt
from typing import Final

_ALMOST_NORMAL: Final = 1e4
"""From this number of degrees of freedom on, the expansion around the normal distribution is exact to a float."""

_GAMMA_MAX: Final = 100.0
"""Above this value, the ratio of two gamma functions is computed by its series, because the functions overflow."""

_FAR: Final = 1e150
"""The square of a larger distance overflows a float."""

_MIDDLE: Final = 0.5
_STEPS_MAX: Final = 30
_PRECISE: Final = 1e-15
_TERMS_MAX: Final = 10_000
_ROUNDING: Final = 2.0**-53


def t_tail(degrees: float, distance: float) -> float:
    """The probability that Student's t exceeds ``distance``, which is at least 0."""
    half, square = degrees / 2, min(distance, _FAR) ** 2 / degrees
    # Use the fraction that converges.
    if square * (half + 1) > 1.5:  # noqa: PLR2004 - (a + 1) / (a + b + 2) of the handbook, with b a half
        return _front(half, square) * _fraction(half, _MIDDLE, 1 / (1 + square)) / degrees
    return _MIDDLE - _front(half, square) * _fraction(_MIDDLE, half, square / (1 + square))


def t_quantile(degrees: float, tail: float) -> float:
    """The distance that Student's t exceeds with probability ``tail``, between 0 and 0.5."""
    # Imported here: it takes 10 ms, which neither --help nor a probe should pay.
    from statistics import NormalDist

    normal = -NormalDist().inv_cdf(tail)
    if degrees >= _ALMOST_NORMAL:
        return _around_normal(degrees, normal)
    # The logarithm of the probability is a concave, decreasing function of the logarithm of the distance. The first
    # step of Newton's method may overshoot, and all later steps converge from that side.
    distance = normal
    for _ in range(_STEPS_MAX):
        chance = t_tail(degrees, distance)
        step = log(chance / tail) * chance / _front(degrees / 2, distance * distance / degrees)
        distance *= exp(step)
        if abs(step) < _PRECISE:
            break
    return distance


def _around_normal(degrees: float, normal: float) -> float:
    """The quantile by its expansion around that of the normal distribution."""
    square = normal * normal
    terms = (
        (square + 1) / (4 * degrees),
        ((5 * square + 16) * square + 3) / (96 * degrees**2),
        (((3 * square + 19) * square + 17) * square - 15) / (384 * degrees**3),
    )
    return normal * (1 + sum(terms))


def _front(half: float, square: float) -> float:
    """The factor before the fraction. It is also the density of t at the distance, times the distance."""
    return exp(-(half + _MIDDLE) * log1p(square)) * sqrt(square / pi) * _gamma_ratio(half)


def _gamma_ratio(value: float) -> float:
    """Gamma(value + 1/2) / Gamma(value)."""
    if value < _GAMMA_MAX:
        return gamma(value + _MIDDLE) / gamma(value)
    # Tricomi and Erdelyi (1951): around this centre, the odd terms are 0.
    inverse = 1 / (value - 0.25) ** 2
    return sqrt(value - 0.25) * (1 + inverse / 64 - 19 * inverse**2 / 8192)


def _fraction(first: float, second: float, share: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Thompson and Barnett, 1986)."""
    above, below = 1.0, 1 / (1 - (first + second) * share / (first + 1))
    result = below
    for term in range(1, _TERMS_MAX):
        twice = first + 2 * term
        for part in (
            term * (second - term) * share / ((twice - 1) * twice),
            -(first + term) * (first + second + term) * share / (twice * (twice + 1)),
        ):
            below = 1 / (1 + part * below)
            above = 1 + part / above
            result *= above * below
        if abs(above * below - 1) <= 2 * _ROUNDING:
            break
    return result
