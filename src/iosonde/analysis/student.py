"""Student's t: how often chance exceeds a distance, and the distance that it exceeds so often.

The upper tail is half a regularised incomplete beta function, which has a continued fraction (Abramowitz and Stegun,
Handbook of Mathematical Functions, 1964, 26.5.8, 26.7.1 and 26.7.5). SciPy has both functions; it takes 145 MB and a
sixth of a second to import, and is the oracle of the tests.
"""

from math import exp, gamma, log, log1p, pi, sqrt
from typing import Final

_ALMOST_NORMAL: Final = 1e4
"""From so many degrees of freedom on, the expansion around the normal distribution is as exact as a float."""

_GAMMA_MAX: Final = 100.0
"""Beyond it the ratio of two gamma functions is taken from its series, as the functions themselves overflow."""

_FAR: Final = 1e150
"""Of a larger distance the square is no float."""

_MIDDLE: Final = 0.5
_STEPS_MAX: Final = 30
_PRECISE: Final = 1e-15
_TERMS_MAX: Final = 10_000
_ROUNDING: Final = 2.0**-53


def t_tail(degrees: float, distance: float) -> float:
    """The chance that Student's t with so many degrees of freedom is larger than ``distance``, 0 or more."""
    half, square = degrees / 2, min(distance, _FAR) ** 2 / degrees
    # Of the two fractions, the one that converges.
    if square * (half + 1) > 1.5:  # noqa: PLR2004 - (a + 1) / (a + b + 2) of the handbook, with b a half
        return _front(half, square) * _fraction(half, _MIDDLE, 1 / (1 + square)) / degrees
    return _MIDDLE - _front(half, square) * _fraction(_MIDDLE, half, square / (1 + square))


def t_quantile(degrees: float, tail: float) -> float:
    """The distance that Student's t exceeds with the chance ``tail``, above 0 and below a half."""
    # Imported here: it takes 10 ms, which neither --help nor a probe should pay.
    from statistics import NormalDist

    normal = -NormalDist().inv_cdf(tail)
    if degrees >= _ALMOST_NORMAL:
        return _around_normal(degrees, normal)
    # The logarithm of the chance falls ever faster with that of the distance: the first step of Newton's may go too
    # far, and each later one comes back without passing the place.
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
    """What stands before the fraction; also the density of t at the distance, times the distance."""
    return exp(-(half + _MIDDLE) * log1p(square)) * sqrt(square / pi) * _gamma_ratio(half)


def _gamma_ratio(value: float) -> float:
    """Gamma(value + 1/2) / Gamma(value)."""
    if value < _GAMMA_MAX:
        return gamma(value + _MIDDLE) / gamma(value)
    # Tricomi and Erdelyi (1951): around this middle, the odd terms are 0.
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
