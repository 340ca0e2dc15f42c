"""Division without branches: integers by any integer, floats rounded down as NumPy does."""

from __future__ import annotations

from typing import Any

from numba.core import types

from . import types as t
from .instructions import call_intrinsic


def divide_integers(builder: Any, ty: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return quotient and remainder rounded towards minus infinity; both are 0 for a zero divisor."""
    zero, one = t.constant(ty, 0), t.constant(ty, 1)
    by_zero = builder.icmp_unsigned("==", right, zero)
    if not t.element(ty).signed:
        divisor = builder.select(by_zero, one, right)
        quotient = builder.udiv(left, divisor)
        remainder = builder.sub(left, builder.mul(quotient, divisor))
        return builder.select(by_zero, zero, quotient), builder.select(by_zero, zero, remainder)
    by_minus_one = builder.icmp_signed("==", right, t.constant(ty, -1))
    divisor = builder.select(builder.or_(by_zero, by_minus_one), one, right)
    quotient = builder.sdiv(left, divisor)
    remainder = builder.sub(left, builder.mul(quotient, divisor))
    signs = builder.icmp_signed("<", builder.xor(remainder, divisor), zero)
    below = builder.and_(builder.icmp_unsigned("!=", remainder, zero), signs)
    quotient = builder.select(below, builder.sub(quotient, one), quotient)
    remainder = builder.select(below, builder.add(remainder, divisor), remainder)
    quotient = builder.select(by_minus_one, builder.sub(zero, left), quotient)
    return builder.select(by_zero, zero, quotient), builder.select(by_zero, zero, remainder)


def divide_narrow(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    """Return the quotient of integers of at most 32 bits through floating division, which SIMD units have.

    The distance of an inexact quotient from the next integer is more than rounding can bridge: 1/b >= 2**-32 of at most
    2**32 against 53 bits; for 16 bits and float32 likewise.
    """
    wide = t.like(ty, types.float32 if t.bits(ty) <= 16 else types.float64)
    signed = t.element(ty).signed
    zero = t.constant(ty, 0)
    by_zero = builder.icmp_unsigned("==", right, zero)
    divisor = builder.select(by_zero, t.constant(ty, 1), right)
    convert = builder.sitofp if signed else builder.uitofp
    kind = t.llvm(wide)
    exact = builder.fdiv(convert(left, kind), convert(divisor, kind))
    floor = call_intrinsic(builder, "llvm.floor", wide, exact)
    if t.bits(ty) == 32:
        quotient = builder.trunc(builder.fptosi(floor, t.llvm(t.like(ty, types.int64))), t.llvm(ty))
    else:
        quotient = builder.trunc(builder.fptosi(floor, t.llvm(t.like(ty, types.int32))), t.llvm(ty))
    return builder.select(by_zero, zero, quotient)


def divide_floats(builder: Any, ty: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return floor quotient and remainder as NumPy computes them."""
    zero, one = t.constant(ty, 0.0), t.constant(ty, 1.0)
    rest = builder.frem(left, right)
    nonzero = builder.fcmp_unordered("!=", rest, zero)
    signs = builder.xor(builder.fcmp_ordered("<", right, zero), builder.fcmp_ordered("<", rest, zero))
    below = builder.and_(nonzero, signs)
    quotient = builder.fdiv(builder.fsub(left, rest), right)
    quotient = builder.select(below, builder.fsub(quotient, one), quotient)
    remainder = builder.select(below, builder.fadd(rest, right), rest)
    remainder = builder.select(nonzero, remainder, call_intrinsic(builder, "llvm.copysign", ty, zero, right))
    floor = call_intrinsic(builder, "llvm.floor", ty, quotient)
    short = builder.fcmp_ordered(">", builder.fsub(quotient, floor), t.constant(ty, 0.5))
    floor = builder.select(short, builder.fadd(floor, one), floor)
    plain = builder.fdiv(left, right)
    signed_zero = call_intrinsic(builder, "llvm.copysign", ty, zero, plain)
    floor = builder.select(builder.fcmp_unordered("!=", quotient, zero), floor, signed_zero)
    by_zero = builder.fcmp_ordered("==", right, zero)
    return builder.select(by_zero, plain, floor), builder.select(by_zero, rest, remainder)
