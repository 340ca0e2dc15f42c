"""Questions about data types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import dtypes as _dtypes
from ..array import Array

__all__ = ["can_cast", "finfo", "iinfo", "isdtype", "promote_types", "result_type"]


def _of(value: Any) -> Any:
    return value.dtype if isinstance(value, Array) else value


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the dtype of an operation on arrays, dtypes and Python scalars (which are weak)."""
    return _dtypes.result_type(*[_of(value) for value in arrays_and_dtypes])


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Return the smallest dtype to which both can be cast safely."""
    return _dtypes.canonical(np.promote_types(_dtypes.canonical(type1), _dtypes.canonical(type2)))


def can_cast(from_: Any, to: Any, /, casting: Any = "safe") -> bool:
    """Whether a cast between dtypes is allowed by NumPy's rule (``safe`` by default)."""
    return bool(np.can_cast(_of(from_), _dtypes.canonical(to), casting))


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind: ``"bool"``, ``"signed integer"``, ``"integral"``, ``"real floating"``, ``"numeric"`` ..."""
    return bool(np.isdtype(_dtypes.canonical(dtype), kind))


@dataclass(frozen=True, slots=True)
class FloatLimits:
    """The limits of a floating-point dtype, as Python numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


def finfo(type_: Any, /) -> FloatLimits:
    """Return the limits of a floating-point dtype (of a complex one's parts)."""
    limits = np.finfo(_dtypes.canonical(_of(type_)))
    return FloatLimits(
        bits=limits.bits,
        eps=float(limits.eps),
        max=float(limits.max),
        min=float(limits.min),
        smallest_normal=float(limits.smallest_normal),
        dtype=np.dtype(limits.dtype),
    )


def iinfo(type_: Any, /) -> np.iinfo[Any]:
    """Return the limits of an integer dtype."""
    return np.iinfo(_dtypes.canonical(_of(type_)))
