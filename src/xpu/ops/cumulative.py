"""Running sums and products, and differences of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import apply as _apply, kernels
from ..apply import check_arrays, is_scalar
from ..array import Array
from ..config import config
from ..dtypes import canonical
from ..errors import UnsupportedDTypeError
from ..lazy.evaluate import write
from ..memory import View, new_view
from ..reduce import NATIVE_BELOW
from .creation import asarray, copy
from .manipulation import broadcast_to, concat, normalize_axis, reshape

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff"]


def _result_dtype(x: Array, dtype: Any) -> np.dtype[Any]:
    if dtype is not None:
        return canonical(dtype)
    if x.dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if x.dtype.kind == "u" else x.dtype


def _cumulative(op: str, x: Array, axis: int, dtype: Any, include_initial: bool) -> Array:
    result = _result_dtype(x, dtype)
    x.device.check_dtype(result)
    if x.dtype.kind == "c" and result.kind != "c":
        raise UnsupportedDTypeError(
            f"cumulative_{op} of complex numbers cannot be {result.name}; take the real part first"
        )
    extra = int(include_initial)
    shape = (*x.shape[:axis], x.shape[axis] + extra, *x.shape[axis + 1 :])
    out = new_view(x.device, shape, result)
    if include_initial:
        first = (*shape[:axis], 1, *shape[axis + 1 :])
        write(View(out.storage, result, first, out.strides, out.offset), result.type(op == "prod"), x.device)
    target = View(out.storage, result, x.shape, out.strides, out.offset + extra * out.strides[axis])
    if x.size == 0:
        return Array._of_view(out)
    library = x.device.backend_device.library.get("cumulative") if config.library else None
    if library is not None and x.size <= NATIVE_BELOW:
        library(op, x._concrete().native(), axis, target.native())
        return Array._of_view(out)
    # The conversion goes first where the scan's own would not be NumPy's: to bool.
    source = _apply.astype(x, result) if result.kind == "b" else x
    rows = kernels.sort.three_axes(source._concrete(), axis) or kernels.sort.three_axes(copy(source)._concrete(), axis)
    written = kernels.sort.three_axes(target, axis)
    assert rows is not None and written is not None
    kernels.scan.scan(op, rows, written)
    return Array._of_view(out)


def _one_axis(name: str, x: Array, axis: int | None) -> int:
    check_arrays(name, x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name} of an array with {x.ndim} axes needs an axis")
        return 0
    return normalize_axis(axis, max(x.ndim, 1))


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Return running sums along an axis.

    Parameters
    ----------
    x : Array
    axis : int, optional
        May be left out for one-dimensional arrays.
    dtype : dtype-like, optional
        Of the sums; default int64 for bool and signed integers, uint64 for unsigned ones, else that of ``x``.
    include_initial : bool
        Begin with a zero: the axis becomes one longer.
    """
    place = _one_axis("cumulative_sum", x, axis)
    return _cumulative("sum", x if x.ndim else reshape(x, (1,)), place, dtype, include_initial)


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Return running products along an axis; parameters as in :func:`cumulative_sum`, the initial one is 1."""
    place = _one_axis("cumulative_prod", x, axis)
    return _cumulative("prod", x if x.ndim else reshape(x, (1,)), place, dtype, include_initial)


def cumsum(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running sums along an axis, or over all elements in C order."""
    check_arrays("cumsum", x)
    flat = reshape(x, -1) if axis is None else x
    return _cumulative("sum", flat, normalize_axis(axis or 0, flat.ndim), dtype, False)


def cumprod(x: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Return running products along an axis, or over all elements in C order."""
    check_arrays("cumprod", x)
    flat = reshape(x, -1) if axis is None else x
    return _cumulative("prod", flat, normalize_axis(axis or 0, flat.ndim), dtype, False)


def _edge(value: Any, x: Array, axis: int) -> Array:
    """Return what is joined to an array along an axis; numbers take the shape of its edge, as in NumPy."""
    part = asarray(value, device=x.device) if is_scalar(value) else value
    if isinstance(part, Array) and part.ndim == 0:
        part = broadcast_to(part, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    return part


def diff(x: Array, /, n: int = 1, axis: int = -1, *, prepend: Any = None, append: Any = None) -> Array:
    """Return differences of neighbours along an axis, ``n`` times over.

    Parameters
    ----------
    x : Array
    n : int
        How often; 0 returns ``x``.
    axis : int
    prepend, append : Array or number, optional
        Joined to ``x`` along the axis before the first difference; of a number as many as there are rows.
    """
    check_arrays("diff", x)
    if n < 0:
        raise ValueError(f"diff is taken n >= 0 times, got {n}")
    place = normalize_axis(axis, x.ndim)
    if n == 0:
        return x
    parts = [_edge(part, x, place) for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = concat(parts, axis=place)
    lead = (slice(None),) * place
    for _ in range(n):
        later, earlier = x[(*lead, slice(1, None))], x[(*lead, slice(None, -1))]
        x = later != earlier if x.dtype.kind == "b" else later - earlier
    return x
