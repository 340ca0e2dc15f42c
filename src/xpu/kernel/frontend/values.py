"""What an expression of a kernel can be while it is compiled, and folding of constants."""

from __future__ import annotations

import cmath
import enum
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from .. import ir
from ..ir import DType
from .promotion import BOOL, INT64, Number, complex_of, weak_dtype


@dataclass(slots=True)
class Num:
    """A number: an expression and whether its type is weak. Constants are ``ir.Const``."""

    expr: ir.Expr
    weak: bool = False

    @property
    def number(self) -> Number:
        """The type."""
        kind = self.expr.type
        lanes = kind.lanes if isinstance(kind, ir.Vector) else 0
        return Number(kind.dtype, self.weak, lanes)

    @property
    def dtype(self) -> DType:
        """The dtype; of the lanes, for a vector."""
        return self.expr.type.dtype

    @property
    def is_const(self) -> bool:
        """Whether the value is known while compiling."""
        return isinstance(self.expr, ir.Const)

    @property
    def value(self) -> Any:
        """The value of a constant."""
        assert isinstance(self.expr, ir.Const)
        return self.expr.value


@dataclass(slots=True)
class Array:
    """An array, or a part of one with its first indices given."""

    name: str
    type: ir.ArrayType
    label: str
    """What the user calls it."""
    indices: list[ir.Expr] = field(default_factory=list)

    @property
    def ndim(self) -> int:
        """How many indices are still to be given."""
        return self.type.ndim - len(self.indices)


@dataclass(slots=True)
class Tuple:
    """A tuple of values; it exists only while compiling."""

    items: list[Any]


@dataclass(slots=True)
class Static:
    """A Python object known while compiling: a module, a function, a dtype, a string, an enum member, None."""

    obj: Any


Value = Num | Array | Tuple | Static


def number_type(number: Number) -> ir.Type:
    """Return the IR type of a number."""
    return ir.Vector(number.dtype, number.lanes) if number.lanes else ir.Scalar(number.dtype)


def describe(value: Value) -> str:
    """Return a value's type in the user's words."""
    if isinstance(value, Num):
        return str(value.number)
    if isinstance(value, Array):
        space = "an" if value.type.space == "global" else f"a {value.type.space}"
        return f"{space} array of {value.type.dtype.name} with {value.ndim} dimension{'s' * (value.ndim != 1)}"
    if isinstance(value, Tuple):
        return "a tuple"
    obj = value.obj
    if isinstance(obj, ModuleType):
        return f"the module {obj.__name__}"
    if isinstance(obj, str):
        return "a string"
    if callable(obj) and hasattr(obj, "__name__"):
        return f"the function {obj.__name__}" if not isinstance(obj, type) else f"the type {obj.__name__}"
    return repr(obj)


def constant(value: Any, default: DType, loc: ir.Loc | None, dtype: DType | None = None) -> Num:
    """Return a constant; without a dtype it is weak, as Python's numbers are."""
    if dtype is not None:
        return Num(ir.Const(ir.Scalar(dtype), to_python(value, dtype), loc=loc))
    if isinstance(value, bool):
        return Num(ir.Const(ir.BOOL, value, loc=loc))
    kind = "i" if isinstance(value, int) else "f" if isinstance(value, float) else "c"
    return Num(ir.Const(ir.Scalar(weak_dtype(kind, default)), value, loc=loc), weak=True)


def to_python(value: Any, dtype: DType) -> Any:
    """Return the Python number that equals ``value`` rounded to ``dtype``; integers wrap around."""
    with np.errstate(all="ignore"):
        if dtype.kind == "b":
            return bool(value)
        if dtype.kind in "iu":
            bits = dtype.itemsize * 8
            if isinstance(value, complex):
                value = value.real
            if isinstance(value, float) and not math.isfinite(value):
                value = 0
            whole = int(value) & ((1 << bits) - 1)
            return whole - (1 << bits) if dtype.kind == "i" and whole >> (bits - 1) else whole
        if dtype.kind == "f" and isinstance(value, complex):
            value = value.real
        try:
            return dtype.type(value).item()
        except OverflowError:  # an integer beyond the float's range
            return math.inf if value > 0 else -math.inf


def wrap(obj: Any, default: DType, loc: ir.Loc | None) -> Value:
    """Return a Python object from outside of the kernel as a value in it."""
    if isinstance(obj, np.generic):
        return constant(obj.item(), default, loc, np.dtype(obj.dtype.type))
    if isinstance(obj, bool):
        return constant(obj, default, loc)
    if isinstance(obj, int):
        return constant(int(obj), default, loc)
    if isinstance(obj, (float, complex)) and not isinstance(obj, enum.Enum):
        return constant(obj, default, loc)
    if isinstance(obj, tuple):
        return Tuple([wrap(item, default, loc) for item in obj])
    return Static(obj)


# ------------------------------------------------------------------------------------------- folding of constants

_WEAK: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_FIRM = {"add", "sub", "mul", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor"}


def fold_weak(op: str, left: Any, right: Any) -> Any:
    """Compute with two of Python's numbers; may raise what Python raises."""
    if op in ("shl", "pow") and isinstance(left, int) and isinstance(right, int) and right > 4096:
        raise OverflowError("the result has thousands of digits")
    return _WEAK[op](left, right)


def fold_firm(op: str, left: Any, right: Any, dtype: DType) -> Any:
    """Compute with two constants of one dtype, or return None where that is better left to the device."""
    if op not in _FIRM or dtype.kind == "c":
        return None
    if dtype.kind in "biu":
        return _WEAK[op](left, right)
    with np.errstate(all="ignore"):
        return _WEAK[op](dtype.type(left), dtype.type(right)).item()


def fold_function(name: str, args: list[Any]) -> Any:
    """Compute a function of ``xp.math`` of Python's numbers, or return None where Python has none such."""
    complex_ = any(isinstance(a, complex) for a in args)
    renamed = {"pow": "pow", "rint": None, "abs": "fabs"}.get(name, name)
    if name == "abs":
        return abs(args[0])
    if renamed is None or name in ("min", "max", "remainder", "fma", "floor", "ceil", "trunc"):
        return None
    function = getattr(cmath if complex_ else math, renamed, None)
    if function is None:
        return None
    try:
        return function(*args)
    except (ValueError, OverflowError, TypeError):
        return None


__all__ = [
    "BOOL",
    "INT64",
    "Array",
    "Num",
    "Static",
    "Tuple",
    "Value",
    "complex_of",
    "constant",
    "describe",
    "fold_firm",
    "fold_function",
    "fold_weak",
    "number_type",
    "to_python",
    "wrap",
]
