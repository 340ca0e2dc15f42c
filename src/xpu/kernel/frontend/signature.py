"""Types of arguments: how kernels and helpers are specialised, and how arguments become parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import dtypes
from .. import ir
from ..ir import DType
from .promotion import Number, weak_dtype
from .values import Array, Num, Static, Tuple, Value, number_type

ArgType = Any
"""``ir.Scalar``, ``ir.Vector``, ``ir.ArrayType``; ``bool``, ``int``, ``float``, ``complex`` (weak); tuples of these."""

_WEAK_KINDS: dict[Any, str] = {int: "i", float: "f", complex: "c"}


@dataclass(frozen=True, slots=True)
class Partial:
    """An array argument of a helper whose first indices were given by the caller: ``f(a[i])``."""

    type: ir.ArrayType
    given: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument of a helper that is known while compiling."""

    value: Any
    dtype: DType | None = None
    """The dtype of a number that is not weak."""
    weak: bool = False


def canonical_arg(arg: ArgType) -> ArgType:
    """Return an argument type in the form that keys and lowering use; dtypes stand for scalars."""
    if isinstance(arg, (ir.Scalar, ir.Vector, ir.ArrayType, Partial, Fixed, Number)):
        return arg
    if isinstance(arg, (tuple, list)):
        return tuple(canonical_arg(item) for item in arg)
    if arg is bool or arg is np.bool_:
        return ir.BOOL
    if arg in _WEAK_KINDS:
        return arg
    return ir.Scalar(dtypes.canonical(arg))


def array_dtypes(args: tuple[ArgType, ...]) -> list[DType]:
    """Return the dtypes of all arrays among arguments."""
    found: list[DType] = []
    for arg in args:
        if isinstance(arg, tuple):
            found += array_dtypes(arg)
        elif isinstance(arg, (ir.ArrayType, Partial)):
            found.append(arg.dtype if isinstance(arg, ir.ArrayType) else arg.type.dtype)
    return found


def number_of(arg: ArgType, default: DType) -> Number:
    """Return the type of a number argument."""
    if isinstance(arg, Number):
        return arg
    if isinstance(arg, ir.Vector):
        return Number(arg.dtype, False, arg.lanes)
    if isinstance(arg, ir.Scalar):
        return Number(arg.dtype)
    return Number(weak_dtype(_WEAK_KINDS[arg], default), True)


def hashable(obj: Any) -> Any:
    """Return something that stands for a Python object in a key."""
    try:
        hash(obj)
    except TypeError:
        return id(obj)
    return (type(obj), obj)


def placeholder(arg: ArgType, default: DType) -> Value:
    """Return a value of an argument type that stands for no place in particular."""
    if isinstance(arg, tuple):
        return Tuple([placeholder(item, default) for item in arg])
    if isinstance(arg, ir.ArrayType):
        return Array("", arg, "")
    number = number_of(arg, default)
    return Num(ir.Var(number_type(number), ""), number.weak)


def arg_type(value: Value, fixed: bool) -> ArgType:
    """Return the argument type of a value in a call of a helper; ``fixed`` keeps constants as such."""
    if isinstance(value, Num):
        if fixed and value.is_const:
            return Fixed((type(value.value), repr(value.value)), value.dtype, value.weak)
        return value.number
    if isinstance(value, Array):
        return Partial(value.type, len(value.indices))
    if isinstance(value, Tuple):
        return tuple(arg_type(item, fixed) for item in value.items)
    assert isinstance(value, Static)
    return Fixed(hashable(value.obj))
