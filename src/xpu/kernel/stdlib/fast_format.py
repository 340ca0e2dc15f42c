"""What the fast functions need to know of a float format, and how they build and take apart its numbers.

Everything chooses by ``xp.where`` and works lane by lane, so that it vectorises and also takes short vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import words as xp


@dataclass(frozen=True)
class Format:
    """One of the two float formats."""

    floating: Any
    integer: Any
    mantissa: int
    """Bits behind the point."""
    bias: int
    tiny: float
    """The smallest normal number."""

    @property
    def magic(self) -> float:
        """Adding and subtracting it rounds small numbers to whole ones."""
        return 1.5 * 2.0**self.mantissa

    @property
    def magic_bits(self) -> int:
        """The bits of ``magic`` as an integer."""
        return ((self.bias + self.mantissa) << self.mantissa) | (1 << (self.mantissa - 1))

    @property
    def root_half_bits(self) -> int:
        """The bits of ``sqrt(0.5)``."""
        return 0x3F3504F3 if self.mantissa == 23 else 0x3FE6A09E667F3BCD


SINGLE = Format(xp.float32, xp.int32, 23, 127, 2.0**-126)
DOUBLE = Format(xp.float64, xp.int64, 52, 1023, 2.0**-1022)


def make_polynomial(coefficients: tuple[float, ...]) -> Any:
    """Return a function that evaluates a polynomial, constant term first, by Horner's rule."""
    last = len(coefficients) - 1

    @xp.func
    def polynomial(x: Any) -> Any:
        # never fused: the same bits on every device, and in NumPy
        total = x * coefficients[last] + coefficients[last - 1]
        for k in xp.static_range(last - 1):
            total = total * x + coefficients[last - 2 - k]
        return total

    return polynomial


def make_power_of_two(form: Format) -> Any:
    """Return ``2**k`` for integers whose result is a normal number."""
    floating, mantissa, bias = form.floating, form.mantissa, form.bias

    @xp.func
    def power_of_two(k: Any) -> Any:
        return xp.math.reinterpret((k + bias) << mantissa, floating)

    return power_of_two


def make_scale(form: Format) -> Any:
    """Return ``x * 2**k`` for ``k`` up to twice the format's range, rounded once."""
    power_of_two = make_power_of_two(form)

    @xp.func
    def scale(x: Any, k: Any) -> Any:
        half = k >> 1
        return x * power_of_two(half) * power_of_two(k - half)

    return scale


def make_exponent(form: Format) -> Any:
    """Return the exponent ``k`` of positive finite ``x``, as a float: ``x / 2**k`` is in [sqrt(1/2), sqrt(2))."""
    floating, integer, mantissa, tiny = form.floating, form.integer, form.mantissa, form.tiny
    start = form.root_half_bits
    lift = 2.0**mantissa

    @xp.func
    def exponent(x: Any) -> Any:
        small = x < tiny
        bits = xp.math.reinterpret(xp.where(small, x * lift, x), integer) - start
        return floating(bits >> mantissa) - xp.where(small, floating(mantissa), floating(0))

    return exponent


def make_significand(form: Format) -> Any:
    """Return ``x / 2**k`` in [sqrt(1/2), sqrt(2)), for positive finite ``x``."""
    floating, integer, mantissa, tiny = form.floating, form.integer, form.mantissa, form.tiny
    start = form.root_half_bits
    lift = 2.0**mantissa
    mask = (1 << mantissa) - 1

    @xp.func
    def significand(x: Any) -> Any:
        bits = xp.math.reinterpret(xp.where(x < tiny, x * lift, x), integer) - start
        return xp.math.reinterpret((bits & mask) + start, floating)

    return significand
