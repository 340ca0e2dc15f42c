"""Complex arithmetic and the complex exponential family, in the kernel language.

Special values follow C99's Annex G and the Array API. Scales such as ``2**60`` are chosen to be right in complex64 and
complex128 at once, so that one source serves both.
"""

from __future__ import annotations

from typing import Any

from . import words as xp

LN2 = 0.6931471805599453
LOG2E = 1.4426950408889634
LOG10E = 0.4342944819032518
PI = 3.141592653589793
TINY = 1e-30
"""Below this, squares of single-precision numbers begin to underflow."""
UP = 1152921504606846976.0  # 2**60
HALF_DOWN = 9.313225746154785e-10  # 2**-30
INF = float("inf")
NAN = float("nan")


@xp.func
def real(z: Any) -> Any:
    """Real part."""
    return z.real


@xp.func
def imag(z: Any) -> Any:
    """Imaginary part."""
    return z.imag


@xp.func
def conj(z: Any) -> Any:
    """Complex conjugate."""
    return complex(z.real, -z.imag)


@xp.func
def absolute(z: Any) -> Any:
    """Modulus, without overflow or underflow on the way."""
    return xp.math.hypot(z.real, z.imag)


@xp.func
def isnan(z: Any) -> Any:
    """Whether a part is NaN."""
    return xp.math.isnan(z.real) or xp.math.isnan(z.imag)


@xp.func
def isinf(z: Any) -> Any:
    """Whether a part is infinite."""
    return xp.math.isinf(z.real) or xp.math.isinf(z.imag)


@xp.func
def isfinite(z: Any) -> Any:
    """Whether both parts are finite."""
    return xp.math.isfinite(z.real) and xp.math.isfinite(z.imag)


@xp.func
def multiply(a: Any, b: Any) -> Any:
    """Product by the schoolbook formula, as NumPy's."""
    return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


@xp.func
def divide(a: Any, b: Any) -> Any:
    """Quotient by Smith's method, as NumPy's: no overflow in the divisor's square."""
    ar = a.real
    ai = a.imag
    br = b.real
    bi = b.imag
    br_abs = xp.math.abs(br)
    bi_abs = xp.math.abs(bi)
    if br_abs >= bi_abs:
        if br_abs == 0.0 and bi_abs == 0.0:
            return complex(ar / br_abs, ai / br_abs)
        ratio = bi / br
        scale = 1.0 / (br + bi * ratio)
        return complex((ar + ai * ratio) * scale, (ai - ar * ratio) * scale)
    ratio = br / bi
    scale = 1.0 / (bi + br * ratio)
    return complex((ar * ratio + ai) * scale, (ai * ratio - ar) * scale)


@xp.func
def reciprocal(z: Any) -> Any:
    """One over ``z`` by Smith's method."""
    x = z.real
    y = z.imag
    if xp.math.abs(y) <= xp.math.abs(x):
        ratio = y / x
        below = x + y * ratio
        return complex(1.0 / below, -ratio / below)
    ratio = x / y
    below = x * ratio + y
    return complex(ratio / below, -1.0 / below)


@xp.func
def sqrt(z: Any) -> Any:
    """Principal square root; the branch cut is the negative real axis, continuous from above for +0."""
    x = z.real
    y = z.imag
    if x == 0.0 and y == 0.0:
        return complex(xp.math.abs(x), y)
    if xp.math.isinf(y):
        return complex(xp.math.abs(y), y)
    if xp.math.isnan(x):
        return complex(x, x)
    if xp.math.isinf(x):
        if x > 0.0:
            return complex(x, y if xp.math.isnan(y) else xp.math.copysign(0.0, y))
        return complex(y if xp.math.isnan(y) else xp.math.abs(0.0 * y), xp.math.copysign(x, y))
    if xp.math.isnan(y):
        return complex(y, y)
    ax = xp.math.abs(x)
    ay = xp.math.abs(y)
    large = xp.math.isinf(4.0 * (ax + ay))
    small = ax < TINY and ay < TINY
    ax = ax * (0.0625 if large else (UP if small else 1.0))
    ay = ay * (0.0625 if large else (UP if small else 1.0))
    root = xp.math.sqrt((ax + xp.math.hypot(ax, ay)) * 0.5)
    other = ay / (2.0 * root) * (4.0 if large else (HALF_DOWN if small else 1.0))
    root = root * (4.0 if large else (HALF_DOWN if small else 1.0))
    if x >= 0.0:
        return complex(root, xp.math.copysign(other, y))
    return complex(other, xp.math.copysign(root, y))


@xp.func
def exp(z: Any) -> Any:
    """Exponential; ``exp(x) * cos(y)`` stays finite where only ``exp(x)`` overflows."""
    x = z.real
    y = z.imag
    e = xp.math.exp(x)
    if y == 0.0:
        return complex(e, y)
    if not xp.math.isfinite(y):
        if xp.math.isinf(x):
            if x < 0.0:
                return complex(e, xp.math.copysign(e, y))
            return complex(x, y - y)
        return complex(y - y, y - y)
    c = xp.math.cos(y)
    s = xp.math.sin(y)
    if xp.math.isinf(e) and xp.math.isfinite(x):
        half = xp.math.exp(x * 0.5)
        return complex(half * c * half, half * s * half)
    return complex(e * c, e * s)


