"""Arguments, arrays, loads and stores, vectors.

Work-items do not see each other's work before the next barrier, so the rounds of a loop over items are independent.
LLVM is told: accesses to global, local and item memory belong to one access group, and the loops over items name it
(``llvm.loop.parallel_accesses``), which spares the run-time checks for overlap. What is kept apart from the arguments'
memory (local arrays, values kept for each item) has alias scopes of its own.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from . import types as t
from .conversions import round_to_half
from .instructions import join, parts
from .words import word

I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LANES = (2, 4, 8, 16)
SPACES = ("global", "local", "item")


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
        return from_memory(builder, pointer, value, _slot(builder, args[0], args[1], pointer.stored))

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
    word(f"large_{name}", lambda scratch, offset: private, from_scratch)


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


def from_memory(builder: Any, pointer: t.Pointer, ty: Any, stored: Any) -> Any:
    """Return the value of what is stored."""
    if pointer.dtype == "bool":
        return builder.icmp_unsigned("!=", stored, _zero(stored.type))
    if pointer.dtype == "float16":
        return builder.fpext(stored, t.llvm(ty))
    return stored


def _zero(kind: Any) -> Any:
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [ir.Constant(kind.element, 0)] * kind.count)
    return ir.Constant(kind, 0)


def to_memory(builder: Any, pointer: t.Pointer, ty: Any, value: Any) -> Any:
    """Return what is stored for a value."""
    kind = ir.VectorType(pointer.stored, ty.lanes) if isinstance(ty, t.Vector) else pointer.stored
    if pointer.dtype == "bool":
        return builder.zext(value, kind)
    if pointer.dtype == "float16":
        return round_to_half(builder, ty, value)
    return value


def size_of(kind: Any) -> int:
    """Return the bytes of a number in memory."""
    if isinstance(kind, ir.IntType):
        return max(int(kind.width) // 8, 1)
    return {ir.HalfType: 2, ir.FloatType: 4, ir.DoubleType: 8}[type(kind)]


def _load_scalar(builder: Any, pointer: t.Pointer, base: Any, index: Any, parallel: bool = True) -> Any:
    align = size_of(pointer.stored)

    def element(at: Any) -> Any:
        instruction = builder.load(builder.gep(base, [at], inbounds=True), align=align)
        mark(builder, instruction, pointer, parallel)
        return instruction

    if t.is_complex(pointer.value):
        first = builder.mul(index, ir.Constant(I64, 2))
        return join(builder, pointer.value, element(first), element(builder.add(first, ir.Constant(I64, 1))))
    return from_memory(builder, pointer, pointer.value, element(index))


def _store_scalar(builder: Any, pointer: t.Pointer, base: Any, index: Any, value: Any, parallel: bool = True) -> None:
    align = size_of(pointer.stored)

    def put(at: Any, number: Any) -> None:
        instruction = builder.store(number, builder.gep(base, [at], inbounds=True), align=align)
        mark(builder, instruction, pointer, parallel)

    if t.is_complex(pointer.value):
        real, imag = parts(builder, value)
        first = builder.mul(index, ir.Constant(I64, 2))
        put(first, real)
        put(builder.add(first, ir.Constant(I64, 1)), imag)
    else:
        put(index, to_memory(builder, pointer, pointer.value, value))


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


def checked_index(builder: Any, index: Any) -> Any:
    """Whether an index is good: not the mark that ``check`` gives for a wrong one."""
    return builder.icmp_signed("!=", index, ir.Constant(I64, -(2**63)))


def _load_checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    result = cgutils.alloca_once(builder, t.llvm(sig.return_type))
    builder.store(ir.Constant(t.llvm(sig.return_type), None), result)
    with builder.if_then(checked_index(builder, args[1])):
        vector = isinstance(sig.return_type, t.Vector)
        builder.store((_load_vector if vector else _load)(context, builder, sig, args), result)
    return builder.load(result)


def _store_checked(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    with builder.if_then(checked_index(builder, args[1])):
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
    instruction = builder.load(address, align=size_of(pointer.stored))
    mark(builder, instruction, pointer)
    return from_memory(builder, pointer, ty, instruction)


def _store_vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer, ty = sig.args[0], sig.args[2]
    address = _vector_pointer(builder, pointer, args[0], args[1], ty.lanes)
    instruction = builder.store(to_memory(builder, pointer, ty, args[2]), address, align=size_of(pointer.stored))
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
