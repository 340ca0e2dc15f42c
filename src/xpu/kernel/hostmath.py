"""The functions of ``xp.math`` on the host: words of the kernel language that also compute with Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .intrinsics import TABLE

CONSTANTS = {"e": math.e, "pi": math.pi, "tau": math.tau, "inf": math.inf, "nan": math.nan}


def _bits(x: Any) -> tuple[int, int]:
    dtype = np.asarray(x).dtype
    return int(x) & ((1 << dtype.itemsize * 8) - 1), dtype.itemsize * 8


def _popcount(x: Any) -> int:
    return _bits(x)[0].bit_count()


def _clz(x: Any) -> int:
    value, width = _bits(x)
    return width - value.bit_length()


def _fdim(x: Any, y: Any) -> Any:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, np.maximum(x - y, 0.0))[()]


def _fma(x: Any, y: Any, z: Any) -> Any:
    """Round once, by exact rational arithmetic."""
    from fractions import Fraction

    if not all(math.isfinite(v) for v in (x, y, z)):
        return x * y + z
    exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    result = float(exact) if exact else float(x) * float(y) + float(z)
    return np.result_type(x, y, z).type(result)


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """Return a function of floats that keeps a NumPy float's type."""

    def compute(x: Any) -> Any:
        result = function(float(x))
        return x.dtype.type(result) if isinstance(x, np.floating) else result

    return compute


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except ValueError:
        return math.nan if x < 0 else math.copysign(math.inf, x)
    except OverflowError:
        return math.inf


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def _python_min(x: Any, y: Any) -> Any:
    return y if y < x else x


def _python_max(x: Any, y: Any) -> Any:
    return y if y > x else x


_OWN: dict[str, Callable[..., Any]] = {
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "tgamma": _each(_gamma),
    "lgamma": _each(_lgamma),
    "pow": np.power,
    "remainder": lambda x, y: math.remainder(x, y) if y != 0 and math.isfinite(x) else math.nan,
    "fdim": _fdim,
    "min": _python_min,
    "max": _python_max,
    "fma": _fma,
    "mad": lambda x, y, z: x * y + z,
    "clamp": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "popcount": _popcount,
    "clz": _clz,
}
_NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
}
_FLOATS = {"float", "bool"}


def _host(name: str) -> Callable[..., Any]:
    if name in _OWN:
        return _OWN[name]
    function: Callable[..., Any] = getattr(np, _NUMPY.get(name, name))
    return function


def make(name: str) -> Callable[..., Any]:
    """Return the function of ``xp.math`` with a name of ``intrinsics.TABLE``."""
    row = TABLE[name]
    compute = _host(name)

    def function(*args: Any) -> Any:
        if len(args) != row.arity:
            raise TypeError(f"xp.math.{name} takes {row.arity} argument{'s' * (row.arity != 1)}, not {len(args)}")
        for arg in args:
            if hasattr(arg, "__xpu_view__"):
                raise TypeError(f"xp.math.{name} takes numbers; for whole arrays there is the function of xp itself")
        with np.errstate(all="ignore"):
            result = compute(*args)
        plain = not any(isinstance(arg, (np.generic, np.ndarray)) for arg in args)
        return result.item() if plain and isinstance(result, np.generic) else result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"``{name}`` of {'one number' if row.arity == 1 else f'{row.arity} numbers'}, in kernels and on the host."
    )
    function.__xpu_math__ = name  # type: ignore[attr-defined]
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {name: make(name) for name in TABLE}


def where(condition: Any, then: Any, other: Any) -> Any:
    """Return ``then`` where the condition holds, else ``other``; lane by lane for short vectors."""
    return then if condition else other


where.__xpu_math__ = "where"  # type: ignore[attr-defined]
