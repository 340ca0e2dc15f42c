"""Complex trigonometric and hyperbolic functions and their inverses, in the kernel language.

The circular functions follow from the hyperbolic ones by a quarter turn, ``sin(z) = -i sinh(iz)`` and so on, which
keeps the special values of Annex G. The inverses use Kahan's forms, whose real and imaginary parts do not cancel.
"""

from __future__ import annotations

from typing import Any

from . import words as xp
from .complex_basic import sqrt

LN2 = 0.6931471805599453
HALF_PI = 1.5707963267948966


@xp.func
def sinh(z: Any) -> Any:
    """Hyperbolic sine."""
    x = z.real
    y = z.imag
    s = xp.math.sinh(x)
    if y == 0.0:
        return complex(s, y)
    if not xp.math.isfinite(y):
        if x == 0.0:
            return complex(x, y - y)
        return complex(xp.math.abs(x) if xp.math.isinf(x) else y - y, y - y)
    if x == 0.0:
        return complex(x * xp.math.cos(y), xp.math.sin(y))
    c = xp.math.cosh(x)
    if xp.math.isinf(c) and xp.math.isfinite(x):
        half = xp.math.exp(xp.math.abs(x) * 0.5)
        return complex(xp.math.copysign(0.5 * half, x) * xp.math.cos(y) * half, 0.5 * half * xp.math.sin(y) * half)
    return complex(s * xp.math.cos(y), c * xp.math.sin(y))


@xp.func
def cosh(z: Any) -> Any:
    """Hyperbolic cosine."""
    x = z.real
    y = z.imag
    c = xp.math.cosh(x)
    if y == 0.0:
        return complex(c, xp.math.copysign(1.0, x) * y)
    if not xp.math.isfinite(y):
        if x == 0.0:
            return complex(y - y, xp.math.abs(x))
        return complex(xp.math.abs(x) if xp.math.isinf(x) else y - y, y - y)
    if xp.math.isinf(c) and xp.math.isfinite(x):
        half = xp.math.exp(xp.math.abs(x) * 0.5)
        return complex(0.5 * half * xp.math.cos(y) * half, xp.math.copysign(0.5 * half, x) * xp.math.sin(y) * half)
    return complex(c * xp.math.cos(y), xp.math.sinh(x) * xp.math.sin(y))


@xp.func
def tanh(z: Any) -> Any:
    """Hyperbolic tangent, by Kahan's formula."""
    x = z.real
    y = z.imag
    if xp.math.isnan(x):
        return complex(x, y if y == 0.0 else x * y)
    ax = xp.math.abs(x)
    if xp.math.isinf(x):
        side = xp.math.sin(2.0 * y) if xp.math.isfinite(y) else y
        return complex(xp.math.copysign(1.0, x), 1.0 / ax if xp.math.isnan(y) else xp.math.copysign(0.0, side))
    if not xp.math.isfinite(y):
        return complex(x if x == 0.0 else y - y, y - y)
    if ax > 22.0:
        small = xp.math.exp(-ax)
        return complex(xp.math.copysign(1.0, x), 4.0 * xp.math.sin(y) * xp.math.cos(y) * small * small)
    t = xp.math.tan(y)
    beta = 1.0 + t * t
    s = xp.math.sinh(x)
    rho = xp.math.sqrt(1.0 + s * s)
    if xp.math.isinf(t):
        return complex(rho / s, 1.0 / t)
    below = 1.0 + beta * s * s
    return complex(beta * rho * s / below, t / below)


@xp.func
def acos(z: Any) -> Any:
    """Inverse cosine; branch cuts from 1 to infinity and from -1 to minus infinity on the real axis."""
    x = z.real
    y = z.imag
    if not (xp.math.isfinite(x) and xp.math.isfinite(y)):
        if xp.math.isinf(x):
            if xp.math.isnan(y):
                return complex(y, -x if x > 0.0 else x)
            return complex(xp.math.atan2(xp.math.abs(y), x), -xp.math.copysign(x, y))
        if xp.math.isinf(y):
            if xp.math.isnan(x):
                return complex(x, -y)
            return complex(xp.math.atan2(xp.math.abs(y), x), -y)
        if x == 0.0:
            return complex(HALF_PI, y)
        return complex(x + y, x + y)
    if xp.math.isinf(xp.math.abs(x) * 4.0) or xp.math.isinf(xp.math.abs(y) * 4.0):
        large = xp.math.log(xp.math.hypot(x * 0.25, y * 0.25)) + 3.0 * LN2
        return complex(xp.math.atan2(xp.math.abs(y), x), -xp.math.copysign(large, y))
    below = sqrt(complex(1.0 - x, -y))
    above = sqrt(complex(1.0 + x, y))
    return complex(
        2.0 * xp.math.atan2(below.real, above.real),
        xp.math.asinh(above.real * below.imag - above.imag * below.real),
    )


