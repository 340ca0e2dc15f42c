"""The one promotion rule of the kernel language: NumPy's (NEP 50), bounded by the kernel's default float.

Weak numbers (Python's) take the type of what they meet. Where NumPy would answer int with float by a wider float, the
result is no wider than the float operand or the kernel's default float: a float32 kernel stays free of float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ... import dtypes
from ..ir import DType

BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)

_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


@dataclass(frozen=True, slots=True)
class Number:
    """The type of a value while kernels are inferred: a dtype, perhaps weak, perhaps in lanes."""

    dtype: DType
    weak: bool = False
    lanes: int = 0

    def __str__(self) -> str:
        if self.weak:
            return f"Python {({'i': 'int', 'f': 'float', 'c': 'complex'})[self.dtype.kind]}"
        return f"{self.dtype.name} x {self.lanes}" if self.lanes else self.dtype.name


def complex_of(real: DType) -> DType:
    """Return the complex dtype whose parts hold a float dtype."""
    return np.dtype(np.complex128 if real.itemsize == 8 else np.complex64)


def weak_dtype(kind: str, default: DType) -> DType:
    """Return the dtype in which a weak number of a kind travels when nothing decides."""
    if kind == "f":
        return default
    return {"b": BOOL, "i": INT64}.get(kind) or complex_of(default)


def default_float(array_dtypes: list[DType], fp64: bool) -> DType:
    """Return a kernel's default float: the widest of its arrays, at least float32; else float64 if there is one."""
    floats = [dtypes.real_of(d) for d in array_dtypes if d.kind in "fc"]
    if not floats:
        return FLOAT64 if fp64 else FLOAT32
    return max([FLOAT32, *floats], key=lambda d: d.itemsize)


@lru_cache(maxsize=4096)
def promote(left: Number, right: Number, default: DType) -> Number | None:
    """Return the common type of two numbers, or None where there is none (int64 with uint64)."""
    lanes = max(left.lanes, right.lanes)
    dtype, weak = _promote(left, right, default)
    return None if dtype is None else Number(dtype, weak, lanes)


def _promote(left: Number, right: Number, default: DType) -> tuple[DType | None, bool]:
    a, b = left.dtype, right.dtype
    if left.weak and right.weak:
        kind = max(a.kind, b.kind, key=_RANK.__getitem__)
        return weak_dtype(kind, default), True
    if left.weak or right.weak:
        firm, loose = (b, a) if left.weak else (a, b)
        if firm.kind == "b":
            return weak_dtype(loose.kind, default), True
        if _RANK[loose.kind] <= _RANK[firm.kind]:
            return firm, False
        if loose.kind == "f":
            return default, False
        return complex_of(dtypes.real_of(firm) if firm.kind == "f" else default), False
    if {a.kind, b.kind} == {"i", "u"} and max(a.itemsize, b.itemsize) == 8:
        unsigned = a if a.kind == "u" else b
        if unsigned.itemsize == 8:
            return None, False
    result = np.result_type(a, b)
    if result.kind in "fc" and _RANK[min(a.kind, b.kind, key=_RANK.__getitem__)] <= 1:
        floating = a if a.kind in "fc" else b
        if floating.kind in "fc":
            widest = max(dtypes.real_of(floating), default, key=lambda d: d.itemsize)
            if dtypes.real_of(result).itemsize > widest.itemsize:
                result = complex_of(widest) if result.kind == "c" else widest
    return result, False


def join(before: Number, value: Number) -> Number | None:
    """Return the type of a variable that had one type and is given another; None is a conflict."""
    if before == value:
        return before
    lanes = max(before.lanes, value.lanes)
    if before.weak and value.weak:
        kept = before if _RANK[before.dtype.kind] >= _RANK[value.dtype.kind] else value
        return Number(kept.dtype, True, lanes)
    if before.weak or value.weak:
        firm, loose = (value, before) if before.weak else (before, value)
        fits_in = 0 < _RANK[firm.dtype.kind] >= _RANK[loose.dtype.kind]
        return Number(firm.dtype, False, lanes) if fits_in else None
    return None


def fits(value: Any, dtype: DType) -> bool:
    """Whether a Python number can become this dtype without being another number."""
    if dtype.kind in "iu" and isinstance(value, int):
        info = np.iinfo(dtype)
        return bool(int(info.min) <= value <= int(info.max))
    return True
