"""Arguments, loads, stores, atomics, and the loops of printed kernels.

Work-items do not see each other's work before the next barrier, so the rounds of a loop over items are independent. That
is told to LLVM: accesses to global, local and item memory belong to one access group, and the loops over items name it
(``llvm.loop.parallel_accesses``), which spares the run-time checks for overlap. What is kept apart from the arguments'
memory (local arrays, values kept for each item) has alias scopes of its own.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl

from . import types as t
from .numbers import compare, join, parts, round_to_half
from .words import declare, word

I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LANES = (2, 4, 8, 16)
SPACES = ("global", "local", "item")

# -------------------------------------------------------------------------------------------------- metadata


def access_group(module: Any) -> Any:
    """Return the node that all accesses of work-items share (made distinct in the text, see ``lower``)."""
    return module.add_metadata([ir.MetaDataString(module, "xpu.parallel")])


def _scopes(module: Any) -> dict[str, Any]:
    domain = module.add_metadata([ir.MetaDataString(module, "xpu.memory")])
    return {space: module.add_metadata([ir.MetaDataString(module, f"xpu.{space}"), domain]) for space in SPACES}


def mark(builder: Any, instruction: Any, pointer: t.Pointer, parallel: bool = True) -> None:
    """Say what a load or store may touch."""
    if pointer.space not in SPACES:
        return
    module = builder.module
    scopes = _scopes(module)
    instruction.set_metadata("alias.scope", module.add_metadata([scopes[pointer.space]]))
    others = [scopes[space] for space in SPACES if space != pointer.space]
    instruction.set_metadata("noalias", module.add_metadata(others))
    if parallel:
        instruction.set_metadata("llvm.access.group", access_group(module))


# ------------------------------------------------------------------------------------------- arguments, arrays


def _slot(builder: Any, args: Any, index: Any, kind: Any) -> Any:
    address = builder.gep(builder.bitcast(args, I8.as_pointer()), [builder.mul(index, ir.Constant(I64, 8))])
    return builder.load(builder.bitcast(address, kind.as_pointer()), align=8)


def _declare_argument(name: str) -> None:
    value = t.SCALARS[name]
    pointer = t.Pointer(name, "raw")

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if t.is_complex(value):
            base = builder.gep(builder.bitcast(args[0], I8.as_pointer()), [builder.mul(args[1], ir.Constant(I64, 8))])
            base = builder.bitcast(base, pointer.stored.as_pointer())
            return _load_scalar(builder, pointer, base, ir.Constant(I64, 0), False)
        return _from_memory(builder, pointer, value, _slot(builder, args[0], args[1], pointer.stored))

    word(f"argument_{name}", lambda args, slot: value, lowering)


def _declare_arrays(name: str) -> None:
    array, local, item = (t.Pointer(name, space) for space in SPACES)
    private = t.Pointer(name, "private")
    scale = 2 if t.is_complex(array.value) else 1

    def from_argument(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = _slot(builder, args[0], args[1], array.stored.as_pointer())
        offset = _slot(builder, args[0], builder.add(args[1], ir.Constant(I64, 1)), I64)
        return builder.gep(base, [builder.mul(offset, ir.Constant(I64, scale))])

    def from_scratch(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = builder.gep(builder.bitcast(args[0], I8.as_pointer()), [args[1]])
        return builder.bitcast(address, array.stored.as_pointer())

    def from_stack(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        block = ir.ArrayType(array.stored, sig.args[0].literal_value * scale)
        return builder.bitcast(cgutils.alloca_once(builder, block), array.stored.as_pointer())

    word(f"array_{name}", lambda args, slot: array, from_argument)
    word(f"local_{name}", lambda scratch, offset: local, from_scratch)
    word(f"items_{name}", lambda scratch, offset: item, from_scratch)
    word(f"private_{name}", lambda size: private, from_stack, literal=True)


def _buffer(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _slot(builder, args[0], args[1], I64.as_pointer())


word("buffer_int64", lambda args, slot: t.Pointer("int64", "raw"), _buffer)
for _name in t.SCALARS:
    _declare_argument(_name)
    _declare_arrays(_name)


def _advance(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    scale = 2 if t.is_complex(sig.args[0].value) else 1
    return builder.gep(args[0], [builder.mul(args[1], ir.Constant(I64, scale))])


word("advance", lambda pointer, index: pointer if isinstance(pointer, t.Pointer) else None, _advance)

# --------------------------------------------------------------------------------------------- load and store


def _from_memory(builder: Any, pointer: t.Pointer, ty: Any, stored: Any) -> Any:
    if pointer.dtype == "bool":
        return builder.icmp_unsigned("!=", stored, _zero(stored.type))
    if pointer.dtype == "float16":
        return builder.fpext(stored, t.llvm(ty))
    return stored


def _zero(kind: Any) -> Any:
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, 0)] * kind.count)
    return ir.Constant(kind, 0)


def _to_memory(builder: Any, pointer: t.Pointer, ty: Any, value: Any) -> Any:
    kind = ir.VectorType(pointer.stored, ty.lanes) if isinstance(ty, t.Vector) else pointer.stored
    if pointer.dtype == "bool":
        return builder.zext(value, kind)
    if pointer.dtype == "float16":
        return round_to_half(builder, ty, value)
    return value


def _size(kind: Any) -> int:
    if isinstance(kind, ir.IntType):
        return max(int(kind.width) // 8, 1)
    return {ir.HalfType: 2, ir.FloatType: 4, ir.DoubleType: 8}[type(kind)]


def _load_scalar(builder: Any, pointer: t.Pointer, base: Any, index: Any, parallel: bool = True) -> Any:
    align = _size(pointer.stored)

    def element(at: Any) -> Any:
        instruction = builder.load(builder.gep(base, [at], inbounds=True), align=align)
        mark(builder, instruction, pointer, parallel)
        return instruction

    if t.is_complex(pointer.value):
        first = builder.mul(index, ir.Constant(I64, 2))
        return join(builder, pointer.value, element(first), element(builder.add(first, ir.Constant(I64, 1))))
    return _from_memory(builder, pointer, pointer.value, element(index))


def _store_scalar(builder: Any, pointer: t.Pointer, base: Any, index: Any, value: Any, parallel: bool = True) -> None:
    align = _size(pointer.stored)

    def put(at: Any, number: Any) -> None:
        instruction = builder.store(number, builder.gep(base, [at], inbounds=True), align=align)
        mark(builder, instruction, pointer, parallel)

    if t.is_complex(pointer.value):
        real, imag = parts(builder, value)
        first = builder.mul(index, ir.Constant(I64, 2))
        put(first, real)
        put(builder.add(first, ir.Constant(I64, 1)), imag)
    else:
        put(index, _to_memory(builder, pointer, pointer.value, value))


def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _load_scalar(builder, sig.args[0], *args)


def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    _store_scalar(builder, sig.args[0], *args)
    return context.get_dummy_value()


def _loadable(pointer: Any, index: Any) -> Any:
    return pointer.value if isinstance(pointer, t.Pointer) and index == types.int64 else None


def _storable(pointer: Any, index: Any, value: Any) -> Any:
    return types.none if _loadable(pointer, index) == value else None


word("load", _loadable, _load)
word("store", _storable, _store)


def _checked_index(builder: Any, index: Any) -> Any:
    return builder.icmp_signed("!=", index, ir.Constant(I64, -(2**63)))


def _load_checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    result = cgutils.alloca_once(builder, t.llvm(sig.return_type))
    builder.store(ir.Constant(t.llvm(sig.return_type), None), result)
    with builder.if_then(_checked_index(builder, args[1])):
        vector = isinstance(sig.return_type, t.Vector)
        builder.store((_load_vector if vector else _load)(context, builder, sig, args), result)
    return builder.load(result)


def _store_checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    with builder.if_then(_checked_index(builder, args[1])):
        vector = isinstance(sig.args[2], t.Vector)
        (_store_vector if vector else _store)(context, builder, sig, args)
    return context.get_dummy_value()


# Debug mode: the index is what ``check`` gave; an index out of range loads 0 and stores nothing.
word("load_checked", _loadable, _load_checked)
word("store_checked", _storable, _store_checked)


def _copy_elements(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    target, source, count = sig.args[0], sig.args[2], sig.args[4].literal_value
    for number in range(count):
        at = ir.Constant(I64, number)
        value = _load_scalar(builder, source, args[2], builder.add(args[3], at))
        _store_scalar(builder, target, args[0], builder.add(args[1], at), value)
    return context.get_dummy_value()


word("copy_elements", lambda target, to, source, start, count: types.none, _copy_elements, literal=True)


def _vector_pointer(builder: Any, pointer: t.Pointer, base: Any, index: Any, lanes: int) -> Any:
    return builder.bitcast(builder.gep(base, [index], inbounds=True), ir.VectorType(pointer.stored, lanes).as_pointer())


def _load_vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer, ty = sig.args[0], sig.return_type
    address = _vector_pointer(builder, pointer, args[0], args[1], ty.lanes)
    instruction = builder.load(address, align=_size(pointer.stored))
    mark(builder, instruction, pointer)
    return _from_memory(builder, pointer, ty, instruction)


def _store_vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer, ty = sig.args[0], sig.args[2]
    address = _vector_pointer(builder, pointer, args[0], args[1], ty.lanes)
    instruction = builder.store(_to_memory(builder, pointer, ty, args[2]), address, align=_size(pointer.stored))
    mark(builder, instruction, pointer)
    return context.get_dummy_value()


def _storable_vector(pointer: Any, index: Any, value: Any) -> Any:
    if isinstance(value, t.Vector) and value.element == pointer.value and index == types.int64:
        return types.none
    return None


def _vector_of(lanes: int) -> Any:
    return lambda pointer, index: t.Vector(pointer.value, lanes) if index == types.int64 else None


for _lanes in LANES:
    word(f"load{_lanes}", _vector_of(_lanes), _load_vector)
    word(f"load{_lanes}_checked", _vector_of(_lanes), _load_checked)
word("store_vector", _storable_vector, _store_vector)
word("store_vector_checked", _storable_vector, _store_checked)

# ---------------------------------------------------------------------------------------------------- vectors


def _splat(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = t.llvm(sig.return_type)
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, args[0], ir.Constant(I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(I32, kind.count), [0] * kind.count))


def _vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value = ir.Constant(t.llvm(sig.return_type), ir.Undefined)
    for lane, item in enumerate(args):
        value = builder.insert_element(value, item, ir.Constant(I32, lane))
    return value


def _lane(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.extract_element(args[0], ir.Constant(I32, sig.args[1].literal_value))


def _select(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if t.is_complex(sig.return_type):
        pairs = zip(parts(builder, args[1]), parts(builder, args[2]), strict=True)
        return join(builder, sig.return_type, *(builder.select(args[0], then, other) for then, other in pairs))
    return builder.select(args[0], args[1], args[2])


for _lanes in LANES:
    word(f"splat{_lanes}", lambda item, lanes=_lanes: t.Vector(item, lanes), _splat)
word("vector", lambda *items: t.Vector(items[0], len(items)) if len(set(items)) == 1 else None, _vector)
word("lane", lambda vector, index: vector.element, _lane, literal=True)
word("select", lambda condition, then, other: then if then == other and t.is_bool(condition) else None, _select)

# ---------------------------------------------------------------------------------------------------- atomics


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
    stored = [_to_memory(builder, pointer, ty, value) for value in values]
    if op == "cas":
        return _from_memory(builder, pointer, ty, _compare_and_swap(builder, pointer, address, *stored))
    direct = op in ("add", "sub", "and", "or", "xor", "xchg") and not t.is_float(ty) and pointer.dtype != "bool"
    if direct:
        return builder.atomic_rmw(op, address, stored[0], "monotonic")
    # Anything else: try until nobody has come in between.
    first = builder.load(address, align=_size(pointer.stored))
    function = builder.function
    start, loop, done = builder.block, function.append_basic_block("try"), function.append_basic_block("swapped")
    builder.branch(loop)
    builder.position_at_end(loop)
    expected = builder.phi(pointer.stored)
    expected.add_incoming(first, start)
    old = _from_memory(builder, pointer, ty, expected)
    new = _to_memory(builder, pointer, ty, _combine(builder, op, ty, old, values[0]))
    seen, success = _exchange(builder, pointer, address, expected, new)
    expected.add_incoming(seen, builder.block)
    builder.cbranch(success, done, loop)
    builder.position_at_end(done)
    return old


def _exchange(builder: Any, pointer: t.Pointer, address: Any, expected: Any, new: Any) -> tuple[Any, Any]:
    """Compare-and-swap of the bits; return what was there, and whether it was the expected."""
    word_type = ir.IntType(8 * _size(pointer.stored))
    target = builder.bitcast(address, word_type.as_pointer())
    before, after = (builder.bitcast(value, word_type) for value in (expected, new))
    pair = builder.cmpxchg(target, before, after, "monotonic", "monotonic")
    return builder.bitcast(builder.extract_value(pair, 0), pointer.stored), builder.extract_value(pair, 1)


def _compare_and_swap(builder: Any, pointer: t.Pointer, address: Any, expected: Any, new: Any) -> Any:
    return _exchange(builder, pointer, address, expected, new)[0]


def _atomic_local(builder: Any, op: str, pointer: t.Pointer, address: Any, values: list[Any]) -> Any:
    """A group runs on one thread: plain code will do, but it stays out of the loops' promise of independence."""
    ty = pointer.value
    load = builder.load(address, align=_size(pointer.stored))
    mark(builder, load, pointer, parallel=False)
    old = _from_memory(builder, pointer, ty, load)
    if op == "cas":
        same = builder.bitcast(load, ir.IntType(8 * _size(pointer.stored)))
        stored = builder.bitcast(_to_memory(builder, pointer, ty, values[0]), same.type)
        new = builder.select(builder.icmp_unsigned("==", same, stored), values[1], old)
    else:
        new = _combine(builder, op, ty, old, values[0])
    store = builder.store(_to_memory(builder, pointer, ty, new), address, align=_size(pointer.stored))
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
        with builder.if_then(_checked_index(builder, args[1])):
            builder.store(plain(context, builder, sig, args), result)
        return builder.load(result)

    word(f"atomic_{op}", typing, plain)
    word(f"atomic_{op}_checked", typing, checked)


