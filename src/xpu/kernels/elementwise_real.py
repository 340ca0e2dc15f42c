"""Elementwise functions of real floating-point numbers, in the kernel language.

All of them choose by ``xp.where`` instead of branching, so that they also work on short vectors and vectorise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp

LN2 = 0.6931471805599453
LOG2E = 1.4426950408889634
PI = 3.141592653589793
INF = float("inf")
NAN = float("nan")


@xp.func
def floor_divide(a: Any, b: Any) -> Any:
    """Quotient rounded down, by NumPy's steps: exact remainder first, so that the result belongs to ``remainder``."""
    rest = xp.math.fmod(a, b)
    quotient = (a - rest) / b
    crosses = (rest != 0.0) & ((b < 0.0) != (rest < 0.0))
    quotient = xp.where(crosses, quotient - 1.0, quotient)
    down = xp.math.floor(quotient)
    down = xp.where(quotient - down > 0.5, down + 1.0, down)
    whole = a / b
    down = xp.where(quotient == 0.0, xp.math.copysign(0.0, whole), down)
    return xp.where(b == 0.0, whole, down)


@xp.func
def remainder(a: Any, b: Any) -> Any:
    """Remainder with the divisor's sign; an exact multiple leaves a zero of that sign."""
    rest = xp.math.fmod(a, b)
    crosses = (rest != 0.0) & ((b < 0.0) != (rest < 0.0))
    moved = xp.where(crosses, rest + b, rest)
    signed = xp.where(rest == 0.0, xp.math.copysign(0.0, b), moved)
    return xp.where(b == 0.0, rest, signed)


@xp.func
def fmod(a: Any, b: Any) -> Any:
    """Remainder with the dividend's sign."""
    return xp.math.fmod(a, b)


@xp.func
def square(x: Any) -> Any:
    """``x * x``."""
    return x * x


@xp.func
def reciprocal(x: Any) -> Any:
    """``1 / x``."""
    return 1.0 / x


@xp.func
def sign(x: Any) -> Any:
    """-1, 0 or 1; NaN stays NaN."""
    return xp.where(x > 0.0, 1.0, xp.where(x < 0.0, -1.0, xp.where(x == 0.0, 0.0, x)))


@xp.func
def logaddexp(a: Any, b: Any) -> Any:
    """``log(exp(a) + exp(b))`` without overflow."""
    gap = a - b
    high = xp.where(gap > 0.0, a, b)
    joined = high + xp.math.log1p(xp.math.exp(-xp.math.abs(gap)))
    return xp.where(a == b, a + LN2, xp.where(gap == gap, joined, gap))


@xp.func
def logaddexp2(a: Any, b: Any) -> Any:
    """``log2(2**a + 2**b)`` without overflow."""
    gap = a - b
    high = xp.where(gap > 0.0, a, b)
    joined = high + LOG2E * xp.math.log1p(xp.math.exp2(-xp.math.abs(gap)))
    return xp.where(a == b, a + 1.0, xp.where(gap == gap, joined, gap))


@xp.func
def heaviside(x: Any, at_zero: Any) -> Any:
    """0 below zero, 1 above, the second operand at zero."""
    return xp.where(x > 0.0, 1.0, xp.where(x < 0.0, 0.0, xp.where(x == 0.0, at_zero, x)))


@xp.func
def clip(x: Any, low: Any, high: Any) -> Any:
    """``minimum(maximum(x, low), high)``; NaN wins."""
    return xp.math.minimum(xp.math.maximum(x, low), high)


@xp.func
def nan_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """NaN and infinities replaced."""
    return xp.where(x != x, nan, xp.where(x == INF, posinf, xp.where(x == -INF, neginf, x)))


@xp.func
def isposinf(x: Any) -> Any:
    """Whether ``x`` is plus infinity."""
    return x == INF


@xp.func
def isneginf(x: Any) -> Any:
    """Whether ``x`` is minus infinity."""
    return x == -INF


@xp.func
def angle(x: Any) -> Any:
    """Argument of a real number: 0 or pi."""
    return xp.math.atan2(0.0, x)


@xp.func
def sinc(x: Any) -> Any:
    """``sin(pi x) / (pi x)``, 1 at zero, with NumPy's steps."""
    y = PI * xp.where(x == 0.0, 1e-20, x)
    return xp.math.sin(y) / y


@xp.func
def modf_fraction(x: Any) -> Any:
    """Return the part behind the point, with the sign of ``x``."""
    part = xp.where(xp.math.isinf(x), 0.0, x - xp.math.trunc(x))
    return xp.where(xp.math.isnan(x), x, xp.math.copysign(part, x))


@xp.func
def round_decimals(x: Any, factor: Any) -> Any:
    """Return Rounding to decimals: ``rint(x * factor) / factor``."""
    return xp.math.rint(x * factor) / factor


