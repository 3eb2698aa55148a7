"""Student's t distribution, compared with SciPy over a wide grid."""

from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, ndtri, stdtrit

from iosonde.analysis.student import t_quantile, t_tail

DEGREES = (
    1,
    1.1,
    1.5,
    2,
    2.7,
    3,
    4.4,
    7,
    10.3,
    19,
    29,
    29.9,
    50,
    150.7,
    199.9,
    200,
    201,
    999.5,
    9999.9,
    1e4,
    1e6,
    1e12,
)
DISTANCES = (1e-9, 1e-3, 0.1, 0.5, 1, 1.2, 1.5, 1.7, 2, 3, 5, 10, 20, 38, 100)
TAILS = (0.49, 0.4, 0.25, 0.1, 0.05, 0.0325, 0.025, 0.0175, 0.005, 5e-5, 1e-6, 1e-9, 1e-12)
PRECISION = 1e-12

degrees_of_freedom = st.floats(min_value=1.0, max_value=5000.0)
tails = st.floats(min_value=1e-10, max_value=0.499)


@pytest.mark.parametrize(("degrees", "tail"), [*product(DEGREES, TAILS)])
def test_a_quantile_is_that_of_scipy(degrees: float, tail: float) -> None:
    assert t_quantile(degrees, tail) == pytest.approx(-stdtrit(degrees, tail), rel=PRECISION)


@pytest.mark.parametrize(("degrees", "distance"), [*product((each for each in DEGREES if each <= 1e4), DISTANCES)])
def test_a_tail_is_that_of_scipy(degrees: float, distance: float) -> None:
    # SciPy's stdtr has errors of up to 3e-9, so this uses betainc. Near 0, degrees / far would round to 1.
    far, square = degrees + distance**2, distance**2
    middle = 0.5 - betainc(0.5, degrees / 2, square / far) / 2
    expected = middle if distance < 1 else betainc(degrees / 2, 0.5, degrees / far) / 2
    assert t_tail(degrees, distance) == pytest.approx(expected, rel=PRECISION, abs=1e-290)


@given(degrees_of_freedom, tails)
def test_a_quantile_is_exceeded_as_often_as_asked(degrees: float, tail: float) -> None:
    assert t_tail(degrees, t_quantile(degrees, tail)) == pytest.approx(tail, rel=1e-11)


@given(degrees_of_freedom, tails)
def test_a_quantile_grows_as_the_tail_or_the_degrees_of_freedom_shrink(degrees: float, tail: float) -> None:
    assert t_quantile(degrees, tail * 0.99) > t_quantile(degrees, tail) > t_quantile(degrees * 1.01, tail)


@pytest.mark.parametrize("tail", TAILS)
def test_without_end_of_degrees_of_freedom_the_quantile_is_that_of_the_normal_distribution(tail: float) -> None:
    assert t_quantile(inf, tail) == pytest.approx(-ndtri(tail), rel=PRECISION)


def test_half_of_all_are_above_0_and_none_is_beyond_every_distance() -> None:
    assert t_tail(5.0, 0.0) == 0.5
    assert t_tail(5.0, 1e300) == 0.0
