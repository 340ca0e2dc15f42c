"""What translated kernels call: literals, casts, and the functions of ``xp.math``, each for an exact dtype.

These are the language's definitions; NumPy's scalars give them wherever NumPy has the operation.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from ...dtypes import real_of

TRUE, FALSE = np.True_, np.False_

breakpoint = builtins.breakpoint


# ------------------------------------------------------------------------------------------- literals and casts


def literal(dtype: Any, value: Any) -> Any:
    """Return a constant as a NumPy scalar; integers that do not fit are an error."""
    return np.dtype(dtype).type(value)


def literal_type(dtype: Any) -> Any:
    """Return what makes a literal of a dtype."""
    return dtype.type


def cast(target: np.dtype[Any], source: np.dtype[Any]) -> Callable[[Any], Any]:
    """Return the conversion of a scalar from one dtype to another."""
    made = target.type
    if target == source:
        return lambda value: value
    if target.kind == "b":
        return lambda value: TRUE if value != 0 else FALSE
    if source.kind == "c" and target.kind != "c":
        return lambda value: made(value.real)
    return made


def cast_lanes(target: np.dtype[Any], source: np.dtype[Any]) -> Callable[[Any], Any]:
    """Return the conversion of a vector."""
    if target.kind == "b":
        return lambda vector: vector != 0
    if source.kind == "c" and target.kind != "c":
        return lambda vector: vector.real.astype(target)
    return lambda vector: vector.astype(target)


def reinterpret(target: np.dtype[Any]) -> Callable[[Any], Any]:
    """Return what reads the bits of a number as another dtype."""
    return lambda value: value.view(target)


reinterpret_lanes = reinterpret


def complex_of(dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return what makes a complex number from its parts."""
    made = dtype.type
    return lambda real, imag: made(complex(real, imag))


def logical_not(value: Any) -> Any:
    """Return ``not value`` as NumPy's bool."""
    return FALSE if value else TRUE


# ------------------------------------------------------------------------------------------------------ vectors


def vector_of(dtype: np.dtype[Any], lanes: int) -> Callable[..., Any]:
    """Return what makes a vector from its lanes, or from one number that fills them."""

    def make(*items: Any) -> Any:
        return np.full(lanes, items[0], dtype) if len(items) == 1 else np.array(items, dtype)

    return make


def select_lanes(dtype: np.dtype[Any]) -> Callable[[Any, Any, Any], Any]:
    """Return the lane-wise choice between two vectors."""
    return lambda condition, then, other: np.where(condition, then, other).astype(dtype, copy=False)


def by_lane(name: str, dtype: np.dtype[Any], source: np.dtype[Any]) -> Callable[..., Any]:
    """Return a function of ``xp.math`` for vectors."""
    function = intrinsic(name, dtype, source)

    def apply(*vectors: Any) -> Any:
        return np.array([function(*lanes) for lanes in zip(*vectors, strict=True)], dtype)

    return apply


# --------------------------------------------------------------------------------------------------- arithmetic


def counter(dtype: np.dtype[Any]) -> Callable[[Any, Any, Any], Iterator[Any]]:
    """Return ``range`` over one dtype."""
    made = dtype.type
    return lambda start, stop, step: map(made, range(start, stop, step))


