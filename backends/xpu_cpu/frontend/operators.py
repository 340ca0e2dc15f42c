"""Operators: arithmetic at the width of its type, without branches."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from . import types as t
from .complexes import compare_complex, divide_complex, multiply_complex
from .division import divide_floats, divide_integers, divide_narrow
from .instructions import call_intrinsic, compare, join, parts
from .words import declare, word

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
