"""Atomics: real ones on global memory, plain code on local memory, whose group runs on one thread."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from . import types as t
from .instructions import compare
from .memory import checked_index, from_memory, mark, size_of, to_memory
from .words import word


def _combine(builder: Any, op: str, ty: Any, old: Any, value: Any) -> Any:
    floating = t.is_float(ty)
    if op in ("add", "sub"):
        return getattr(builder, f"f{op}" if floating else op)(old, value)
    if op in ("min", "max"):
        return builder.select(compare(builder, "<" if op == "min" else ">", ty, value, old), value, old)
    if op == "xchg":
        return value
    return getattr(builder, {"and": "and_", "or": "or_", "xor": "xor"}[op])(old, value)


def _atomic_global(builder: Any, op: str, pointer: t.Pointer, address: Any, values: list[Any]) -> Any:
    ty = pointer.value
    stored = [to_memory(builder, pointer, ty, value) for value in values]
    if op == "cas":
        return from_memory(builder, pointer, ty, _compare_and_swap(builder, pointer, address, *stored))
    direct = op in ("add", "sub", "and", "or", "xor", "xchg") and not t.is_float(ty) and pointer.dtype != "bool"
    if direct:
        return builder.atomic_rmw(op, address, stored[0], "acq_rel")
    # Anything else: try until nobody has come in between.
    first = builder.load(address, align=size_of(pointer.stored))
    function = builder.function
    start, loop, done = builder.block, function.append_basic_block("try"), function.append_basic_block("swapped")
    builder.branch(loop)
    builder.position_at_end(loop)
    expected = builder.phi(pointer.stored)
    expected.add_incoming(first, start)
    old = from_memory(builder, pointer, ty, expected)
    new = to_memory(builder, pointer, ty, _combine(builder, op, ty, old, values[0]))
    seen, success = _exchange(builder, pointer, address, expected, new)
    expected.add_incoming(seen, builder.block)
    builder.cbranch(success, done, loop)
    builder.position_at_end(done)
    return old


def _exchange(builder: Any, pointer: t.Pointer, address: Any, expected: Any, new: Any) -> tuple[Any, Any]:
    """Compare-and-swap of the bits; return what was there, and whether it was the expected."""
    word_type = ir.IntType(8 * size_of(pointer.stored))
    target = builder.bitcast(address, word_type.as_pointer())
    before, after = (builder.bitcast(value, word_type) for value in (expected, new))
    pair = builder.cmpxchg(target, before, after, "acq_rel", "acquire")
    return builder.bitcast(builder.extract_value(pair, 0), pointer.stored), builder.extract_value(pair, 1)


def _compare_and_swap(builder: Any, pointer: t.Pointer, address: Any, expected: Any, new: Any) -> Any:
    return _exchange(builder, pointer, address, expected, new)[0]


def _atomic_local(builder: Any, op: str, pointer: t.Pointer, address: Any, values: list[Any]) -> Any:
    """Write plain code, since a group runs on one thread; it stays out of the loops' promise of independence."""
    ty = pointer.value
    load = builder.load(address, align=size_of(pointer.stored))
    mark(builder, load, pointer, parallel=False)
    old = from_memory(builder, pointer, ty, load)
    if op == "cas":
        same = builder.bitcast(load, ir.IntType(8 * size_of(pointer.stored)))
        stored = builder.bitcast(to_memory(builder, pointer, ty, values[0]), same.type)
        new = builder.select(builder.icmp_unsigned("==", same, stored), values[1], old)
    else:
        new = _combine(builder, op, ty, old, values[0])
    store = builder.store(to_memory(builder, pointer, ty, new), address, align=size_of(pointer.stored))
    mark(builder, store, pointer, parallel=False)
    return old


def _declare_atomic(op: str) -> None:
    def typing(pointer: Any, index: Any, *values: Any) -> Any:
        fitting = len(values) == (2 if op == "cas" else 1) and set(values) == {pointer.value}
        return pointer.value if fitting and index == types.int64 and not t.is_complex(pointer.value) else None

    def plain(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = sig.args[0]
        address = builder.gep(args[0], [args[1]])
        atomic = _atomic_global if pointer.space == "global" else _atomic_local
        return atomic(builder, op, pointer, address, list(args[2:]))

    def checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        result = cgutils.alloca_once(builder, t.llvm(sig.return_type))
        builder.store(ir.Constant(t.llvm(sig.return_type), None), result)
        with builder.if_then(checked_index(builder, args[1])):
            builder.store(plain(context, builder, sig, args), result)
        return builder.load(result)

    word(f"atomic_{op}", typing, plain)
    word(f"atomic_{op}_checked", typing, checked)


for _op in ("add", "sub", "min", "max", "and", "or", "xor", "xchg", "cas"):
    _declare_atomic(_op)
