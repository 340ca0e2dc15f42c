"""Conversions of values, halves, bit patterns, and constants."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types

from . import types as t
from .instructions import compare, freeze, join, parts
from .words import CASTS, word


def convert(builder: Any, source: Any, target: Any, value: Any) -> Any:
    """Convert a value of one type to another, lane by lane."""
    if source == target:
        return value
    if t.is_complex(target):
        return _to_complex(builder, source, target, value)
    if t.is_complex(source):
        real, imag = parts(builder, value)
        real_type = t.part(t.element(source))
        if t.is_bool(target):
            zero = t.constant(real_type, 0.0)
            return builder.or_(builder.fcmp_unordered("!=", real, zero), builder.fcmp_unordered("!=", imag, zero))
        return convert(builder, real_type, target, real)
    kind = t.llvm(target)
    if t.is_bool(target):
        return compare(builder, "!=", source, value, t.constant(source, 0.0 if t.is_float(source) else 0))
    if t.is_float(target):
        return _to_float(builder, source, target, value, kind)
    if t.is_float(source):
        return _float_to_integer(builder, source, target, value)
    width, new = t.bits(source), t.bits(target)
    if width == new:
        return value
    if width > new:
        return builder.trunc(value, kind)
    signed = not t.is_bool(source) and t.element(source).signed
    return builder.sext(value, kind) if signed else builder.zext(value, kind)


def _to_complex(builder: Any, source: Any, target: Any, value: Any) -> Any:
    real_type = t.part(t.element(target))
    if t.is_complex(source):
        real, imag = (convert(builder, t.part(t.element(source)), real_type, item) for item in parts(builder, value))
        return join(builder, target, real, imag)
    real = convert(builder, source, real_type, value)
    return join(builder, target, real, t.constant(real_type, 0.0))


def _to_float(builder: Any, source: Any, target: Any, value: Any, kind: Any) -> Any:
    if t.is_float(source):
        wider = t.bits(target) > t.bits(source)
        return builder.fpext(value, kind) if wider else builder.fptrunc(value, kind)
    signed = not t.is_bool(source) and t.element(source).signed
    return builder.sitofp(value, kind) if signed else builder.uitofp(value, kind)


def _float_to_integer(builder: Any, source: Any, target: Any, value: Any) -> Any:
    """Truncate. Values outside go through a wider integer and wrap around, as compiled NumPy does on x86."""
    kind, new = t.llvm(target), t.bits(target)
    if new == 64 and not t.element(target).signed:
        wide = t.llvm(t.like(target, types.int64))
        limit = t.constant(source, 2.0**63)
        below = builder.fcmp_ordered("<", value, limit)
        low = freeze(builder, builder.fptosi(value, wide))
        high = freeze(builder, builder.fptosi(builder.fsub(value, limit), wide))
        return builder.select(below, low, builder.xor(high, t.constant(t.like(target, types.int64), -(2**63))))
    if new == 64 or (new == 32 and t.element(target).signed):
        return freeze(builder, builder.fptosi(value, kind))
    wide = t.llvm(t.like(target, types.int64 if new == 32 else types.int32))
    return builder.trunc(freeze(builder, builder.fptosi(value, wide)), kind)


def round_to_half(builder: Any, source: Any, value: Any) -> Any:
    """Return a real number, rounded once, as LLVM's half."""
    kind: Any = ir.HalfType()
    if isinstance(source, t.Vector):
        kind = ir.VectorType(kind, source.lanes)
    single = t.like(source, types.float32)
    if not (t.is_float(source) and t.bits(source) == 64):
        return builder.fptrunc(convert(builder, source, single, value), kind)
    # By way of float32, rounded to odd: then the second rounding sees what the first dropped.
    near = builder.fptrunc(value, t.llvm(single))
    error = builder.fsub(value, builder.fpext(near, t.llvm(source)))
    zero = t.constant(source, 0.0)
    words = t.like(source, types.int32)
    pattern = builder.bitcast(near, t.llvm(words))
    even = builder.icmp_signed("==", builder.and_(pattern, t.constant(words, 1)), t.constant(words, 0))
    inexact = builder.fcmp_ordered("!=", error, zero)
    positive = builder.fcmp_ordered(">", near, t.constant(single, 0.0))
    nonzero = builder.fcmp_ordered("!=", near, t.constant(single, 0.0))
    away = builder.icmp_unsigned("==", builder.fcmp_ordered(">", error, zero), positive)
    step = builder.select(away, t.constant(words, 1), t.constant(words, -1))
    adjust = builder.and_(builder.and_(even, inexact), nonzero)
    odd = builder.select(adjust, builder.add(pattern, step), pattern)
    return builder.fptrunc(builder.bitcast(odd, t.llvm(single)), kind)


