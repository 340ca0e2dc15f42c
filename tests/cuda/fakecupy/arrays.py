"""CuPy's arrays and functions for the library table: NumPy's own, over the stand-in's memory."""

from __future__ import annotations

import ctypes
from types import ModuleType
from typing import Any

import numpy as np

from .memory import MemoryPointer

FUNCTIONS = ("matmul",)
"""What the library table calls."""


def ndarray(
    shape: tuple[int, ...],
    dtype: Any = float,
    memptr: MemoryPointer | None = None,
    strides: tuple[int, ...] | None = None,
) -> np.ndarray:
    """Return an array over device memory, with the signature of CuPy's class."""
    assert memptr is not None
    dtype = np.dtype(dtype)
    if strides is None:
        strides = np.empty(shape, dtype).strides
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True) if extent]
    low = sum(step for step in reach if step < 0)
    high = sum(step for step in reach if step > 0) + dtype.itemsize
    raw = np.frombuffer((ctypes.c_uint8 * (high - low)).from_address(memptr.ptr + low), np.uint8)
    return np.ndarray(shape, dtype, raw, -low, strides)


def add_functions(cupy: ModuleType, numpy: ModuleType) -> None:
    """Give the module the functions that the library table names."""
    cupy.ndarray = ndarray
    for name in FUNCTIONS:
        setattr(cupy, name, getattr(numpy, name))
