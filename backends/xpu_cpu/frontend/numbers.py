"""Operators and conversions: arithmetic at the width of its type, without branches."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from . import types as t
from .words import CASTS, declare, word

# ------------------------------------------------------------------------------------------------ small tools


def compare(builder: Any, op: str, ty: Any, left: Any, right: Any) -> Any:
    """Compare two real numbers or vectors of them; NaN makes everything false but ``!=``."""
    if t.is_float(ty):
        return builder.fcmp_unordered(op, left, right) if op == "!=" else builder.fcmp_ordered(op, left, right)
    if t.is_bool(ty) or not t.element(ty).signed:
        return builder.icmp_unsigned(op, left, right)
    return builder.icmp_signed(op, left, right)


def parts(builder: Any, value: Any) -> tuple[Any, Any]:
    """Return the real and the imaginary part of a complex value."""
    return builder.extract_value(value, 0), builder.extract_value(value, 1)


def join(builder: Any, ty: Any, real: Any, imag: Any) -> Any:
    """Return a complex value of its parts."""
    value = ir.Constant(t.llvm(ty), ir.Undefined)
    return builder.insert_value(builder.insert_value(value, real, 0), imag, 1)


def call_intrinsic(builder: Any, name: str, ty: Any, *args: Any) -> Any:
    """Call an LLVM intrinsic that is named after one type."""
    kind = t.llvm(ty)
    suffix = f"f{t.bits(ty)}" if t.is_float(ty) else f"i{t.bits(ty)}"
    if isinstance(ty, t.Vector):
        suffix = f"v{ty.lanes}{suffix}"
    return call_external(builder, f"{name}.{suffix}", kind, *args)


def call_external(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """Call a function of LLVM or of the C library."""
    module = builder.module
    known = module.globals.get(name)
    if known is None:
        known = ir.Function(module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(known, args)


def freeze(builder: Any, value: Any) -> Any:
    """Make the result of an out-of-range conversion some number, not undefined behaviour."""
    instruction = ir.instructions.Instruction(builder.block, value.type, "freeze", [value])
    builder._insert(instruction)
    return instruction


# -------------------------------------------------------------------------------------------- integer division


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


# ---------------------------------------------------------------------------------------------------- complex


def multiply_complex(builder: Any, ty: Any, left: Any, right: Any) -> Any:
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


# -------------------------------------------------------------------------------------------------- operators

Lower = Callable[[Any, Any, Any, Any], Any]


def _add(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    if t.is_complex(ty):
        (a, b), (c, d) = parts(builder, left), parts(builder, right)
        return join(builder, ty, builder.fadd(a, c), builder.fadd(b, d))
    if t.is_bool(ty):
        return builder.or_(left, right)
    return builder.fadd(left, right) if t.is_float(ty) else builder.add(left, right)


def _sub(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    if t.is_complex(ty):
        (a, b), (c, d) = parts(builder, left), parts(builder, right)
        return join(builder, ty, builder.fsub(a, c), builder.fsub(b, d))
    if t.is_bool(ty):
        return builder.xor(left, right)
    return builder.fsub(left, right) if t.is_float(ty) else builder.sub(left, right)


def _mul(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    if t.is_complex(ty):
        return multiply_complex(builder, ty, left, right)
    if t.is_bool(ty):
        return builder.and_(left, right)
    return builder.fmul(left, right) if t.is_float(ty) else builder.mul(left, right)


def _truediv(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    return divide_complex(builder, ty, left, right) if t.is_complex(ty) else builder.fdiv(left, right)


def _floordiv(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    if t.is_float(ty):
        return divide_floats(builder, ty, left, right)[0]
    if t.is_bool(ty):
        return builder.and_(left, right)
    if t.bits(ty) <= 32:
        return divide_narrow(builder, ty, left, right)
    return divide_integers(builder, ty, left, right)[0]


def _mod(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    if t.is_float(ty):
        return divide_floats(builder, ty, left, right)[1]
    if t.is_bool(ty):
        return builder.and_(left, ir.Constant(left.type, 0))
    if t.bits(ty) <= 32:
        rest = builder.sub(left, builder.mul(divide_narrow(builder, ty, left, right), right))
        return builder.select(builder.icmp_unsigned("==", right, t.constant(ty, 0)), t.constant(ty, 0), rest)
    return divide_integers(builder, ty, left, right)[1]


def _shift_left(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    inside = builder.icmp_unsigned("<", right, t.constant(ty, t.bits(ty)))
    amount = builder.select(inside, right, t.constant(ty, 0))
    return builder.select(inside, builder.shl(left, amount), t.constant(ty, 0))


def _shift_right(builder: Any, ty: Any, left: Any, right: Any) -> Any:
    inside = builder.icmp_unsigned("<", right, t.constant(ty, t.bits(ty)))
    if t.element(ty).signed:
        return builder.ashr(left, builder.select(inside, right, t.constant(ty, t.bits(ty) - 1)))
    amount = builder.select(inside, right, t.constant(ty, 0))
    return builder.select(inside, builder.lshr(left, amount), t.constant(ty, 0))


def _power(builder: Any, ty: Any, base: Any, exponent: Any) -> Any:
    if t.is_float(ty):
        return call_intrinsic(builder, "llvm.pow", ty, base, exponent)
    if t.is_bool(ty):
        return builder.or_(base, builder.not_(exponent))
    if isinstance(ty, t.Vector):
        result = ir.Constant(t.llvm(ty), ir.Undefined)
        for lane in range(ty.lanes):
            at = ir.Constant(ir.IntType(32), lane)
            one = power_integer(
                builder, ty.element, builder.extract_element(base, at), builder.extract_element(exponent, at)
            )
            result = builder.insert_element(result, one, at)
        return result
    return power_integer(builder, t.element(ty), base, exponent)


def power_integer(builder: Any, ty: Any, base: Any, exponent: Any) -> Any:
    """Return a power by squaring; a negative exponent gives the integer part of the true power."""
    name = f"xpu.power.{ty}"
    known = builder.module.globals.get(name)
    if known is None:
        known = _power_function(builder.module, ty, name)
    return builder.call(known, [base, exponent])


def _power_function(module: Any, ty: Any, name: str) -> Any:
    kind = t.llvm(ty)
    function = ir.Function(module, ir.FunctionType(kind, [kind, kind]), name)
    function.linkage = "internal"
    entry, loop, done = (function.append_basic_block(label) for label in ("entry", "loop", "done"))
    zero, one = t.constant(ty, 0), t.constant(ty, 1)
    base, exponent = function.args
    builder = ir.IRBuilder(entry)
    odd = builder.icmp_unsigned("!=", builder.and_(exponent, one), zero)
    builder.cbranch(builder.icmp_unsigned("==", exponent, zero), done, loop)
    builder.position_at_end(loop)
    rest, square, result = builder.phi(kind), builder.phi(kind), builder.phi(kind)
    take = builder.icmp_unsigned("!=", builder.and_(rest, one), zero)
    product = builder.select(take, builder.mul(result, square), result)
    squared, halved = builder.mul(square, square), builder.lshr(rest, one)
    for phi, first, following in ((rest, exponent, halved), (square, base, squared), (result, one, product)):
        phi.add_incoming(first, entry)
        phi.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("==", halved, zero), done, loop)
    builder.position_at_end(done)
    power = builder.phi(kind)
    power.add_incoming(one, entry)
    power.add_incoming(product, loop)
    result = power
    if ty.signed:
        minus = t.constant(ty, -1)
        alternating = builder.select(builder.icmp_signed("==", base, minus), minus, zero)
        alternating = builder.select(
            odd, alternating, builder.select(builder.icmp_signed("==", base, minus), one, zero)
        )
        inverse = builder.select(builder.icmp_signed("==", base, one), one, alternating)
        result = builder.select(builder.icmp_signed("<", exponent, zero), inverse, power)
    builder.ret(result)
    return function


def _same(left: Any, right: Any) -> Any:
    return left if left == right and not isinstance(left, t.Pointer) else None


def _binary(op: Any, lower: Callable[[Any, Any, Any, Any], Any]) -> None:
    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return lower(builder, sig.args[0], *args)

    declare(op, _same, lowering)


def _bitwise(name: str) -> Callable[[Any, Any, Any, Any], Any]:
    return lambda builder, ty, left, right: getattr(builder, name)(left, right)


for _op, _function in (
    (operator.add, _add),
    (operator.sub, _sub),
    (operator.mul, _mul),
    (operator.truediv, _truediv),
    (operator.floordiv, _floordiv),
    (operator.mod, _mod),
    (operator.pow, _power),
    (operator.lshift, _shift_left),
    (operator.rshift, _shift_right),
    (operator.and_, _bitwise("and_")),
    (operator.or_, _bitwise("or_")),
    (operator.xor, _bitwise("xor")),
):
    _binary(_op, _function)


def _comparison(op: Any, symbol: str) -> None:
    def typing(left: Any, right: Any) -> Any:
        return t.like(left, types.boolean) if left == right else None

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if t.is_complex(sig.args[0]):
            return compare_complex(builder, symbol, *args)
        return compare(builder, symbol, sig.args[0], *args)

    declare(op, typing, lowering)


for _op, _symbol in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _comparison(_op, _symbol)


def _divide_by_constant(index: int) -> Callable[..., Any]:
    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return divide_integers(builder, sig.args[0], *args)[index]

    return lowering


# Integer division by a constant: LLVM makes a multiplication of it.
word("floordiv_const", _same, _divide_by_constant(0))
word("mod_const", _same, _divide_by_constant(1))


def _negative(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    (ty,), (value,) = sig.args, args
    if t.is_complex(ty):
        real, imag = parts(builder, value)
        return join(builder, ty, builder.fneg(real), builder.fneg(imag))
    return builder.fneg(value) if t.is_float(ty) else builder.sub(t.constant(ty, 0), value)


def _invert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(args[0])


declare(operator.neg, lambda ty: ty, _negative)
declare(operator.pos, lambda ty: ty, lambda context, builder, sig, args: args[0])
declare(operator.invert, lambda ty: ty, _invert)
declare(bool, lambda ty: types.boolean if ty == types.boolean else None, lambda context, builder, sig, args: args[0])


# ------------------------------------------------------------------------------------------------ conversions


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


# ------------------------------------------------------------------------------------------ bits and constants


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
