"""How many elements there are of each number, and in each interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import apply as _apply
from ..apply import check_arrays, common_device
from ..array import Array
from ..dtypes import INT64, result_type
from .advanced import take_items
from .creation import arange, asarray, linspace, zeros
from .cumulative import cumulative_sum, diff
from .manipulation import concat, reshape
from .searching import searchsorted
from .sorting import argsort, sort

__all__ = ["bincount", "digitize", "histogram"]


def _totals(order: Array | None, ends: Array, weights: Array | None) -> Array:
    """Return what lies before each of the ends: how many elements, or the weights of so many in an order."""
    if weights is None:
        return ends
    sums = cumulative_sum(take_items(weights, (order,)), include_initial=True)
    return take_items(sums, (ends,))


def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Return how often each number occurs, from 0 to the largest.

    Parameters
    ----------
    x : Array
        One axis of integers, none of them negative.
    weights : Array, optional
        Of the same shape: what each element counts; the result has their float dtype.
    minlength : int
        The least length of the result.
    """
    check_arrays("bincount", x)
    if x.ndim != 1 or x.dtype.kind not in "biu":
        raise TypeError(f"bincount needs one axis of integers, got shape {x.shape} of {x.dtype.name}")
    if minlength < 0:
        raise ValueError("minlength may not be negative")
    if weights is not None:
        common_device("bincount", (x, weights))
        if weights.shape != x.shape:
            raise ValueError(f"the weights' shape {weights.shape} is not the numbers' {x.shape}")
        weights = _apply.astype(weights, result_type(weights.dtype, x.device.default_float))
    if x.size == 0:
        dtype = INT64 if weights is None else weights.dtype
        return zeros((minlength,), dtype=dtype, device=x.device)
    numbers = _apply.astype(x, INT64)
    if bool((numbers < 0).any()):
        raise ValueError("bincount takes no negative numbers")
    length = max(int(numbers.max()) + 1, minlength)
    order = argsort(numbers) if weights is not None else None
    ordered = sort(numbers) if order is None else take_items(numbers, (order,))
    ends = searchsorted(ordered, arange(length + 1, device=x.device))
    return diff(_totals(order, ends, weights))


def digitize(x: Array, bins: Array, /, right: bool = False) -> Array:
    """Return the number of the interval of each element, with boundaries that rise or fall.

    ``right``: an interval has its upper boundary, not its lower one.
    """
    check_arrays("digitize", x, bins)
    if "c" in (x.dtype.kind, bins.dtype.kind):
        raise TypeError("complex numbers belong to no interval")
    falls = bins.size > 1 and bool(bins[0] > bins[-1])
    if not _rises(bins[::-1] if falls else bins):
        raise ValueError("bins have to rise or to fall")
    side = "left" if right else "right"
    return bins.size - searchsorted(bins[::-1], x, side=side) if falls else searchsorted(bins, x, side=side)


def _rises(bins: Array) -> bool:
    """Whether no boundary is below the one before; differences would wrap around."""
    return not bool((bins[1:] < bins[:-1]).any())


def histogram(
    x: Array,
    /,
    bins: int | Array = 10,
    range: tuple[float, float] | None = None,
    *,
    density: bool = False,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Return how many elements are in each interval, and the intervals' boundaries.

    Parameters
    ----------
    x : Array
    bins : int or Array
        How many intervals of one width, or rising boundaries. The last interval has its upper boundary too.
    range : (float, float), optional
        Outer boundaries; default: the smallest and the largest element.
    density : bool
        Divide by the number of elements and the widths, so that the area is one.
    weights : Array, optional
        What each element counts.
    """
    check_arrays("histogram", x)
    flat = reshape(x, -1)
    edges = bins if isinstance(bins, Array) else _edges(flat, bins, range)
    if isinstance(bins, Array) and not _rises(edges):
        raise ValueError("bins have to rise")
    order = None
    if weights is not None:
        weights = reshape(weights, -1)
        if weights.shape != flat.shape:
            raise ValueError(f"there are {weights.size} weights for {flat.size} elements")
        if weights.dtype.kind == "b":
            weights = _apply.astype(weights, INT64)
        order = argsort(flat)
    ordered = sort(flat) if order is None else take_items(flat, (order,))
    ends = concat([searchsorted(ordered, edges[:-1]), searchsorted(ordered, edges[-1:], side="right")])
    counts = diff(_totals(order, ends, weights))
    if density:
        return counts / diff(edges) / counts.sum(), edges
    return counts, edges


def _edges(flat: Array, bins: Any, limits: tuple[float, float] | None) -> Array:
    if bins < 1:
        raise ValueError(f"a histogram needs at least one bin, got {bins}")
    if limits is None:
        limits = (float(flat.min()), float(flat.max())) if flat.size else (0.0, 1.0)
    low, high = limits
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"the range ({low}, {high}) is not finite")
    if low > high:
        raise ValueError(f"the range ({low}, {high}) falls")
    if low == high:
        low, high = low - 0.5, high + 0.5
    dtype = np.dtype(np.float32) if flat.dtype.char in "ef" else flat.device.default_float
    return asarray(linspace(low, high, bins + 1, dtype=dtype, device=flat.device))
