"""Arithmetic, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import apply as _apply
from ..apply import apply
from ..array import Array
from ..lazy.operations import TABLE

__all__ = [
    "abs",
    "add",
    "clip",
    "divide",
    "divmod",
    "fabs",
    "float_power",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "heaviside",
    "lcm",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "positive",
    "pow",
    "reciprocal",
    "remainder",
    "sign",
    "square",
    "subtract",
]


def add(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 + x2``; logical or for bool."""
    return apply(TABLE["add"], x1, x2)


def subtract(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 - x2``; not defined for bool."""
    return apply(TABLE["subtract"], x1, x2)


def multiply(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 * x2``; logical and for bool."""
    return apply(TABLE["multiply"], x1, x2)


def divide(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 / x2``; integers give floating-point numbers."""
    return apply(TABLE["divide"], x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 // x2``, rounded towards minus infinity; integers divided by zero give 0."""
    return apply(TABLE["floor_divide"], x1, x2)


def remainder(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 % x2``, with the sign of ``x2``; integers divided by zero give 0."""
    return apply(TABLE["remainder"], x1, x2)


def fmod(x1: Any, x2: Any, /) -> Array:
    """Return the remainder with the sign of ``x1``, as C does."""
    return apply(TABLE["fmod"], x1, x2)


def negative(x: Array, /) -> Array:
    """Return ``-x``."""
    return apply(TABLE["negative"], x)


def positive(x: Array, /) -> Array:
    """Return ``+x``: a copy."""
    return apply(TABLE["positive"], x)


def abs(x: Array, /) -> Array:
    """Return absolute values; of complex numbers the magnitudes."""
    return apply(TABLE["abs"], x)


def fabs(x: Array, /) -> Array:
    """Return absolute values as floating-point numbers."""
    return apply(TABLE["fabs"], x)


def square(x: Array, /) -> Array:
    """Return ``x * x``."""
    return apply(TABLE["square"], x)


def reciprocal(x: Array, /) -> Array:
    """Return ``1 / x`` in the dtype of ``x``."""
    return apply(TABLE["reciprocal"], x)


def sign(x: Array, /) -> Array:
    """Return -1, 0 or 1 by the sign; NaN stays; of complex numbers ``x / abs(x)``."""
    return apply(TABLE["sign"], x)


def float_power(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 ** x2`` in float64 or complex128."""
    return apply(TABLE["float_power"], x1, x2)


def maximum(x1: Any, x2: Any, /) -> Array:
    """Return the larger of each pair; NaN wins."""
    return apply(TABLE["maximum"], x1, x2)


def minimum(x1: Any, x2: Any, /) -> Array:
    """Return the smaller of each pair; NaN wins."""
    return apply(TABLE["minimum"], x1, x2)


def fmax(x1: Any, x2: Any, /) -> Array:
    """Return the larger of each pair; NaN loses."""
    return apply(TABLE["fmax"], x1, x2)


def fmin(x1: Any, x2: Any, /) -> Array:
    """Return the smaller of each pair; NaN loses."""
    return apply(TABLE["fmin"], x1, x2)


def heaviside(x1: Any, x2: Any, /) -> Array:
    """Return 0 where ``x1 < 0``, ``x2`` where it is 0, and 1 above."""
    return apply(TABLE["heaviside"], x1, x2)


def gcd(x1: Any, x2: Any, /) -> Array:
    """Return the greatest common divisors of integers."""
    return apply(TABLE["gcd"], x1, x2)


def lcm(x1: Any, x2: Any, /) -> Array:
    """Return the least common multiples of integers."""
    return apply(TABLE["lcm"], x1, x2)


def pow(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 ** x2``.

    Raises
    ------
    ValueError
        For integers raised to negative integers.
    """
    return _apply.power(x1, x2)


def divmod(x1: Any, x2: Any, /) -> tuple[Array, Array]:
    """Return ``(x1 // x2, x1 % x2)``."""
    return floor_divide(x1, x2), remainder(x1, x2)


def clip(x: Array, /, min: Any = None, max: Any = None) -> Array:
    """Limit values to an interval.

    Parameters
    ----------
    x : Array
        Real numbers.
    min, max : Array, number, or None
        Bounds, broadcast against ``x``; None leaves a side open, and so does a Python integer beyond the dtype on that
        side. Where ``min > max`` the result is ``max``; NaN in any of them gives NaN.

    Returns
    -------
    Array
        In the dtype of ``x`` promoted with the bounds.
    """
    result = x
    if isinstance(x, Array) and x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        min = None if type(min) is int and min < limits.min else min
        max = None if type(max) is int and max > limits.max else max
    if min is not None:
        result = maximum(result, min)
    if max is not None:
        result = minimum(result, max)
    return result if result is not x else positive(x)
