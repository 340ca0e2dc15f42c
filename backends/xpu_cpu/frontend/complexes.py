"""Arithmetic of complex numbers, the way NumPy does it."""

from __future__ import annotations

from typing import Any

from . import types as t
from .instructions import call_intrinsic, join, parts


def multiply_complex(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    """Return the product of two complex numbers."""
    (a, b), (c, d) = parts(builder, left), parts(builder, right)
    real = builder.fsub(builder.fmul(a, c), builder.fmul(b, d))
    return join(builder, ty, real, builder.fadd(builder.fmul(a, d), builder.fmul(b, c)))


def divide_complex(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    """Smith's division, the way NumPy does it: scale by the larger part of the divisor."""
    real_type = t.part(t.element(ty))
    (a, b), (c, d) = parts(builder, left), parts(builder, right)
    size_c = call_intrinsic(builder, "llvm.fabs", real_type, c)
    size_d = call_intrinsic(builder, "llvm.fabs", real_type, d)
    real_larger = builder.fcmp_ordered(">=", size_c, size_d)
    big, small = builder.select(real_larger, c, d), builder.select(real_larger, d, c)
    ratio = builder.fdiv(small, big)
    scale = builder.fdiv(t.constant(real_type, 1.0), builder.fadd(big, builder.fmul(small, ratio)))
    a_ratio, b_ratio = builder.fmul(a, ratio), builder.fmul(b, ratio)
    real = builder.select(real_larger, builder.fadd(a, b_ratio), builder.fadd(a_ratio, b))
    imag = builder.select(real_larger, builder.fsub(b, a_ratio), builder.fsub(b_ratio, a))
    real, imag = builder.fmul(real, scale), builder.fmul(imag, scale)
    zero = t.constant(real_type, 0.0)
    both = builder.and_(builder.fcmp_ordered("==", size_c, zero), builder.fcmp_ordered("==", size_d, zero))
    real = builder.select(both, builder.fdiv(a, size_c), real)
    return join(builder, ty, real, builder.select(both, builder.fdiv(b, size_c), imag))


def compare_complex(builder: Any, op: str, left: Any, right: Any) -> Any:
    """Equality of both parts; order by the real parts, then the imaginary ones."""
    (a, b), (c, d) = parts(builder, left), parts(builder, right)
    equal = builder.fcmp_ordered("==", a, c)
    if op == "==":
        return builder.and_(equal, builder.fcmp_ordered("==", b, d))
    if op == "!=":
        return builder.or_(builder.fcmp_unordered("!=", a, c), builder.fcmp_unordered("!=", b, d))
    tie = builder.and_(equal, builder.fcmp_ordered(op, b, d))
    strict = builder.fcmp_ordered(op[0], a, c)
    sound = builder.and_(builder.fcmp_ordered("ord", b, b), builder.fcmp_ordered("ord", d, d))
    return builder.or_(builder.and_(strict, sound), tie)
