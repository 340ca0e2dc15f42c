"""Powers of e, logarithms, roots."""

from __future__ import annotations

from typing import Any

from ..apply import apply
from ..array import Array
from ..lazy.operations import TABLE

__all__ = [
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "sqrt",
]


def exp(x: Array, /) -> Array:
    """Return ``e ** x``."""
    return apply(TABLE["exp"], x)


def exp2(x: Array, /) -> Array:
    """Return ``2 ** x``."""
    return apply(TABLE["exp2"], x)


def expm1(x: Array, /) -> Array:
    """Return ``exp(x) - 1``, accurate near zero."""
    return apply(TABLE["expm1"], x)


def log(x: Array, /) -> Array:
    """Return natural logarithms."""
    return apply(TABLE["log"], x)


def log2(x: Array, /) -> Array:
    """Return logarithms to base 2."""
    return apply(TABLE["log2"], x)


def log10(x: Array, /) -> Array:
    """Return logarithms to base 10."""
    return apply(TABLE["log10"], x)


def log1p(x: Array, /) -> Array:
    """Return ``log(1 + x)``, accurate near zero."""
    return apply(TABLE["log1p"], x)


def logaddexp(x1: Any, x2: Any, /) -> Array:
    """Return ``log(exp(x1) + exp(x2))`` without overflow."""
    return apply(TABLE["logaddexp"], x1, x2)


def logaddexp2(x1: Any, x2: Any, /) -> Array:
    """Return ``log2(2**x1 + 2**x2)`` without overflow."""
    return apply(TABLE["logaddexp2"], x1, x2)


def sqrt(x: Array, /) -> Array:
    """Return non-negative square roots; NaN for negative real numbers."""
    return apply(TABLE["sqrt"], x)


def cbrt(x: Array, /) -> Array:
    """Return real cube roots."""
    return apply(TABLE["cbrt"], x)
