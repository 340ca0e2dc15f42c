"""Sums, products, extrema, means, variances."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import apply as _apply
from ..apply import check_arrays
from ..array import Array
from ..dtypes import canonical, real_of
from ..lazy.operations import TABLE
from ..reduce import reduce
from .manipulation import normalize_axes

__all__ = ["count_nonzero", "max", "mean", "min", "prod", "ptp", "std", "sum", "var"]

Axis = int | tuple[int, ...] | None


def _accumulator(x: Array, dtype: Any) -> np.dtype[Any]:
    if dtype is not None:
        return canonical(dtype)
    if x.dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if x.dtype.kind == "u" else x.dtype


def sum(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return sums over axes.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
        Default: all axes.
    dtype : dtype-like, optional
        Of the sum and its summation; default int64 for bool and signed integers, uint64 for unsigned ones, else that of
        ``x``. Floating-point numbers are added pairwise; float16 in float32.
    keepdims : bool
        Keep reduced axes with length one.
    """
    check_arrays("sum", x)
    return reduce("sum", x, axis, keepdims, _accumulator(x, dtype))


def prod(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return products over axes; dtypes as in :func:`sum`."""
    check_arrays("prod", x)
    return reduce("prod", x, axis, keepdims, _accumulator(x, dtype))


def min(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return minima over axes; NaN wins. An empty axis raises ValueError."""
    return reduce("min", x, axis, keepdims)


def max(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return maxima over axes; NaN wins. An empty axis raises ValueError."""
    return reduce("max", x, axis, keepdims)


def ptp(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the distance between maximum and minimum."""
    return max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)


def _count(x: Array, axis: Axis) -> int:
    count = 1
    for place in normalize_axes(axis, x.ndim):
        count *= x.shape[place]
    return count


def _floating(x: Array) -> np.dtype[Any]:
    return x.dtype if x.dtype.kind in "fc" else x.device.default_float


def mean(x: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Return arithmetic means over axes; NaN for empty ones.

    Integers are averaged in the device's default float, float16 in float32.
    """
    check_arrays("mean", x)
    result = canonical(dtype) if dtype is not None else _floating(x)
    work = np.dtype(np.float32) if result == np.float16 else result
    if work.kind not in "fc":
        work = x.device.default_float
    average = _divided(reduce("sum", x, axis, keepdims, work), _count(x, axis))
    return average if work == result else _apply.astype(average, result)


def _divided(total: Array, count: float) -> Array:
    kind = real_of(total.dtype)
    return _apply.apply(TABLE["divide"], total, total.dtype.type(kind.type(count)))


def var(
    x: Array,
    /,
    axis: Axis = None,
    dtype: Any = None,
    *,
    correction: float = 0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    """Return variances over axes: the mean squared distance from the mean, computed in two passes.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
    dtype : dtype-like, optional
    correction : float
        Subtracted from the count in the divisor (NumPy's ``ddof``).
    keepdims : bool
    ddof : float, optional
        The same as ``correction``.
    """
    check_arrays("var", x)
    if ddof is not None:
        correction = ddof
    result = canonical(dtype) if dtype is not None else _floating(x)
    work = np.dtype(np.float32) if result == np.float16 else result
    if work.kind not in "fc":
        work = x.device.default_float
    values = x if x.dtype == work else _apply.astype(x, work)
    centre = mean(values, axis=axis, keepdims=True)
    distance = values - centre
    if work.kind == "c":
        real, imag = _apply.apply(TABLE["real"], distance), _apply.apply(TABLE["imag"], distance)
        squares = real * real + imag * imag
    else:
        squares = _apply.apply(TABLE["square"], distance)
    total = reduce("sum", squares, axis, keepdims, squares.dtype)
    spread = _divided(total, builtins.max(_count(x, axis) - correction, 0))
    wanted = real_of(result)
    return spread if spread.dtype == wanted else _apply.astype(spread, wanted)


def std(
    x: Array,
    /,
    axis: Axis = None,
    dtype: Any = None,
    *,
    correction: float = 0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    """Return standard deviations: square roots of :func:`var`."""
    check_arrays("std", x)
    return _apply.apply(
        TABLE["sqrt"], var(x, axis=axis, correction=correction, dtype=dtype, keepdims=keepdims, ddof=ddof)
    )


def count_nonzero(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return how many elements are not zero, as int64."""
    check_arrays("count_nonzero", x)
    return reduce("sum", _apply.astype(x, np.dtype(np.bool_)), axis, keepdims, np.dtype(np.int64))
