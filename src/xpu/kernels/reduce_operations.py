"""What reductions compute: how an element enters, how two results become one, and in which types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from . import elementwise_complex

DType = np.dtype[Any]
INF = float("inf")


@xp.func
def add(a: Any, b: Any) -> Any:
    """Return the sum of two results."""
    return a + b


@xp.func
def multiply(a: Any, b: Any) -> Any:
    """Return the product of two results."""
    return a * b


@xp.func
def maximum(a: Any, b: Any) -> Any:
    """Return the greater; NaN wins."""
    return xp.math.maximum(a, b)


@xp.func
def minimum(a: Any, b: Any) -> Any:
    """Return the smaller; NaN wins."""
    return xp.math.minimum(a, b)


@xp.func
def either(a: Any, b: Any) -> Any:
    """Bits of both."""
    return a | b


@xp.func
def both(a: Any, b: Any) -> Any:
    """Bits common to both."""
    return a & b


@xp.func
def as_truth(x: Any) -> Any:
    """1 where the element is not zero."""
    return xp.where(x != 0, xp.uint8(1), xp.uint8(0))


@xp.func
def complex_as_truth(x: Any) -> Any:
    """1 where the element is not zero."""
    return xp.uint8(1) if x.real != 0.0 or x.imag != 0.0 else xp.uint8(0)


@xp.func
def bool_as_truth(x: Any) -> Any:
    """1 where the element is true."""
    return xp.uint8(x)


def cast_to(dtype: DType) -> Any:
    """Return the function that converts an element."""
    kind = dtype.type

    @xp.func
    def cast(x: Any) -> Any:
        return kind(x)

    return cast


def truth_then_cast(truth: Any, dtype: DType) -> Any:
    """Return the function that turns an element into 1 or 0 of a dtype."""
    kind = dtype.type

    @xp.func
    def counted(x: Any) -> Any:
        return kind(truth(x))

    return counted


@dataclass(frozen=True)
class Reduction:
    """One reduction of elements of one dtype.

    An element becomes ``enter(x)`` of dtype ``block``; up to some hundred of these are combined, then the sum of such a
    block is widened to ``total`` and combined with other blocks.
    """

    name: str
    source: DType
    block: DType
    total: DType
    result: DType
    enter: Any
    combine: Any
    identity: Any
    lanes: bool
    """Whether the functions also work on short vectors."""


@lru_cache(maxsize=512)
def reduction(op: str, source: DType, result: DType, double: bool = False) -> Reduction:
    """Return the reduction ``sum``, ``prod``, ``min``, ``max``, ``any``, ``all`` or ``count_nonzero``.

    Parameters
    ----------
    op : str
    source, result : dtype
        Of the elements and of the result, as NumPy has them (``sum`` of int8 gives int64).
    double : bool
        Add up the sums of blocks of float32 and float16 in float64: where that costs little, rounding is a block's only.
    """
    source, result = np.dtype(source), np.dtype(result)
    truth = {"b": bool_as_truth, "c": complex_as_truth}.get(source.kind, as_truth)
    vectors = source.kind != "c" and result.kind != "c"
    if op in ("any", "all"):
        byte = np.dtype(np.uint8)
        combine, identity = (either, 0) if op == "any" else (both, 1)
        return Reduction(op, source, byte, byte, result, truth, combine, identity, vectors)
    if op == "count_nonzero":
        narrow = np.dtype(np.int32)
        enter = truth_then_cast(truth, narrow)
        return Reduction(op, source, narrow, np.dtype(np.int64), result, enter, add, 0, vectors)
    if op in ("sum", "prod"):
        total: DType = np.dtype(np.float32) if result.char == "e" else result
        if total.kind == "b":  # an unusual request: the sum of bools as bool
            byte = np.dtype(np.uint8)
            combine, identity = (either, 0) if op == "sum" else (both, 1)
            return Reduction(op, source, byte, byte, result, truth, combine, identity, vectors)
        block = _narrow(source, total) if op == "sum" else total
        if double and op == "sum" and total.char == "f":
            total = np.dtype(np.float64)
        combine, identity = (add, 0) if op == "sum" else (multiply, 1)
        return Reduction(op, source, block, total, result, cast_to(block), combine, identity, vectors)
    return _extremum(op, source, result)


def _narrow(source: DType, total: DType) -> DType:
    """Return the dtype in which some hundred elements can be added without overflow."""
    if total.kind in "iu" and total.itemsize == 8 and source.kind in "biu" and source.itemsize <= 2:
        return np.dtype(np.int32 if total.kind == "i" else np.uint32)
    return total


def _extremum(op: str, source: DType, result: DType) -> Reduction:
    low = op == "max"
    if source.kind == "b":
        byte = np.dtype(np.uint8)
        combine, identity = (either, 0) if low else (both, 1)
        return Reduction(op, source, byte, byte, result, bool_as_truth, combine, identity, True)
    if source.kind == "c":
        combine = elementwise_complex.maximum if low else elementwise_complex.minimum
        bound = -INF if low else INF
        return Reduction(op, source, source, source, result, cast_to(source), combine, complex(bound, bound), False)
    work = np.dtype(np.float32) if source.char == "e" else source
    limits: Any = np.iinfo(work.type) if work.kind != "f" else None
    lowest, highest = (-INF, INF) if limits is None else (int(limits.min), int(limits.max))
    combine, start = (maximum, lowest) if low else (minimum, highest)
    return Reduction(op, source, work, work, result, cast_to(work), combine, start, True)
