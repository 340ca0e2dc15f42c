"""What kernels report: wrong indices and failed assertions in debug mode, and what they print."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from . import types as t
from .instructions import parts
from .memory import I8, I64, size_of
from .words import word


def _check(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``check(errors, site, rank, ids..., then axis, index, extent, stride for each)``: the flat index, or a mark."""
    rank = sig.args[2].literal_value
    errors, site, ids, rest = args[0], args[1], args[3 : 3 + rank], args[3 + rank :]
    flat = ir.Constant(I64, 0)
    good = ir.Constant(ir.IntType(1), 1)
    axis, wrong, size = (ir.Constant(I64, 0) for _ in range(3))
    for place in reversed(range(0, len(rest), 4)):
        number, index, extent, stride = rest[place : place + 4]
        inside = builder.icmp_unsigned("<", index, extent)
        axis = builder.select(inside, axis, number)
        wrong, size = builder.select(inside, wrong, index), builder.select(inside, size, extent)
        good = builder.and_(good, inside)
        flat = builder.add(flat, builder.mul(index, stride))
    with builder.if_then(builder.not_(good), likely=False):
        _claim(builder, errors, [ir.Constant(I64, 1), site, axis, wrong, size], ids)
    return builder.select(good, flat, ir.Constant(I64, -(2**63)))


def _assert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    zero = ir.Constant(I64, 0)
    with builder.if_then(builder.not_(args[2]), likely=False):
        _claim(builder, args[0], [ir.Constant(I64, 2), args[1], zero, zero, zero], args[3:])
    return context.get_dummy_value()


def _claim(builder: Any, errors: Any, words: list[Any], ids: list[Any]) -> None:
    """Let the first work-item that found an error describe it (``xpu.kernel.debug`` has the layout)."""
    code = words[0]
    pair = builder.cmpxchg(errors, ir.Constant(I64, 0), code, "monotonic", "monotonic")
    with builder.if_then(builder.extract_value(pair, 1)):
        for place, value in enumerate([*words[1:], *ids], 1):
            builder.store(value, builder.gep(errors, [ir.Constant(I64, place)]))


def _print(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``print_values(callback, site, values...)``: each value in a slot of 16 bytes."""
    values = args[2:]
    slots = cgutils.alloca_once(builder, ir.ArrayType(I8, 16 * max(len(values), 1)))
    base = builder.bitcast(slots, I8.as_pointer())
    for number, (ty, value) in enumerate(zip(sig.args[2:], values, strict=True)):
        target = builder.gep(base, [ir.Constant(I64, 16 * number)])
        pieces = parts(builder, value) if t.is_complex(ty) else (value,)
        for place, piece in enumerate(pieces):
            if t.is_bool(ty):
                piece = builder.zext(piece, I8)
            at = builder.gep(target, [ir.Constant(I64, place * size_of(piece.type))])
            builder.store(piece, builder.bitcast(at, piece.type.as_pointer()), align=1)
    signature = ir.FunctionType(ir.VoidType(), [I64, I8.as_pointer()])
    callback = builder.inttoptr(args[0], signature.as_pointer())
    builder.call(callback, [args[1], base])
    return context.get_dummy_value()


word("check", lambda errors, site, rank, *rest: types.int64, _check, literal=True)
word("check_assertion", lambda errors, site, condition, *ids: types.none, _assert)
word("print_values", lambda callback, site, *values: types.none, _print)