@xp.func
def asinh(z: Any) -> Any:
    """Inverse hyperbolic sine; branch cuts above i and below -i on the imaginary axis."""
    x = z.real
    y = z.imag
    if not (xp.math.isfinite(x) and xp.math.isfinite(y)):
        if xp.math.isinf(x):
            if xp.math.isnan(y):
                return complex(x, y)
            return complex(x, xp.math.atan2(y, xp.math.abs(x)))
        if xp.math.isinf(y):
            if xp.math.isnan(x):
                return complex(xp.math.abs(y), x)
            return complex(xp.math.copysign(y, x), xp.math.atan2(y, xp.math.abs(x)))
        if y == 0.0:
            return complex(x, y)
        return complex(x + y, x + y)
    if xp.math.isinf(xp.math.abs(x) * 4.0) or xp.math.isinf(xp.math.abs(y) * 4.0):
        large = xp.math.log(xp.math.hypot(x * 0.25, y * 0.25)) + 3.0 * LN2
        return complex(xp.math.copysign(large, x), xp.math.atan2(y, xp.math.abs(x)))
    # with w = iz: sqrt(1 + w) and sqrt(1 - w)
    above = sqrt(complex(1.0 - y, x))
    below = sqrt(complex(1.0 + y, -x))
    return complex(
        xp.math.asinh(above.imag * below.real - below.imag * above.real),
        xp.math.atan2(y, below.real * above.real - below.imag * above.imag),
    )


@xp.func
def atanh(z: Any) -> Any:
    """Inverse hyperbolic tangent; branch cuts from 1 to infinity and from -1 to minus infinity on the real axis."""
    x = z.real
    y = z.imag
    ax = xp.math.abs(x)
    ay = xp.math.abs(y)
    if not (xp.math.isfinite(x) and xp.math.isfinite(y)):
        if xp.math.isinf(y):
            return complex(xp.math.copysign(0.0, x), xp.math.copysign(HALF_PI, y))
        if xp.math.isinf(x):
            if xp.math.isnan(y):
                return complex(1.0 / x, y)
            return complex(1.0 / x, xp.math.copysign(HALF_PI, y))
        if x == 0.0:
            return complex(x, y)
        return complex(x + y, x + y)
    if ax > 1e9 or ay > 1e9:
        h = xp.math.hypot(ax * 0.5, ay * 0.5)
        return complex(xp.math.copysign(ax / 4.0 / h / h, x), xp.math.copysign(HALF_PI, y))
    if ax == 1.0 and ay < 1e-10:
        if ay == 0.0:
            return complex(x / ay, y)
        far = -xp.math.log(xp.math.sqrt(ay) / xp.math.sqrt(xp.math.hypot(ay, 2.0)))
        return complex(xp.math.copysign(far, x), xp.math.copysign(xp.math.atan2(2.0, -ay) * 0.5, y))
    away = 1.0 - ax
    part = xp.math.log1p(4.0 * ax / (away * away + ay * ay)) * 0.25
    turn = xp.math.atan2(2.0 * ay, away * (1.0 + ax) - ay * ay) * 0.5
    return complex(xp.math.copysign(part, x), xp.math.copysign(turn, y))


@xp.func
def acosh(z: Any) -> Any:
    """Inverse hyperbolic cosine; branch cut from 1 to minus infinity on the real axis."""
    w = acos(z)
    if xp.math.isnan(w.real) and xp.math.isnan(w.imag):
        return complex(w.imag, w.real)
    if xp.math.isnan(w.real):
        return complex(xp.math.abs(w.imag), w.real)
    if xp.math.isnan(w.imag):
        return complex(w.imag, xp.math.copysign(w.real, z.imag))
    return complex(xp.math.abs(w.imag), xp.math.copysign(w.real, z.imag))


@xp.func
def sin(z: Any) -> Any:
    """Sine: ``-i sinh(iz)``."""
    w = sinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


@xp.func
def cos(z: Any) -> Any:
    """Cosine: ``cosh(iz)``."""
    return cosh(complex(-z.imag, z.real))


@xp.func
def tan(z: Any) -> Any:
    """Tangent: ``-i tanh(iz)``."""
    w = tanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


@xp.func
def asin(z: Any) -> Any:
    """Inverse sine: ``-i asinh(iz)``."""
    w = asinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


@xp.func
def atan(z: Any) -> Any:
    """Inverse tangent: ``-i atanh(iz)``."""
    w = atanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


FUNCTIONS: dict[str, Any] = {
    function.__name__: function for function in (sinh, cosh, tanh, sin, cos, tan, asin, acos, atan, asinh, acosh, atanh)
}
