"""Circular and hyperbolic functions; angles are radians."""

from __future__ import annotations

from typing import Any

from ..apply import apply
from ..array import Array
from ..lazy.operations import TABLE

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "hypot",
    "rad2deg",
    "radians",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


def sin(x: Array, /) -> Array:
    """Return sines."""
    return apply(TABLE["sin"], x)


def cos(x: Array, /) -> Array:
    """Return cosines."""
    return apply(TABLE["cos"], x)


def tan(x: Array, /) -> Array:
    """Return tangents."""
    return apply(TABLE["tan"], x)


def asin(x: Array, /) -> Array:
    """Return inverse sines, in [-pi/2, pi/2]."""
    return apply(TABLE["asin"], x)


def acos(x: Array, /) -> Array:
    """Return inverse cosines, in [0, pi]."""
    return apply(TABLE["acos"], x)


def atan(x: Array, /) -> Array:
    """Return inverse tangents, in [-pi/2, pi/2]."""
    return apply(TABLE["atan"], x)


def atan2(x1: Any, x2: Any, /) -> Array:
    """Return the angle of the point ``(x2, x1)``, in [-pi, pi]."""
    return apply(TABLE["atan2"], x1, x2)


def sinh(x: Array, /) -> Array:
    """Return hyperbolic sines."""
    return apply(TABLE["sinh"], x)


def cosh(x: Array, /) -> Array:
    """Return hyperbolic cosines."""
    return apply(TABLE["cosh"], x)


def tanh(x: Array, /) -> Array:
    """Return hyperbolic tangents."""
    return apply(TABLE["tanh"], x)


def asinh(x: Array, /) -> Array:
    """Return inverse hyperbolic sines."""
    return apply(TABLE["asinh"], x)


def acosh(x: Array, /) -> Array:
    """Return inverse hyperbolic cosines."""
    return apply(TABLE["acosh"], x)


def atanh(x: Array, /) -> Array:
    """Return inverse hyperbolic tangents."""
    return apply(TABLE["atanh"], x)


def hypot(x1: Any, x2: Any, /) -> Array:
    """Return ``sqrt(x1**2 + x2**2)`` without overflow."""
    return apply(TABLE["hypot"], x1, x2)


def deg2rad(x: Array, /) -> Array:
    """Return degrees as radians."""
    return apply(TABLE["deg2rad"], x)


def rad2deg(x: Array, /) -> Array:
    """Return radians as degrees."""
    return apply(TABLE["rad2deg"], x)


arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh
degrees, radians = rad2deg, deg2rad
