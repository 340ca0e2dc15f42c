"""Elementwise functions of complex numbers, in the kernel language, with NumPy's lexicographic order."""

from __future__ import annotations

from typing import Any

from ..kernel.stdlib import complex_basic, words as xp

NAN = float("nan")

reciprocal = complex_basic.reciprocal
divide = complex_basic.divide


@xp.func
def square(z: Any) -> Any:
    """``z * z``."""
    x = z.real
    y = z.imag
    return complex(x * x - y * y, x * y + y * x)


@xp.func
def sign(z: Any) -> Any:
    """``z / abs(z)``; 0 for 0."""
    x = z.real
    y = z.imag
    h = xp.math.hypot(x, y)
    if xp.math.isnan(h):
        return complex(h, h)
    if xp.math.isinf(h):
        if xp.math.isinf(x) and xp.math.isinf(y):
            return complex(x - x, x - x)
        if xp.math.isinf(x):
            return complex(xp.math.copysign(1.0, x), 0.0)
        return complex(0.0, xp.math.copysign(1.0, y))
    if h == 0.0:
        return complex(h, h)
    return complex(x / h, y / h)


@xp.func
def angle(z: Any) -> Any:
    """Argument, in (-pi, pi]."""
    return xp.math.atan2(z.imag, z.real)


@xp.func
def floor(z: Any) -> Any:
    """Both parts rounded down."""
    return complex(xp.math.floor(z.real), xp.math.floor(z.imag))


@xp.func
def ceil(z: Any) -> Any:
    """Both parts rounded up."""
    return complex(xp.math.ceil(z.real), xp.math.ceil(z.imag))


@xp.func
def trunc(z: Any) -> Any:
    """Both parts rounded towards zero."""
    return complex(xp.math.trunc(z.real), xp.math.trunc(z.imag))


@xp.func
def rint(z: Any) -> Any:
    """Both parts rounded to the nearest, ties to even."""
    return complex(xp.math.rint(z.real), xp.math.rint(z.imag))


@xp.func
def round_decimals(z: Any, factor: Any) -> Any:
    """Both parts rounded to decimals; the factor is a complex number's real part."""
    by = factor.real
    return complex(xp.math.rint(z.real * by) / by, xp.math.rint(z.imag * by) / by)


@xp.func
def less(a: Any, b: Any) -> Any:
    """Return ``a < b``: by real parts, then by imaginary ones."""
    ordered = not xp.math.isnan(a.imag) and not xp.math.isnan(b.imag)
    return (a.real < b.real and ordered) or (a.real == b.real and a.imag < b.imag)


@xp.func
def less_equal(a: Any, b: Any) -> Any:
    """Return ``a <= b``: by real parts, then by imaginary ones."""
    ordered = not xp.math.isnan(a.imag) and not xp.math.isnan(b.imag)
    return (a.real < b.real and ordered) or (a.real == b.real and a.imag <= b.imag)


@xp.func
def greater(a: Any, b: Any) -> Any:
    """Return ``a > b``."""
    return less(b, a)


@xp.func
def greater_equal(a: Any, b: Any) -> Any:
    """Return ``a >= b``."""
    return less_equal(b, a)


@xp.func
def has_nan(z: Any) -> Any:
    """Whether a part is NaN."""
    return xp.math.isnan(z.real) or xp.math.isnan(z.imag)


@xp.func
def maximum(a: Any, b: Any) -> Any:
    """Return the greater; a number with NaN wins, the first of two such."""
    return a if has_nan(a) or less_equal(b, a) else b


@xp.func
def minimum(a: Any, b: Any) -> Any:
    """Return the smaller; a number with NaN wins, the first of two such."""
    return a if has_nan(a) or less_equal(a, b) else b


@xp.func
def fmax(a: Any, b: Any) -> Any:
    """Return the greater; a number with NaN loses."""
    return a if has_nan(b) or less_equal(b, a) else b


@xp.func
def fmin(a: Any, b: Any) -> Any:
    """Return the smaller; a number with NaN loses."""
    return a if has_nan(b) or less_equal(a, b) else b


@xp.func
def clip(z: Any, low: Any, high: Any) -> Any:
    """``minimum(maximum(z, low), high)``."""
    return minimum(maximum(z, low), high)


@xp.func
def nan_to_num(z: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """NaN and infinities of both parts replaced by the real parts of the other operands."""
    return complex(
        part_to_num(z.real, nan.real, posinf.real, neginf.real), part_to_num(z.imag, nan.real, posinf.real, neginf.real)
    )


@xp.func
def part_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """NaN and infinities of one part replaced."""
    if xp.math.isnan(x):
        return nan
    if xp.math.isinf(x):
        return posinf if x > 0.0 else neginf
    return x


@xp.func
def logical_xor(a: Any, b: Any) -> Any:
    """Whether one operand is not zero, and not both."""
    return (a.real != 0.0 or a.imag != 0.0) != (b.real != 0.0 or b.imag != 0.0)
