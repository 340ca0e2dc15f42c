"""Order statistics: medians, quantiles, percentiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import apply as _apply
from ..apply import check_arrays
from ..array import Array
from .creation import asarray
from .manipulation import moveaxis, normalize_axes, reshape
from .searching import take
from .sorting import sort
from .statistics import mean

__all__ = ["median", "percentile", "quantile"]


def quantile(x: Array, q: Any, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Return quantiles over axes, interpolated linearly between neighbours.

    Parameters
    ----------
    x : Array
        Real numbers. A row with a NaN has NaN for all quantiles.
    q : float, sequence of float, or Array
        From 0 (the smallest) to 1 (the largest). The axes of ``q`` come first in the result.
    axis : int or tuple of int, optional
        Default: all axes.
    keepdims : bool
        Keep reduced axes with length one.
    """
    check_arrays("quantile", x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"quantiles need real numbers, not {x.dtype.name}")
    wanted = np.asarray(q.get() if isinstance(q, Array) else q, np.float64)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ValueError("quantiles are between 0 and 1")
    axes = normalize_axes(axis, x.ndim)
    rows, kept = _rows(x, axes)
    count = rows.shape[-1]
    if count == 0:
        raise ValueError(f"quantiles of no elements (shape {x.shape}, axis {axis})")
    dtype = x.dtype if x.dtype.kind == "f" else x.device.default_float
    ordered = sort(rows, axis=-1)
    place = wanted.reshape(-1) * (count - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, count - 1)
    device = x.device
    low = _apply.astype(take(ordered, asarray(below, device=device), axis=-1), dtype)
    high = _apply.astype(take(ordered, asarray(above, device=device), axis=-1), dtype)
    values = _between(low, high, asarray((place - below).astype(dtype), device=device))
    if dtype.kind == "f" and x.dtype.kind == "f":
        last = ordered[..., -1:]
        values = _apply.where(last != last, last, values)
    shape = [1 if k in axes else n for k, n in enumerate(x.shape)] if keepdims else kept
    return reshape(moveaxis(values, -1, 0), (*wanted.shape, *shape))


def _between(low: Array, high: Array, part: Array) -> Array:
    """Interpolate from the nearer end, so that both ends are met exactly; equal ends give themselves."""
    step = high - low
    result = _apply.where(part < 0.5, low + step * part, high - step * (1 - part))
    return _apply.where(low == high, low, _apply.where(part == 0, low, result))


def _rows(x: Array, axes: tuple[int, ...]) -> tuple[Array, list[int]]:
    """Return the elements with the axes joined as the last one, and the lengths of the others."""
    others = [k for k in range(x.ndim) if k not in axes]
    kept = [x.shape[k] for k in others]
    count = 1
    for k in axes:
        count *= x.shape[k]
    return reshape(x.transpose(*others, *axes) if x.ndim else x, (*kept, count)), kept


def percentile(x: Array, q: Any, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Return quantiles for percentages from 0 to 100; see :func:`quantile`."""
    host = np.asarray(q.get() if isinstance(q, Array) else q, np.float64)
    if not ((host >= 0) & (host <= 100)).all():
        raise ValueError("percentages are between 0 and 100")
    return quantile(x, host / 100, axis=axis, keepdims=keepdims)


def median(x: Array, /, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Array:
    """Return medians over axes: the middle element, or the mean of the two in the middle; NaN where there is one.

    Medians of no elements are NaN, as their mean is.
    """
    check_arrays("median", x)
    if x.size == 0 and x.dtype.kind != "c":
        return mean(x, axis=axis, keepdims=keepdims)
    return quantile(x, 0.5, axis=axis, keepdims=keepdims)