@xp.func
def expm1(z: Any) -> Any:
    """``exp(z) - 1``, accurate for small ``z``."""
    x = z.real
    y = z.imag
    less = xp.math.expm1(x)
    if y == 0.0:
        return complex(less, y)
    whole = xp.math.exp(x)
    if not xp.math.isfinite(y):
        if xp.math.isinf(x):
            if x < 0.0:
                return complex(less, xp.math.copysign(whole, y))
            return complex(x, y - y)
        return complex(y - y, y - y)
    c = xp.math.cos(y)
    s = xp.math.sin(y)
    if xp.math.isinf(whole):
        if xp.math.isinf(x):
            return complex(whole * c, whole * s)
        half = xp.math.exp(x * 0.5)
        return complex(half * c * half, half * s * half)
    sine = xp.math.sin(y * 0.5)
    return complex(less * c - 2.0 * sine * sine, whole * s)


@xp.func
def log_abs(x: Any, y: Any) -> Any:
    """``log(hypot(x, y))`` without overflow, underflow, or cancellation near modulus one."""
    h = xp.math.hypot(x, y)
    if h > 0.5 and h < 2.0:
        a = xp.math.max(xp.math.abs(x), xp.math.abs(y))
        b = xp.math.min(xp.math.abs(x), xp.math.abs(y))
        # a**2 + b**2 - 1 with the rounding errors of both squares put back
        aa = a * a
        bb = b * b
        rest = xp.math.fma(a, a, -aa) + xp.math.fma(b, b, -bb)
        return 0.5 * xp.math.log1p(((aa - 1.0) + bb) + rest)
    if xp.math.isinf(h) and xp.math.isfinite(x) and xp.math.isfinite(y):
        return xp.math.log(xp.math.hypot(x * 0.25, y * 0.25)) + 2.0 * LN2
    if h < TINY and h > 0.0:
        return xp.math.log(xp.math.hypot(x * UP, y * UP)) - 60.0 * LN2
    return xp.math.log(h)


@xp.func
def log(z: Any) -> Any:
    """Natural logarithm; the branch cut is the negative real axis."""
    return complex(log_abs(z.real, z.imag), xp.math.atan2(z.imag, z.real))


@xp.func
def log2(z: Any) -> Any:
    """Logarithm to base 2."""
    return complex(log_abs(z.real, z.imag) * LOG2E, xp.math.atan2(z.imag, z.real) * LOG2E)


@xp.func
def log10(z: Any) -> Any:
    """Logarithm to base 10."""
    return complex(log_abs(z.real, z.imag) * LOG10E, xp.math.atan2(z.imag, z.real) * LOG10E)


@xp.func
def log1p(z: Any) -> Any:
    """``log(1 + z)``, accurate for small ``z`` and near the circle ``|1 + z| = 1``."""
    x = z.real
    y = z.imag
    more = 1.0 + x
    angle = xp.math.atan2(y, more)
    h = xp.math.hypot(more, y)
    if h > 0.5 and h < 2.0:
        # |1 + z|**2 - 1 = 2 x + x**2 + y**2, summed with its rounding errors
        xx = x * x
        yy = y * y
        rest = xp.math.fma(x, x, -xx) + xp.math.fma(y, y, -yy)
        first = 2.0 * x + xx
        back = first - 2.0 * x
        rest = rest + ((2.0 * x - (first - back)) + (xx - back))
        total = first + yy
        back = total - first
        rest = rest + ((first - (total - back)) + (yy - back))
        return complex(0.5 * xp.math.log1p(total + rest), angle)
    return complex(log_abs(more, y), angle)


@xp.func
def power(a: Any, b: Any) -> Any:
    """Return ``a ** b`` as NumPy: small whole exponents by multiplication, the rest by ``exp(b * log(a))``."""
    ar = a.real
    ai = a.imag
    br = b.real
    bi = b.imag
    if br == 0.0 and bi == 0.0:
        return complex(1.0 + br * br, 0.0)
    if ar == 0.0 and ai == 0.0:
        if br > 0.0:
            return complex(xp.math.abs(ar), 0.0)
        return complex(NAN * br, NAN * br)
    if br == 1.0 and bi == 0.0:
        return a
    if bi == 0.0 and xp.math.abs(br) < 100.0 and xp.math.trunc(br) == br:
        left = xp.int32(xp.math.abs(br))
        base = a
        result = complex(1.0 + 0.0 * br, 0.0)
        while left > 0:
            if (left & 1) == 1:
                result = multiply(result, base)
            left = left >> 1
            if left > 0:
                base = multiply(base, base)
        if br < 0.0:
            result = reciprocal(result)
        return result
    return exp(multiply(b, log(a)))


FUNCTIONS: dict[str, Any] = {
    "abs": absolute,
    "conj": conj,
    "exp": exp,
    "expm1": expm1,
    "imag": imag,
    "isfinite": isfinite,
    "isinf": isinf,
    "isnan": isnan,
    "log": log,
    "log10": log10,
    "log1p": log1p,
    "log2": log2,
    "mul": multiply,
    "pow": power,
    "real": real,
    "sqrt": sqrt,
    "truediv": divide,
}
