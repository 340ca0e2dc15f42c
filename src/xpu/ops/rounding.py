"""Rounding."""

from __future__ import annotations

import builtins

from ..apply import apply, check_arrays
from ..array import Array
from ..errors import UnsupportedDTypeError
from ..lazy.operations import TABLE

__all__ = [
    "around",
    "ceil",
    "fix",
    "floor",
    "rint",
    "round",
    "trunc",
]


def floor(x: Array, /) -> Array:
    """Return the largest integers not above."""
    return apply(TABLE["floor"], x)


def ceil(x: Array, /) -> Array:
    """Return the smallest integers not below."""
    return apply(TABLE["ceil"], x)


def trunc(x: Array, /) -> Array:
    """Return the integers next towards zero."""
    return apply(TABLE["trunc"], x)


def rint(x: Array, /) -> Array:
    """Return the nearest integers, ties to even."""
    return apply(TABLE["rint"], x)


def round(x: Array, /, decimals: int = 0) -> Array:
    """Return values rounded to ``decimals`` decimal places, ties to even.

    As in NumPy, other places than the first are found by scaling, so that ``round(2.675, 2)`` sees the binary number.
    """
    check_arrays("round", x)
    kind = x.dtype.kind
    if kind == "b":
        raise UnsupportedDTypeError("round is not defined for bool")
    if kind in "iu" and decimals >= 0:
        return apply(TABLE["positive"], x)
    if kind in "iu":
        scale = _power_of_ten(-decimals)
        return (apply(TABLE["rint"], x / scale) * scale).astype(x.dtype)
    if decimals == 0:
        return apply(TABLE["rint"], x)
    scale = _power_of_ten(builtins.abs(decimals))
    if decimals > 0:
        return apply(TABLE["rint"], x * scale) / scale
    return apply(TABLE["rint"], x / scale) * scale


def _power_of_ten(exponent: int) -> float:
    return 10.0**exponent if exponent < 309 else float("inf")


around = round
fix = trunc
