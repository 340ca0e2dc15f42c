"""Real functions that some language lacks, in the kernel language; all but ``fmod``-based ones are free of branches."""

from __future__ import annotations

from typing import Any

from . import words as xp
from .fast_exp import exp2_double, exp2_single
from .fast_log import log2_double, log2_single

INF = float("inf")


@xp.func
def rsqrt(x: Any) -> Any:
    """``1 / sqrt(x)``."""
    return 1.0 / xp.math.sqrt(x)


@xp.func
def degrees(x: Any) -> Any:
    """Radians to degrees."""
    return x * 57.29577951308232


@xp.func
def radians(x: Any) -> Any:
    """Degrees to radians."""
    return x * 0.017453292519943295


@xp.func
def fdim(x: Any, y: Any) -> Any:
    """``x - y`` where positive, else 0; NaN wins."""
    return xp.where(x > y, x - y, xp.where((x == x) & (y == y), 0.0, x + y))


@xp.func
def rint(x: Any) -> Any:
    """To the nearest whole number, ties to even."""
    a = xp.math.abs(x)
    big = 4503599627370496.0 if x.dtype == xp.float64 else 8388608.0
    return xp.where(a < big, xp.math.copysign((a + big) - big, x), x)


@xp.func
def remainder(x: Any, y: Any) -> Any:
    """IEEE's remainder: ``x - n * y`` with ``n`` the whole number nearest to the quotient, ties to even."""
    a = xp.math.abs(y)
    r = xp.math.fmod(xp.math.abs(x), a + a)
    once = r - a
    r = xp.where(r + r > a, xp.where(once + once >= a, once - a, once), r)
    return xp.where(xp.math.signbit(x), -r, r)


@xp.func
def nextafter(x: Any, y: Any) -> Any:
    """Return the next number after ``x`` towards ``y``; of equal ones ``y``, as C does, but of halves ``x``, as NumPy does."""
    equal = y
    if x.dtype == xp.float64:
        bits = xp.math.reinterpret(x, xp.int64)
        moved = xp.math.reinterpret(xp.where((y > x) == (x > 0.0), bits + 1, bits - 1), xp.float64)
        least = xp.math.copysign(5e-324, y)
    elif x.dtype == xp.float16:
        short = xp.math.reinterpret(x, xp.int16)
        moved = xp.math.reinterpret(xp.where((y > x) == (x > 0.0), short + 1, short - 1), xp.float16)
        least = xp.math.copysign(6e-08, y)
        equal = x
    else:
        bits = xp.math.reinterpret(x, xp.int32)
        moved = xp.math.reinterpret(xp.where((y > x) == (x > 0.0), bits + 1, bits - 1), xp.float32)
        least = xp.math.copysign(1e-45, y)
    moved = xp.where(x == 0.0, least, moved)
    return xp.where((x == x) & (y == y), xp.where(x == y, equal, moved), x + y)


@xp.func
def cbrt(x: Any) -> Any:
    """Cube root: a power, and one step of Newton's."""
    if x.dtype == xp.float64:
        small = xp.math.abs(x) < 1e-290
        a = xp.math.abs(xp.where(small, x * 18014398509481984.0, x))
        y = exp2_double(log2_double(a) * 0.3333333333333333)
        back = xp.where(small, xp.float64(3.814697265625e-06), xp.float64(1))
    else:
        small = xp.math.abs(x) < 1e-30
        a = xp.math.abs(xp.where(small, x * 16777216.0, x))
        y = exp2_single(log2_single(a) * 0.3333333333333333)
        back = xp.where(small, xp.float32(0.00390625), xp.float32(1))
    better = (y - (y * y * y - a) / (3.0 * y * y)) * back
    return xp.where((a > 0.0) & (a < INF), xp.math.copysign(better, x), x)


@xp.func
def popcount(x: Any) -> Any:
    """How many bits are set."""
    bits = xp.uint64(x) & (0xFFFFFFFFFFFFFFFF >> (64 - 8 * x.dtype.itemsize))
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((bits * 0x0101010101010101) >> 56).astype(x.dtype)


@xp.func
def clz(x: Any) -> Any:
    """How many zeros come before the first set bit."""
    bits = xp.uint64(x) & (0xFFFFFFFFFFFFFFFF >> (64 - 8 * x.dtype.itemsize))
    for k in xp.static_range(6):
        bits = bits | (bits >> (1 << k))
    return (8 * x.dtype.itemsize - popcount(bits)).astype(x.dtype)


FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (rsqrt, degrees, radians, fdim, rint, remainder, nextafter, cbrt, popcount, clz)
}
