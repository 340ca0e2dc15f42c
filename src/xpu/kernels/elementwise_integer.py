"""Elementwise functions of integers and bool, in the kernel language."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp


@xp.func
def floor_divide(a: Any, b: Any) -> Any:
    """Quotient rounded down; 0 for a zero divisor."""
    return a // b


@xp.func
def remainder(a: Any, b: Any) -> Any:
    """Remainder with the divisor's sign; 0 for a zero divisor."""
    return a % b


@xp.func
def fmod_signed(a: Any, b: Any) -> Any:
    """Remainder with the dividend's sign; 0 for a zero divisor."""
    rest = a % b
    return xp.where((rest != 0) & ((a < 0) != (rest < 0)), rest - b, rest)


@xp.func
def square(x: Any) -> Any:
    """``x * x``."""
    return x * x


def make_reciprocal(dtype: np.dtype[Any]) -> Any:
    """Return ``1 / x`` cut off: 1 for 1, -1 for -1, else 0."""
    cast = _cast(dtype)

    @xp.func
    def signed(x: Any) -> Any:
        return cast(x == 1) - cast(x == -1)

    @xp.func
    def unsigned(x: Any) -> Any:
        return cast(x == 1)

    return signed if dtype.kind == "i" else unsigned


def make_sign(dtype: np.dtype[Any]) -> Any:
    """Return -1, 0 or 1 in the operand's dtype."""
    cast = _cast(dtype)

    @xp.func
    def signed(x: Any) -> Any:
        return cast(x > 0) - cast(x < 0)

    @xp.func
    def unsigned(x: Any) -> Any:
        return cast(x > 0)

    return signed if dtype.kind == "i" else unsigned


@xp.func
def same(x: Any) -> Any:
    """Return the operand itself: what rounding does to integers."""
    return x


@xp.func
def clip(x: Any, low: Any, high: Any) -> Any:
    """``min(max(x, low), high)``."""
    return xp.math.minimum(xp.math.maximum(x, low), high)


@xp.func
def gcd_unsigned(a: Any, b: Any) -> Any:
    """Greatest common divisor by Euclid's steps."""
    x = a
    y = b
    while y != 0:
        rest = x % y
        x = y
        y = rest
    return x


@xp.func
def gcd_signed(a: Any, b: Any) -> Any:
    """Greatest common divisor of the magnitudes; the smallest integer has none of its own, so signs go last."""
    return xp.math.abs(gcd_unsigned(a, b))


@xp.func
def lcm_unsigned(a: Any, b: Any) -> Any:
    """Least common multiple; 0 if an operand is 0."""
    return (a // gcd_unsigned(a, b)) * b


@xp.func
def lcm_signed(a: Any, b: Any) -> Any:
    """Least common multiple of the magnitudes."""
    divisor = gcd_unsigned(a, b)
    return xp.math.abs(a // divisor) * xp.math.abs(b)


def make_power(dtype: np.dtype[Any]) -> Any:
    """Return ``a ** b`` by squaring, wrapping around; ``b`` must not be negative."""
    cast = _cast(dtype)

    @xp.func
    def power(a: Any, b: Any) -> Any:
        result = cast(1)
        base = a
        left = b
        while left > 0:
            if (left & 1) != 0:
                result = result * base
            base = base * base
            left = left >> 1
        return result

    return power


@xp.func
def bitwise_count_signed(x: Any) -> Any:
    """Ones in the magnitude, as uint8."""
    return xp.uint8(xp.math.popcount(xp.math.abs(x)))


@xp.func
def bitwise_count_unsigned(x: Any) -> Any:
    """Ones, as uint8."""
    return xp.uint8(xp.math.popcount(x))


@xp.func
def left_shift(a: Any, b: Any) -> Any:
    """Return ``a << b``; 0 from the width on."""
    return a << b


@xp.func
def right_shift(a: Any, b: Any) -> Any:
    """Return ``a >> b``, keeping the sign; 0 or -1 from the width on."""
    return a >> b


@xp.func
def logical_xor(a: Any, b: Any) -> Any:
    """Whether one operand is true, and not both."""
    return a != b


def _cast(dtype: np.dtype[Any]) -> Any:
    return getattr(xp, dtype.name)
