"""pow without branches: ``2**(y * log2(x))``, with the logarithm in double the precision of the result."""

from __future__ import annotations

from typing import Any

from . import words as xp
from .fast_exp import DOUBLE_CONSTANTS, exp2_double
from .fast_format import DOUBLE, make_exponent, make_polynomial, make_scale, make_significand

INF = float("inf")
NAN = float("nan")
UPPER_BITS = -0x8000000

exponent = make_exponent(DOUBLE)
significand = make_significand(DOUBLE)
scale = make_scale(DOUBLE)
exp2_tail = make_polynomial(DOUBLE_CONSTANTS.exp2)
log_tail = make_polynomial(
    (
        0.6666666666666742, 0.3999999999936497, 0.2857142875383883, 0.2222219734951439, 0.1818363058240607,
        0.153122867784205, 0.14814276292461087,
    )
)  # fmt: skip
long_tail = make_polynomial(
    (
        0.39999999999999974, 0.28571428571446916, 0.22222222217120982, 0.18181818919227768, 0.15384553641157334,
        0.13336438424229716, 0.11672415994351315, 0.12008647778108904,
    )
)  # fmt: skip
"""``(log(m) / s - 2 - 2/3 z) / z**2`` in ``z = s**2``, where ``s = (m - 1) / (m + 1)``."""


@xp.func
def finish(x: Any, y: Any, size: Any) -> Any:
    """Give the power of ``abs(x)`` its sign and special values."""
    whole = xp.math.trunc(y) == y
    odd = whole & (xp.math.abs(y * 0.5 - xp.math.trunc(y * 0.5)) == 0.5)
    result = xp.where(odd & xp.math.signbit(x), -size, size)
    result = xp.where((x < 0.0) & (x > -INF) & ~whole, NAN, result)
    one = (y == 0.0) | (x == 1.0) | ((x == -1.0) & xp.math.isinf(y))
    return xp.where(one, 1.0, result)


@xp.func
def pow_single(x: Any, y: Any) -> Any:
    """Pow of float32, by way of float64."""
    a = xp.float64(xp.math.abs(x))
    f = significand(a) - 1.0
    s = f / (2.0 + f)
    z = s * s
    log2 = exponent(a) + (2.0 * s + s * z * log_tail(z)) * 1.4426950408889634
    log2 = xp.where(a == 0.0, -INF, xp.where(a < INF, log2, a))
    return finish(x, y, xp.float32(exp2_double(xp.float64(y) * log2)))


@xp.func
def upper(a: Any) -> Any:
    """Return the leading 26 bits of a number: products of two such are exact."""
    return xp.math.reinterpret(xp.math.reinterpret(a, xp.int64) & UPPER_BITS, xp.float64)


@xp.func
def product_error(a: Any, b: Any, product: Any) -> Any:
    """Return what rounding took from ``a * b``."""
    a_high = upper(a)
    a_low = a - a_high
    b_high = upper(b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@xp.func
def pow_double(x: Any, y: Any) -> Any:
    """Pow of float64; log2 is a sum of two numbers."""
    a = xp.math.abs(x)
    k = exponent(a)
    m = significand(a)
    f = m - 1.0
    # s = f / (m + 1), in two parts
    d = m + 1.0
    back = d - 1.0
    d_low = (1.0 - (d - back)) + (m - back)
    s = f / d
    quotient = s * d
    s_low = ((f - quotient) - product_error(s, d, quotient) - s * d_low) / d
    # z = s * s
    z = s * s
    z_low = product_error(s, s, z) + 2.0 * s * s_low
    # t = 2/3 + z * tail
    more = z * long_tail(z)
    t = 0.6666666666666666 + more
    t_low = (0.6666666666666666 - t) + more + 3.700743415417188e-17
    # u = z * t, then 2 + u
    u = z * t
    u_low = product_error(z, t, u) + z * t_low + z_low * t
    v = 2.0 + u
    v_low = (2.0 - v) + u + u_low
    # log(m) = s * v
    w = s * v
    w_low = product_error(s, v, w) + s * v_low + s_low * v
    # log2(x) = k + log(m) / log(2)
    g = w * 1.4426950408889634
    g_low = product_error(w, 1.4426950408889634 + 0.0 * w, g) + w * 2.0355273740931033e-17 + w_low * 1.4426950408889634
    h = k + g
    h_low = (k - h) + g + g_low
    high = h + h_low
    low = (h - high) + h_low
    # y * log2(x); beyond 1e20 every exponent does the same
    e = xp.where(y > 1e20, 1e20, xp.where(y < -1e20, -1e20, y))
    p = e * high
    p_low = product_error(e, high, p) + e * low
    p = xp.where(p > 1100.0, 1100.0, xp.where(p < -1100.0, -1100.0, p))
    p_low = xp.where(xp.math.abs(p) < 1100.0, p_low, 0.0)
    shifted = p + 6755399441055744.0
    r = (p - (shifted - 6755399441055744.0)) + p_low
    size = scale(1.0 + r * exp2_tail(r), xp.math.reinterpret(shifted, xp.int64) - 4843621399236968448)
    size = xp.where((a == 0.0) | (a == INF), xp.where((a == 0.0) == (y < 0.0), INF, 0.0), size)
    size = xp.where((x == x) & (y == y), size, x + y)
    return finish(x, y, size)
