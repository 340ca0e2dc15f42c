"""The types of printed kernels beside Numba's own scalars: pointers, short vectors, counted loops."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default

SCALARS: dict[str, Any] = {
    "bool": types.boolean,
    **{name: getattr(types, name) for name in ("int8", "int16", "int32", "int64")},
    **{name: getattr(types, name) for name in ("uint8", "uint16", "uint32", "uint64")},
    "float16": types.float32,
    "float32": types.float32,
    "float64": types.float64,
    "complex64": types.complex64,
    "complex128": types.complex128,
}
"""The type in which a value of each dtype is computed; float16 is computed in float32 and rounded by the printer."""

_STORED: dict[str, Any] = {"bool": ir.IntType(8), "float16": ir.HalfType()}


class Pointer(types.Type):
    """The first element of an array.

    ``space`` is global, local, private, item (kept for each item of a group), or raw (nothing is promised).
    """

    def __init__(self, dtype: str, space: str) -> None:
        self.dtype = dtype
        self.space = space
        super().__init__(name=f"Pointer({dtype}, {space})")

    @property
    def value(self) -> Any:
        return SCALARS[self.dtype]

    @property
    def stored(self) -> Any:
        """The LLVM type of an element in memory; for complex numbers that of a part."""
        return _STORED.get(self.dtype) or llvm(part(self.value))


class Vector(types.Type):
    """``lanes`` numbers side by side in an LLVM vector."""

    def __init__(self, element: Any, lanes: int) -> None:
        self.element = element
        self.lanes = lanes
        super().__init__(name=f"Vector({element}, {lanes})")


class Counter(types.SimpleIteratorType):
    """What a ``for`` loop runs over: counts from a start by a step; ``parallel`` where the order of rounds is free."""

    def __init__(self, count: Any, unit: bool, parallel: bool) -> None:
        self.count = count
        self.unit = unit
        self.parallel = parallel
        super().__init__(f"Counter({count}, {unit}, {parallel})", count)


class Range(types.SimpleIterableType):
    """The range that makes a :class:`Counter`."""

    def __init__(self, counter: Counter) -> None:
        super().__init__(f"Range({counter.name})", counter)


def part(ty: Any) -> Any:
    """Return the type of a complex number's parts; any other type is returned as it is."""
    return ty.underlying_float if isinstance(ty, types.Complex) else ty


def element(ty: Any) -> Any:
    """Return the type of a vector's lanes; literals lose their value."""
    return ty.element if isinstance(ty, Vector) else types.unliteral(ty)


def lanes(ty: Any) -> int:
    """Return how many numbers a value holds."""
    return ty.lanes if isinstance(ty, Vector) else 1


def like(ty: Any, new: Any) -> Any:
    """Return ``new`` with as many lanes as ``ty``."""
    return Vector(new, ty.lanes) if isinstance(ty, Vector) else new


def is_float(ty: Any) -> bool:
    """Whether it is a real float, or a vector of them."""
    return isinstance(element(ty), types.Float)


def is_integer(ty: Any) -> bool:
    """Whether it is an integer, or a vector of them."""
    return isinstance(element(ty), types.Integer)


def is_complex(ty: Any) -> bool:
    """Whether it is a complex number."""
    return isinstance(element(ty), types.Complex)


def is_bool(ty: Any) -> bool:
    """Whether it is a bool, or a vector of them."""
    return isinstance(element(ty), types.Boolean)


def bits(ty: Any) -> int:
    """Return the width of a real number or of a lane."""
    ty = element(ty)
    return 1 if isinstance(ty, types.Boolean) else int(ty.bitwidth)


def llvm(ty: Any) -> Any:
    """Return the LLVM type of a value."""
    if isinstance(ty, Vector):
        return ir.VectorType(llvm(ty.element), ty.lanes)
    ty = types.unliteral(ty)
    if isinstance(ty, types.Boolean):
        return ir.IntType(1)
    if isinstance(ty, types.Integer):
        return ir.IntType(ty.bitwidth)
    if isinstance(ty, types.Float):
        return ir.FloatType() if ty.bitwidth == 32 else ir.DoubleType()
    if isinstance(ty, types.Complex):
        real = llvm(ty.underlying_float)
        return ir.LiteralStructType([real, real])
    raise TypeError(f"no LLVM type for {ty}")


def constant(ty: Any, value: Any) -> Any:
    """Return an LLVM constant, in all lanes of a vector."""
    kind = llvm(ty)
    if isinstance(ty, Vector):
        return ir.Constant(kind, [ir.Constant(kind.element, value)] * ty.lanes)
    return ir.Constant(kind, value)


@register_default(Pointer)
class PointerModel(models.PrimitiveModel):
    """A pointer is a pointer."""

    def __init__(self, dmm: Any, fe_type: Pointer) -> None:
        super().__init__(dmm, fe_type, fe_type.stored.as_pointer())


@register_default(Vector)
class VectorModel(models.PrimitiveModel):
    """A vector is LLVM's."""

    def __init__(self, dmm: Any, fe_type: Vector) -> None:
        super().__init__(dmm, fe_type, llvm(fe_type))


@register_default(Range)
class RangeModel(models.StructModel):
    """A range is its bounds."""

    def __init__(self, dmm: Any, fe_type: Range) -> None:
        count = fe_type.iterator_type.count
        super().__init__(dmm, fe_type, [("start", count), ("stop", count), ("step", count)])


@register_default(Counter)
class CounterModel(models.StructModel):
    """For unit steps ``limit`` is the stop, else the rounds that are left."""

    def __init__(self, dmm: Any, fe_type: Counter) -> None:
        count = types.EphemeralPointer(fe_type.count)
        super().__init__(dmm, fe_type, [("now", count), ("limit", count), ("step", fe_type.count)])
