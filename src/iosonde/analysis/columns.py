"""Columns of flat tables: NumPy arrays whose type does not depend on their values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]
Table = dict[str, Column]


def text(values: Sequence[Any]) -> Column:
    """Strings, or None."""
    return np.array(values, dtype=object)


def integer(values: Sequence[Any]) -> Column:
    """Integers without missing values."""
    return np.array(values, dtype=np.int64)


def unsigned(values: Sequence[Any]) -> Column:
    """Integers up to 2^64 - 1 without missing values."""
    return np.array(values, dtype=np.uint64)


def real(values: Sequence[Any]) -> Column:
    """Floating-point numbers; NaN for a missing value."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def maybe_integer(values: Sequence[Any]) -> Column:
    """Integers; masked for a missing value."""
    missing = [value is None for value in values]
    return np.ma.array([value or 0 for value in values], mask=missing, dtype=np.int64)