class _Layout:
    """How a float dtype's bits lie."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        single = dtype.itemsize == 4
        self.integer = xp.int32 if single else xp.int64
        self.mantissa = 23 if single else 52
        self.bias = 127 if single else 1023
        self.lowest = -126 if single else -1022
        self.normal = float(np.finfo(dtype).tiny)
        self.exponent_mask = 0x7F800000 if single else 0x7FF0000000000000
        self.keep = ~self.exponent_mask & (0xFFFFFFFF if single else 0xFFFFFFFFFFFFFFFF)


def make_ldexp(dtype: np.dtype[Any]) -> Any:
    """Return ``ldexp(x, n)``: ``x * 2**n``, rounded once, for any integer ``n``."""
    layout = _Layout(dtype)
    integer, mantissa, bias, lowest = layout.integer, layout.mantissa, layout.bias, layout.lowest
    floating = xp.float32 if dtype.itemsize == 4 else xp.float64
    up = 2.0**bias
    # down by less than the whole range, so that only the last product rounds into the subnormals
    step = lowest + mantissa + 1
    down = 2.0**step

    @xp.func
    def ldexp(x: Any, n: Any) -> Any:
        k = integer(xp.math.min(xp.math.max(xp.int64(n), -5 * bias), 5 * bias))
        y = x
        for _ in xp.static_range(2):
            y = xp.where(k > bias, y * up, xp.where(k < lowest, y * down, y))
            k = xp.where(k > bias, k - bias, xp.where(k < lowest, k - step, k))
        k = xp.math.min(xp.math.max(k, lowest), bias)
        return y * xp.math.reinterpret((k + bias) << mantissa, floating)

    return ldexp


def make_frexp_exponent(dtype: np.dtype[Any]) -> Any:
    """Return the exponent of ``frexp`` as int32: 0 for zero, infinities and NaN."""
    layout = _Layout(dtype)
    integer, mantissa, bias, normal = layout.integer, layout.mantissa, layout.bias, layout.normal
    lift = 2.0 ** (mantissa + 2)

    @xp.func
    def frexp_exponent(x: Any) -> Any:
        small = xp.math.abs(x) < normal
        bits = xp.math.reinterpret(xp.where(small, x * lift, x), integer)
        exponent = ((bits >> mantissa) & (2 * bias + 1)) - (bias - 1) - xp.where(small, mantissa + 2, 0)
        plain = xp.math.isfinite(x) & (x != 0.0)
        return xp.int32(xp.where(plain, exponent, 0))

    return frexp_exponent


def make_frexp_mantissa(dtype: np.dtype[Any]) -> Any:
    """Return the mantissa of ``frexp``: in [0.5, 1) with the sign of ``x``; zero, infinities and NaN as they are."""
    layout = _Layout(dtype)
    integer, mantissa, bias, normal = layout.integer, layout.mantissa, layout.bias, layout.normal
    floating = xp.float32 if dtype.itemsize == 4 else xp.float64
    lift = 2.0 ** (mantissa + 2)
    mask = ~(layout.exponent_mask)
    half = (bias - 1) << mantissa

    @xp.func
    def frexp_mantissa(x: Any) -> Any:
        bits = xp.math.reinterpret(xp.where(xp.math.abs(x) < normal, x * lift, x), integer)
        part = xp.math.reinterpret((bits & mask) | half, floating)
        return xp.where(xp.math.isfinite(x) & (x != 0.0), part, x)

    return frexp_mantissa


def make_spacing(dtype: np.dtype[Any]) -> Any:
    """Return ``spacing(x)``: the distance to the next number away from zero, with the sign of ``x``.

    NumPy's float16 goes up instead: its result is positive.
    """
    half = dtype.itemsize == 2
    integer = {2: xp.int16, 4: xp.int32, 8: xp.int64}[dtype.itemsize]
    floating = {2: xp.float16, 4: xp.float32, 8: xp.float64}[dtype.itemsize]

    @xp.func
    def spacing(x: Any) -> Any:
        bits = xp.math.reinterpret(x, integer)
        if half:
            bits = xp.where(x < 0.0, bits - 2, bits)
        gap = xp.math.reinterpret(bits + 1, floating) - x
        return xp.where(xp.math.isfinite(x), xp.where(x == 0.0, xp.math.abs(gap), gap), NAN)

    return spacing


I0_SMALL = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
"""Chebyshev coefficients of ``exp(-x) I0(x)`` on [0, 8]."""
I0_LARGE = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip
"""Chebyshev coefficients of ``exp(-x) sqrt(x) I0(x)`` in ``32 / x - 2`` for x > 8."""


@xp.func
def i0(x: Any) -> Any:
    """Return modified Bessel function of the first kind, order 0, by two Chebyshev series."""
    a = xp.math.abs(x)
    t = xp.math.min(a, 8.0) * 0.5 - 2.0
    b0 = t * 0.0
    b1 = b0
    b2 = b0
    for k in xp.static_range(30):
        b2 = b1
        b1 = b0
        b0 = t * b1 - b2 + I0_SMALL[k]
    near = 0.5 * (b0 - b2)
    far_a = xp.math.max(a, 8.0)
    t = 32.0 / far_a - 2.0
    b0 = t * 0.0
    b1 = b0
    b2 = b0
    for k in xp.static_range(25):
        b2 = b1
        b1 = b0
        b0 = t * b1 - b2 + I0_LARGE[k]
    far = 0.5 * (b0 - b2) / xp.math.sqrt(far_a)
    return xp.math.exp(a) * xp.where(a <= 8.0, near, far)
