"""The functions of ``xp.math`` that LLVM or the C library has."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from . import types as t
from .conversions import convert
from .instructions import call_external, call_intrinsic, compare, join, parts
from .words import word

Lower = Callable[..., Any]

LLVM_FLOAT = {
    name: f"llvm.{name}"
    for name in ("sqrt", "exp", "exp2", "log", "log2", "log10", "sin", "cos", "floor", "ceil", "trunc", "rint")
}
LLVM_FLOAT |= {"pow": "llvm.pow", "copysign": "llvm.copysign", "fma": "llvm.fma", "mad": "llvm.fmuladd"}
_C_FLOAT = (
    "expm1 log1p tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc tgamma lgamma "
    "atan2 fmod hypot nextafter remainder"
)
"""Functions of the C library; float32 has the suffix ``f``."""


def _floats(*args: Any) -> Any:
    return args[0] if len(set(args)) == 1 and t.is_float(args[0]) else None


def _numbers(*args: Any) -> Any:
    return args[0] if len(set(args)) == 1 and not t.is_complex(args[0]) else None


def _declare(name: str, typing: Callable[..., Any], lower: Lower) -> None:
    """Declare a word; ``lower`` takes builder, the first argument's type, and the values."""
    word(name, typing, lambda context, builder, sig, args: lower(builder, sig.args[0], *args))