def _declare_cast(name: str, target: Any) -> None:
    def typing(source: Any) -> Any:
        if isinstance(source, t.Vector) and isinstance(target, types.Complex):
            return None
        return t.like(source, target)

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, result = sig.args[0], sig.return_type
        if name != "float16":
            return convert(builder, source, result, args[0])
        if t.is_complex(source):
            source, value = t.part(source), parts(builder, args[0])[0]
        else:
            value = args[0]
        return builder.fpext(round_to_half(builder, source, value), t.llvm(result))

    word(name, typing, lowering)


for _name, _target in t.SCALARS.items():
    _declare_cast("bool_" if _name == "bool" else _name, _target)


def _declare_complex(name: str) -> None:
    target = t.SCALARS[name]
    real = target.underlying_float

    def typing(left: Any, right: Any) -> Any:
        return target if left == right == real else None

    word(f"make_{name}", typing, lambda context, builder, sig, args: join(builder, target, *args))


for _name in ("complex64", "complex128"):
    _declare_complex(_name)


def _declare_bits(name: str, target: Any) -> None:
    def typing(source: Any) -> Any:
        return t.like(source, target)

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, result = sig.args[0], sig.return_type
        value = args[0]
        if t.is_bool(source):
            return builder.zext(value, t.llvm(result))
        if name == "bool":
            return builder.trunc(value, t.llvm(result))
        return builder.bitcast(value, t.llvm(result))

    word(f"bits_{name}", typing, lowering)


for _name, _target in t.SCALARS.items():
    if not isinstance(_target, types.Complex) and _name != "float16":
        _declare_bits(_name, _target)


def _half_of_bits(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ty = sig.args[0]
    kind: Any = ir.HalfType()
    if isinstance(ty, t.Vector):
        kind = ir.VectorType(kind, ty.lanes)
    return builder.fpext(builder.bitcast(args[0], kind), t.llvm(sig.return_type))


def _bits_of_half(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.bitcast(round_to_half(builder, sig.args[0], args[0]), t.llvm(sig.return_type))


def _next_half(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the half next to the first number in the direction of the second: bit patterns are in the numbers' order."""
    ty = sig.args[0]
    half: Any = ir.HalfType()
    if isinstance(ty, t.Vector):
        half = ir.VectorType(half, ty.lanes)
    patterns = t.like(ty, types.int16)
    zero, one = t.constant(ty, 0.0), t.constant(patterns, 1)
    first, second = args
    pattern, towards = (builder.bitcast(round_to_half(builder, ty, value), t.llvm(patterns)) for value in args)
    grows = builder.icmp_unsigned(
        "==", builder.fcmp_ordered(">", second, first), builder.fcmp_ordered(">", first, zero)
    )
    stepped = builder.add(pattern, builder.select(grows, one, t.constant(patterns, -1)))
    smallest = builder.or_(builder.and_(towards, t.constant(patterns, -(2**15))), one)
    stepped = builder.select(builder.fcmp_ordered("==", first, zero), smallest, stepped)
    value = builder.fpext(builder.bitcast(stepped, half), t.llvm(ty))
    value = builder.select(builder.fcmp_ordered("==", first, second), first, value)  # NumPy's choice among zeros
    return builder.select(builder.fcmp_unordered("uno", first, second), builder.fadd(first, second), value)


word("nextafter_float16", lambda first, second: first if first == second else None, _next_half)
word("bits_float16", lambda ty: t.like(ty, types.float32), _half_of_bits)
word("bits_of_float16", lambda ty: t.like(ty, types.uint16), _bits_of_half)


def _constant(context: Any, builder: Any, ty: Any, value: Any) -> Any:
    if isinstance(ty, types.Complex):
        real = ty.underlying_float
        return ir.Constant(t.llvm(ty), [t.constant(real, value.real), t.constant(real, value.imag)])
    return t.constant(ty, value)


def _cast_literal(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return convert(builder, types.unliteral(source), target, value)


for _kind in (types.Integer, types.Float, types.Boolean, types.Complex):
    CASTS.lower_constant(_kind)(_constant)
CASTS.lower_constant(types.Dummy)(lambda context, builder, ty, value: context.get_dummy_value())
CASTS.lower_cast(types.IntegerLiteral, types.Integer)(_cast_literal)
CASTS.lower_cast(types.BooleanLiteral, types.Boolean)(_cast_literal)