def integer_power(dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return integer ``**``: wraps around; a negative exponent gives the true value's integer part (0 for base 0)."""
    bits = 8 * dtype.itemsize
    signed = dtype.kind == "i"

    def power(base: Any, exponent: Any) -> Any:
        b, e = int(base), int(exponent)
        if e < 0:
            value = b if b in (1, -1) and e % 2 else int(b in (1, -1))
        else:
            value = pow(b, e, 1 << bits)
        return wrap(dtype, value, bits, signed)

    return power


def wrap(dtype: np.dtype[Any], value: int, bits: int, signed: bool) -> Any:
    """Return an integer of any size in a dtype, wrapped around."""
    value &= (1 << bits) - 1
    if signed and value >> (bits - 1):
        value -= 1 << bits
    return dtype.type(value)


def integer_power_lanes(dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return integer ``**`` of vectors."""
    power = integer_power(dtype)
    return lambda a, b: np.array([power(x, y) for x, y in zip(a, b, strict=True)], dtype)


def complex_op(op: str, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return complex multiplication or division (Smith's), every step rounded to the parts' dtype."""
    made, real = dtype.type, real_of(dtype).type

    def multiply(x: Any, y: Any) -> Any:
        a, b, c, d = x.real, x.imag, y.real, y.imag
        return made(complex(a * c - b * d, a * d + b * c))

    def divide(x: Any, y: Any) -> Any:
        a, b, c, d = x.real, x.imag, y.real, y.imag
        if abs(c) >= abs(d):
            if c == 0 and d == 0:
                return made(complex(a / abs(c), b / abs(c)))
            ratio = d / c
            scale = real(1) / (c + d * ratio)
            return made(complex((a + b * ratio) * scale, (b - a * ratio) * scale))
        ratio = c / d
        scale = real(1) / (d + c * ratio)
        return made(complex((a * ratio + b) * scale, (b * ratio - a) * scale))

    return multiply if op == "mul" else divide


def complex_lanes(op: str, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Return complex multiplication or division of vectors."""
    apply = complex_op(op, dtype)
    return lambda a, b: np.array([apply(x, y) for x, y in zip(a, b, strict=True)], dtype)


def print_values(*values: Any) -> None:
    """Print as a kernel does: blanks between, a newline at the end."""
    print(*values)  # noqa: T201


# ----------------------------------------------------------------------------------------------------- xp.math


def intrinsic(name: str, dtype: np.dtype[Any], source: np.dtype[Any]) -> Callable[..., Any]:
    """Return a function of ``xp.math`` that takes scalars of ``source`` and gives one of ``dtype``."""
    if source.kind == "c" and name in _COMPLEX:
        return _COMPLEX[name]
    if name in _NUMPY:
        return _NUMPY[name]  # type: ignore[no-any-return]
    if name in _FLOAT64:
        function, made = _FLOAT64[name], dtype.type
        return lambda x: made(function(float(x)))
    if name in _PLAIN:
        return _PLAIN[name]
    if name in ("floor", "ceil", "trunc", "rint"):
        return getattr(np, name) if source.kind == "f" else lambda x: x
    if name in ("popcount", "clz"):
        bits, made = 8 * source.itemsize, dtype.type
        mask = (1 << bits) - 1
        if name == "popcount":
            return lambda x: made((int(x) & mask).bit_count())
        return lambda x: made(bits - (int(x) & mask).bit_length())
    if name in ("real", "imag", "conj"):
        return _complex_part(name, dtype, source)
    if name == "abs" and source.kind in "bu":
        return lambda x: x
    if name == "abs":
        return np.abs
    if name == "rsqrt":
        one = dtype.type(1)
        return lambda x: one / np.sqrt(x)
    if name == "mad":
        return lambda a, b, c: a * b + c
    if name == "fma":
        return fused(dtype)
    if name == "remainder":
        made = dtype.type
        return lambda x, y: made(_remainder(float(x), float(y)))
    raise KeyError(f"the interpreter lacks xp.math.{name}")


def _complex_part(name: str, dtype: np.dtype[Any], source: np.dtype[Any]) -> Callable[[Any], Any]:
    if source.kind == "c":
        parts: dict[str, Callable[[Any], Any]] = {"real": lambda x: x.real, "imag": lambda x: x.imag, "conj": np.conj}
        return parts[name]
    zero = dtype.type(0)
    return (lambda x: zero) if name == "imag" else (lambda x: x)


_SAME_NAME = (
    "sqrt exp expm1 exp2 log log2 log10 log1p sin cos tan sinh cosh tanh degrees radians cbrt fmod hypot copysign "
    "nextafter isnan isinf isfinite signbit"
)
_INVERSE = "asin acos atan asinh acosh atanh atan2"

_NUMPY: dict[str, Any] = {name: getattr(np, name) for name in _SAME_NAME.split()}
_NUMPY |= {name: getattr(np, "arc" + name[1:]) for name in _INVERSE.split()}
_NUMPY["pow"] = np.power


def _complex_log1p(z: Any) -> Any:
    """``log(1 + z)``; NumPy's has no accuracy near zero."""
    if not np.isfinite(z) or abs(z) > 4:
        return np.log1p(z)
    x, y = np.longdouble(z.real), np.longdouble(z.imag)
    return type(z)(complex(np.log1p(x * (2 + x) + y * y) / 2, np.arctan2(y, 1 + x)))


def _complex_expm1(z: Any) -> Any:
    """``exp(z) - 1``; NumPy's gives NaN for infinite parts where the exponential is infinite."""
    return np.expm1(z) if np.isfinite(z) else np.exp(z) - 1


_COMPLEX: dict[str, Callable[[Any], Any]] = {"log1p": _complex_log1p, "expm1": _complex_expm1}


def _tgamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:  # poles: a signed infinity at zero, no number elsewhere
        return math.copysign(math.inf, x) if x == 0 else math.nan


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


_FLOAT64: dict[str, Callable[[float], float]] = {
    "erf": math.erf,
    "erfc": math.erfc,
    "tgamma": _tgamma,
    "lgamma": _lgamma,
}


def _remainder(x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    return math.remainder(x, y)


def _fdim(x: Any, y: Any) -> Any:
    if x != x or y != y:
        return x + y
    return x - y if x > y else type(x)(0)


def _clamp(x: Any, low: Any, high: Any) -> Any:
    raised = low if low > x else x
    return high if high < raised else raised


_PLAIN: dict[str, Callable[..., Any]] = {
    "fmin": lambda a, b: a if a < b or b != b else b,
    "fmax": lambda a, b: a if a > b or b != b else b,
    "minimum": lambda a, b: a if a < b or a != a else b,
    "maximum": lambda a, b: a if a > b or a != a else b,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    "clamp": _clamp,
    "fdim": _fdim,
}


def fused(dtype: np.dtype[Any]) -> Callable[[Any, Any, Any], Any]:
    """Return ``a * b + c`` with one rounding."""
    made = dtype.type

    def fma(a: Any, b: Any, c: Any) -> Any:
        x, y, z = float(a), float(b), float(c)
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            return c if math.isfinite(x) and math.isfinite(y) else made(x * y + z)
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        return _round(exact, dtype) if exact != 0 else made(x * y + z)  # the latter for the sign of zero

    return fma


def _round(exact: Fraction, dtype: np.dtype[Any]) -> Any:
    """Round a fraction to a floating dtype, to nearest, ties to even."""
    try:
        near = float(exact)
    except OverflowError:
        return dtype.type(math.copysign(math.inf, exact))
    if dtype.itemsize == 8 or math.isinf(near):
        return dtype.type(near)
    error = exact - Fraction(near)
    if error != 0:  # round to odd first, so that rounding again to fewer bits is right
        bits = np.float64(near).view(np.int64)
        if not bits & 1:
            away = math.inf if error > 0 else -math.inf
            near = math.nextafter(near, away)
    return dtype.type(near)
