"""The data types of xpu: NumPy's own, twelve numeric ones and bool.

Names such as ``xp.float32`` are NumPy's scalar types; ``x.dtype`` is a ``numpy.dtype``. There is one promotion table,
NumPy's (NEP 50), reached through :func:`result_type` so that eager, fused and kernel code cannot disagree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .errors import UnsupportedDTypeError

bool = np.bool_
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128

NAMES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
INT64 = np.dtype(np.int64)
SUPPORTED: tuple[np.dtype[Any], ...] = tuple(np.dtype(name) for name in NAMES)
_SUPPORTED = {dtype: dtype for dtype in SUPPORTED}

KIND = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


@lru_cache(maxsize=512)
def _canonical(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype in _SUPPORTED and dtype.isnative:
        return _SUPPORTED[dtype]  # C's "long long" is int64 too, but its scalar type is another one
    if not dtype.isnative:
        raise UnsupportedDTypeError(
            f"dtype {dtype.str!r} has foreign byte order; convert first: a.astype({dtype.newbyteorder('=').name!r})"
        )
    named = ", ".join(NAMES)
    raise UnsupportedDTypeError(f"dtype {str(dtype)!r} is not one of xpu's ({named})")


def canonical(dtype: Any) -> np.dtype[Any]:
    """Return the ``numpy.dtype`` meant by ``dtype``.

    Parameters
    ----------
    dtype : dtype-like
        Anything ``numpy.dtype`` takes.

    Raises
    ------
    UnsupportedDTypeError
        For object, strings, dates, structures, long double, and foreign byte orders.
    """
    if type(dtype) is np.dtype or isinstance(dtype, np.dtype):
        return _canonical(dtype)
    if dtype is None:
        raise UnsupportedDTypeError("None is not a dtype here; leave the argument out for the default")
    try:
        return _canonical(np.dtype(dtype))
    except UnsupportedDTypeError:
        raise
    except TypeError as error:
        raise UnsupportedDTypeError(f"{dtype!r} is not a dtype: {error}") from None


@lru_cache(maxsize=64)
def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a complex dtype's parts; any other dtype is returned as it is."""
    if dtype.kind != "c":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)


def needs_fp64(dtype: np.dtype[Any]) -> Any:
    """Whether arithmetic in this dtype needs a device with float64."""
    return dtype.kind in "fc" and real_of(dtype).itemsize == 8


def result_type(*operands: Any) -> np.dtype[Any]:
    """NumPy's promotion; operands are dtypes, or Python scalars, which are weak (NEP 50)."""
    return canonical(np.result_type(*operands))