for _op in ("add", "sub", "min", "max", "and", "or", "xor", "xchg", "cas"):
    _declare_atomic(_op)

# ------------------------------------------------------------------------------------------------------ loops


def _declare_range(name: str, unit: bool, parallel: bool) -> None:
    """Declare ``count(start, stop)`` (unit steps) or ``count_by(start, stop, step)`` over any integer type."""

    def typing(*bounds: Any) -> Any:
        fitting = len(bounds) == (2 if unit else 3) and len(set(bounds)) == 1 and t.is_integer(bounds[0])
        return t.Range(t.Counter(bounds[0], unit, parallel)) if fitting else None

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        state = context.make_helper(builder, sig.return_type)
        state.start, state.stop = args[0], args[1]
        state.step = t.constant(sig.args[0], 1) if unit else args[2]
        return state._getvalue()

    word(name, typing, lowering)


_declare_range("count", True, False)
_declare_range("count_by", False, False)
_declare_range("items", True, True)


def _start_counting(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ty = sig.return_type
    state = context.make_helper(builder, sig.args[0], args[0])
    counter = context.make_helper(builder, ty)
    counter.now = cgutils.alloca_once_value(builder, state.start)
    limit = state.stop if ty.unit else _rounds(builder, ty.count, state.start, state.stop, state.step)
    counter.limit = cgutils.alloca_once_value(builder, limit)
    counter.step = state.step
    # In a loop the slots are used again: set them each time, not only once.
    builder.store(state.start, counter.now)
    builder.store(limit, counter.limit)
    return counter._getvalue()


def _rounds(builder: Any, ty: Any, start: Any, stop: Any, step: Any) -> Any:
    """Return how often a loop with this step turns, as an unsigned number of the same width."""
    zero, one = t.constant(ty, 0), t.constant(ty, 1)
    up = compare(builder, ">", ty, step, zero)
    low, high = builder.select(up, start, stop), builder.select(up, stop, start)
    size = builder.select(up, step, builder.sub(zero, step))
    size = builder.select(builder.icmp_unsigned("==", size, zero), one, size)
    some = builder.and_(compare(builder, "<", ty, low, high), builder.icmp_unsigned("!=", step, zero))
    rounds = builder.add(builder.udiv(builder.sub(builder.sub(high, low), one), size), one)
    return builder.select(some, rounds, zero)


@iternext_impl(RefType.UNTRACKED)
def _count_on(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    ty = sig.args[0]
    counter = context.make_helper(builder, ty, args[0])
    now, limit = builder.load(counter.now), builder.load(counter.limit)
    one = t.constant(ty.count, 1)
    if ty.unit:
        valid = compare(builder, "<", ty.count, now, limit)
    else:
        valid = builder.icmp_unsigned("!=", limit, t.constant(ty.count, 0))
    result.set_valid(valid)
    result.yield_(now)
    with builder.if_then(valid):
        if ty.unit:
            flags = ["nsw"] if ty.count.signed else ["nuw"]
            builder.store(builder.add(now, one, flags=flags), counter.now)
        else:
            builder.store(builder.add(now, counter.step), counter.now)
            builder.store(builder.sub(limit, one), counter.limit)


declare("getiter", lambda ty: ty.iterator_type if isinstance(ty, t.Range) else None, _start_counting)
declare("iternext", lambda ty: types.Pair(ty.yield_type, types.boolean), _count_on)
declare("pair_first", lambda pair: pair.first_type, lambda context, builder, sig, args: None)
declare("pair_second", lambda pair: pair.second_type, lambda context, builder, sig, args: None)

# ---------------------------------------------------------------------------------------- debug mode, printing


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
            at = builder.gep(target, [ir.Constant(I64, place * _size(piece.type))])
            builder.store(piece, builder.bitcast(at, piece.type.as_pointer()), align=1)
    signature = ir.FunctionType(ir.VoidType(), [I64, I8.as_pointer()])
    callback = builder.inttoptr(args[0], signature.as_pointer())
    builder.call(callback, [args[1], base])
    return context.get_dummy_value()


word("check", lambda errors, site, rank, *rest: types.int64, _check, literal=True)
word("check_assertion", lambda errors, site, condition, *ids: types.none, _assert)
word("print_values", lambda callback, site, *values: types.none, _print)
