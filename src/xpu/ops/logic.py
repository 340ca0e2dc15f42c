"""Comparisons, truth, and questions to floating-point numbers."""

from __future__ import annotations

from typing import Any

from ..apply import apply
from ..array import Array
from ..lazy.operations import TABLE
from ..reduce import reduce

__all__ = [
    "all",
    "any",
    "copysign",
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "nextafter",
    "not_equal",
    "signbit",
]


def equal(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 == x2``."""
    return apply(TABLE["equal"], x1, x2)


def not_equal(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 != x2``."""
    return apply(TABLE["not_equal"], x1, x2)


def less(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 < x2``."""
    return apply(TABLE["less"], x1, x2)


def less_equal(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 <= x2``."""
    return apply(TABLE["less_equal"], x1, x2)


def greater(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 > x2``."""
    return apply(TABLE["greater"], x1, x2)


def greater_equal(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 >= x2``."""
    return apply(TABLE["greater_equal"], x1, x2)


def logical_and(x1: Any, x2: Any, /) -> Array:
    """Return whether both are true."""
    return apply(TABLE["logical_and"], x1, x2)


def logical_or(x1: Any, x2: Any, /) -> Array:
    """Return whether either is true."""
    return apply(TABLE["logical_or"], x1, x2)


def logical_xor(x1: Any, x2: Any, /) -> Array:
    """Return whether just one is true."""
    return apply(TABLE["logical_xor"], x1, x2)


def logical_not(x: Array, /) -> Array:
    """Return whether it is false."""
    return apply(TABLE["logical_not"], x)


def isnan(x: Array, /) -> Array:
    """Return whether elements are NaN."""
    return apply(TABLE["isnan"], x)


def isinf(x: Array, /) -> Array:
    """Return whether elements are infinite."""
    return apply(TABLE["isinf"], x)


def isfinite(x: Array, /) -> Array:
    """Return whether elements are neither infinite nor NaN."""
    return apply(TABLE["isfinite"], x)


def signbit(x: Array, /) -> Array:
    """Return whether the sign bit is set (also of -0.0)."""
    return apply(TABLE["signbit"], x)


def copysign(x1: Any, x2: Any, /) -> Array:
    """Return ``x1`` with the sign of ``x2``."""
    return apply(TABLE["copysign"], x1, x2)


def nextafter(x1: Any, x2: Any, /) -> Array:
    """Return the next number from ``x1`` towards ``x2``."""
    return apply(TABLE["nextafter"], x1, x2)


def any(x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Return whether any element is true (NaN is), over all axes or the given ones; False for none."""
    return reduce("any", x, axis, keepdims)


def all(x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Return whether all elements are true, over all axes or the given ones; True for none."""
    return reduce("all", x, axis, keepdims)
