"""Where elements are."""

from __future__ import annotations

from typing import Any

from .. import apply as _apply
from ..array import Array
from ..reduce import reduce

__all__ = ["argmax", "argmin", "where"]


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the index of the first minimum along an axis, or in C order over all; NaN wins. int64."""
    return reduce("argmin", x, axis, keepdims)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the index of the first maximum along an axis, or in C order over all; NaN wins. int64."""
    return reduce("argmax", x, axis, keepdims)


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    """Return ``x1`` where the condition is true and ``x2`` elsewhere, broadcast together."""
    return _apply.where(condition, x1, x2)