def by_lanes(builder: Any, ty: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Apply a scalar function lane by lane."""
    if not isinstance(ty, t.Vector):
        return function(*args)
    value = ir.Constant(t.llvm(ty), ir.Undefined)
    for lane in range(ty.lanes):
        at = ir.Constant(ir.IntType(32), lane)
        one = function(*(builder.extract_element(arg, at) for arg in args))
        value = builder.insert_element(value, one, at)
    return value


def _llvm_function(name: str) -> Lower:
    rounding = name in ("llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.rint")

    def lower(builder: Any, ty: Any, *args: Any) -> Any:
        if rounding and not t.is_float(ty):
            return args[0]
        return call_intrinsic(builder, name, ty, *args)

    return lower


def _c_function(name: str) -> Lower:
    def lower(builder: Any, ty: Any, *args: Any) -> Any:
        scalar = t.element(ty)
        symbol = name + ("f" if t.bits(scalar) == 32 else "")
        kind = t.llvm(scalar)
        return by_lanes(builder, ty, lambda *items: call_external(builder, symbol, kind, *items), *args)

    return lower


for _name, _intrinsic in LLVM_FLOAT.items():
    _rule = _numbers if _name in ("floor", "ceil", "trunc", "rint") else _floats
    _declare(_name, _rule, _llvm_function(_intrinsic))
for _name in _C_FLOAT.split():
    _declare(_name, _floats, _c_function(_name))

# ------------------------------------------------------------------------------------------- made of arithmetic


def _abs(builder: Any, ty: Any, value: Any) -> Any:
    if t.is_float(ty):
        return call_intrinsic(builder, "llvm.fabs", ty, value)
    if t.is_bool(ty) or not t.element(ty).signed:
        return value
    zero = t.constant(ty, 0)
    return builder.select(builder.icmp_signed("<", value, zero), builder.sub(zero, value), value)


def _rsqrt(builder: Any, ty: Any, value: Any) -> Any:
    return builder.fdiv(t.constant(ty, 1.0), call_intrinsic(builder, "llvm.sqrt", ty, value))


def _scaled(factor: float) -> Lower:
    return lambda builder, ty, value: builder.fmul(value, t.constant(ty, factor))


def _fdim(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    below = builder.fcmp_ordered("<=", left, right)
    return builder.select(below, t.constant(ty, 0.0), builder.fsub(left, right))


def _python_min(op: str) -> Lower:
    def lower(builder: Any, ty: Any, left: Any, right: Any) -> Any:
        return builder.select(compare(builder, op, ty, right, left), right, left)

    return lower


def _nan(builder: Any, ty: Any, value: Any) -> Any:
    return builder.fcmp_unordered("uno", value, value)


def _nan_wins(op: str) -> Lower:
    def lower(builder: Any, ty: Any, left: Any, right: Any) -> Any:
        first = compare(builder, op, ty, left, right)
        if t.is_float(ty):
            first = builder.or_(first, _nan(builder, ty, left))
        return builder.select(first, left, right)

    return lower


def _nan_loses(op: str) -> Lower:
    def lower(builder: Any, ty: Any, left: Any, right: Any) -> Any:
        first = compare(builder, op, ty, left, right)
        if t.is_float(ty):
            first = builder.or_(first, _nan(builder, ty, right))
        return builder.select(first, left, right)

    return lower


def _clamp(builder: Any, ty: Any, value: Any, low: Any, high: Any) -> Any:
    value = _python_min(">")(builder, ty, value, low)
    return _python_min("<")(builder, ty, value, high)


def _isinf(builder: Any, ty: Any, value: Any) -> Any:
    return builder.fcmp_ordered("==", _abs(builder, ty, value), t.constant(ty, math.inf))


def _isfinite(builder: Any, ty: Any, value: Any) -> Any:
    return builder.fcmp_ordered("<", _abs(builder, ty, value), t.constant(ty, math.inf))


def _signbit(builder: Any, ty: Any, value: Any) -> Any:
    words = t.like(ty, types.int32 if t.bits(ty) == 32 else types.int64)
    return builder.icmp_signed("<", builder.bitcast(value, t.llvm(words)), t.constant(words, 0))


def _clz(builder: Any, ty: Any, value: Any) -> Any:
    zero_is_fine = ir.Constant(ir.IntType(1), 0)
    return call_intrinsic(builder, "llvm.ctlz", ty, value, zero_is_fine)


for _name, _rule, _lower in (
    ("abs", _numbers, _abs),
    ("rsqrt", _floats, _rsqrt),
    ("degrees", _floats, _scaled(180.0 / math.pi)),
    ("radians", _floats, _scaled(math.pi / 180.0)),
    ("fdim", _floats, _fdim),
    ("min", _numbers, _python_min("<")),
    ("max", _numbers, _python_min(">")),
    ("minimum", _numbers, _nan_wins("<")),
    ("maximum", _numbers, _nan_wins(">")),
    ("fmin", _numbers, _nan_loses("<")),
    ("fmax", _numbers, _nan_loses(">")),
    ("clamp", _numbers, _clamp),
    ("popcount", _numbers, lambda builder, ty, value: call_intrinsic(builder, "llvm.ctpop", ty, value)),
    ("clz", _numbers, _clz),
):
    _declare(_name, _rule, _lower)


def _tests(ty: Any) -> Any:
    return t.like(ty, types.boolean) if t.is_float(ty) else None


for _name, _lower in (("isnan", _nan), ("isinf", _isinf), ("isfinite", _isfinite), ("signbit", _signbit)):
    _declare(_name, _tests, _lower)

# ---------------------------------------------------------------------------------------------- complex numbers


def _declare_part(name: str, index: int) -> None:
    def typing(ty: Any) -> Any:
        return t.part(ty) if t.is_complex(ty) else ty

    def lower(builder: Any, ty: Any, value: Any) -> Any:
        if t.is_complex(ty):
            return parts(builder, value)[index]
        return value if index == 0 else convert(builder, types.int32, ty, ir.Constant(ir.IntType(32), 0))

    _declare(name, typing, lower)


_declare_part("real", 0)
_declare_part("imag", 1)


def _conj(builder: Any, ty: Any, value: Any) -> Any:
    if not t.is_complex(ty):
        return value
    real, imag = parts(builder, value)
    return join(builder, ty, real, builder.fneg(imag))


_declare("conj", lambda ty: ty, _conj)
