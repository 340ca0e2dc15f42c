"""Bits of integers; bool counts as one bit."""

from __future__ import annotations

from typing import Any

from ..apply import apply
from ..array import Array
from ..lazy.operations import TABLE

__all__ = [
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]


def bitwise_and(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 & x2``."""
    return apply(TABLE["bitwise_and"], x1, x2)


def bitwise_or(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 | x2``."""
    return apply(TABLE["bitwise_or"], x1, x2)


def bitwise_xor(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 ^ x2``."""
    return apply(TABLE["bitwise_xor"], x1, x2)


def bitwise_invert(x: Array, /) -> Array:
    """Return ``~x``; logical not for bool."""
    return apply(TABLE["bitwise_invert"], x)


def bitwise_left_shift(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 << x2``; 0 for shifts by the width or more."""
    return apply(TABLE["bitwise_left_shift"], x1, x2)


def bitwise_right_shift(x1: Any, x2: Any, /) -> Array:
    """Return ``x1 >> x2``, keeping the sign."""
    return apply(TABLE["bitwise_right_shift"], x1, x2)


def bitwise_count(x: Array, /) -> Array:
    """Return the number of 1 bits of the absolute values, as uint8."""
    return apply(TABLE["bitwise_count"], x)


invert = bitwise_not = bitwise_invert
left_shift, right_shift = bitwise_left_shift, bitwise_right_shift
