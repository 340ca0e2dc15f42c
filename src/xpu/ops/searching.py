"""Where elements are, and elements at places."""

from __future__ import annotations

from typing import Any

from .. import apply as _apply, kernels
from ..apply import check_arrays, common_device
from ..array import Array
from ..config import config
from ..dtypes import INT64, result_type
from ..errors import BroadcastError
from ..memory import View, new_view
from ..reduce import NATIVE_BELOW, reduce
from ..shapes import broadcast_shapes
from .advanced import flat_nonzero, nonzero_arrays, put_items, take_items
from .creation import arange, asarray
from .manipulation import broadcast_to, concat, normalize_axis, reshape, stack

__all__ = [
    "argmax",
    "argmin",
    "argwhere",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "put_along_axis",
    "searchsorted",
    "take",
    "take_along_axis",
    "where",
]


def argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the first minimum along an axis, or in C order over all; NaN wins. int64."""
    return reduce("argmin", x, axis, keepdims)


def argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the first maximum along an axis, or in C order over all; NaN wins. int64."""
    return reduce("argmax", x, axis, keepdims)


def where(condition: Array, x1: Any = None, x2: Any = None, /) -> Any:
    """Return ``x1`` where the condition is true and ``x2`` elsewhere, broadcast together.

    With the condition alone: the same as :func:`nonzero`.
    """
    if x1 is None and x2 is None:
        return nonzero(condition)
    if x1 is None or x2 is None:
        raise ValueError("where takes a condition alone, or both of the values to choose from")
    return _apply.where(condition, x1, x2)


# ------------------------------------------------------------------------------------------------------- nonzero


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Return, for each axis, the indices of the elements that are not zero, in C order, as int64."""
    check_arrays("nonzero", x)
    if x.ndim == 0:
        raise ValueError("nonzero of a 0-d array has no axis to count along; use xp.atleast_1d(x)")
    return nonzero_arrays(x)


def argwhere(x: Array, /) -> Array:
    """Return the indices of the elements that are not zero, one row for each element."""
    check_arrays("argwhere", x)
    if x.ndim == 0:
        count = int(bool(x != 0))
        return Array._of_view(new_view(x.device, (count, 0), INT64))
    return stack(nonzero_arrays(x), axis=1)


def flatnonzero(x: Array, /) -> Array:
    """Return the indices of the elements that are not zero, counted in C order."""
    check_arrays("flatnonzero", x)
    return nonzero_arrays(reshape(x, -1))[0]


def extract(condition: Array, x: Array, /) -> Array:
    """Return the elements where a condition of the same size is true, in C order."""
    check_arrays("extract", condition, x)
    return take_items(reshape(x, -1), flat_nonzero(condition))


def compress(condition: Array, x: Array, /, axis: int | None = None) -> Array:
    """Return the slices along an axis where a one-dimensional condition is true; the condition may be shorter."""
    check_arrays("compress", condition, x)
    if condition.ndim != 1:
        raise ValueError(f"the condition needs one axis, its shape is {condition.shape}")
    return take(x, flat_nonzero(condition), axis=axis)


# ---------------------------------------------------------------------------------------------------------- take


def _index_array(name: str, indices: Any, x: Array) -> Array:
    found = indices if isinstance(indices, Array) else asarray(indices, device=x.device)
    if found.size == 0 and found.dtype.kind == "f" and not isinstance(indices, Array):
        found = _apply.astype(found, INT64)
    if found.dtype.kind not in "iu":
        raise TypeError(f"{name} takes integer indices, not {found.dtype.name}")
    return found


def take(x: Array, indices: Any, /, axis: int | None = None) -> Array:
    """Return the elements at indices along an axis.

    Parameters
    ----------
    x : Array
    indices : Array of integers, int, or sequence
        Of any shape, which takes the place of the axis; negative ones count from the end.
    axis : int, optional
        Default: indices count through all elements in C order.

    Raises
    ------
    IndexError
        If an index is outside the axis.
    """
    check_arrays("take", x)
    chosen = _index_array("take", indices, x)
    if axis is None:
        return take_items(reshape(x, -1), (chosen,))
    place = normalize_axis(axis, x.ndim)
    return take_items(x, (*[slice(None)] * place, chosen))


def _grid(name: str, x: Array, indices: Array, axis: int) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Return the key of index arrays that picks along one axis and keeps its place on all others."""
    chosen = _index_array(name, indices, x)
    if chosen.ndim != x.ndim:
        raise BroadcastError(f"{name} needs as many axes in the indices ({chosen.ndim}) as in the array ({x.ndim})")
    outer = broadcast_shapes(
        (*x.shape[:axis], 1, *x.shape[axis + 1 :]), (*chosen.shape[:axis], 1, *chosen.shape[axis + 1 :])
    )
    shape = (*outer[:axis], chosen.shape[axis], *outer[axis + 1 :])
    key: list[Any] = []
    for place in range(x.ndim):
        if place == axis:
            key.append(broadcast_to(chosen, shape))
        elif x.shape[place] == 1 and shape[place] != 1:
            key.append(arange(1, device=x.device))
        else:
            line = (1,) * place + (shape[place],) + (1,) * (x.ndim - place - 1)
            key.append(reshape(arange(shape[place], device=x.device), line))
    return tuple(key), shape


def take_along_axis(x: Array, indices: Array, /, axis: int | None = -1) -> Array:
    """Return elements at indices along an axis, where each row has indices of its own (as :func:`argsort` gives them).

    Parameters
    ----------
    x : Array
    indices : Array of integers
        With as many axes as ``x``; broadcasts with it along all others.
    axis : int or None
        None takes all elements of ``x`` in C order.
    """
    check_arrays("take_along_axis", x, indices)
    if axis is None:
        x, axis = reshape(x, -1), 0
    place = normalize_axis(axis, x.ndim)
    key, _ = _grid("take_along_axis", x, indices, place)
    return take_items(x, key)


def put_along_axis(x: Array, indices: Array, values: Any, /, axis: int) -> None:
    """Store values at indices along an axis, where each row has indices of its own."""
    check_arrays("put_along_axis", x, indices)
    place = normalize_axis(axis, x.ndim)
    x._check_writeable()
    key, _ = _grid("put_along_axis", x, indices, place)
    put_items(x, key, values)


# -------------------------------------------------------------------------------------------------- searchsorted


def searchsorted(x1: Array, x2: Any, /, side: str = "left", sorter: Array | None = None) -> Array:
    """Return where elements belong in a sorted array, as int64.

    Parameters
    ----------
    x1 : Array
        One-dimensional, sorted as :func:`sort` does it.
    x2 : Array or number
        What is looked for; the result has its shape.
    side : {"left", "right"}
        Before equal elements, or behind them.
    sorter : Array, optional
        Indices that sort ``x1``.
    """
    check_arrays("searchsorted", x1)
    if side not in ("left", "right"):
        raise ValueError(f"side is 'left' or 'right', got {side!r}")
    if x1.ndim != 1:
        raise ValueError(f"searchsorted needs a one-dimensional array, its shape is {x1.shape}")
    if not isinstance(x2, Array):
        dtype = result_type(x1.dtype, x2) if isinstance(x2, (bool, int, float, complex)) else None
        x2 = asarray(x2, dtype=dtype, device=x1.device)
    device = common_device("searchsorted", (x1, x2))
    if sorter is not None:
        x1 = take(x1, sorter, axis=0)
    common = result_type(x1.dtype, x2.dtype)
    device.check_dtype(common)
    if x1.dtype != common:
        x1 = _apply.astype(x1, common)
    if x2.dtype != common:
        x2 = _apply.astype(x2, common)
    out = new_view(device, x2.shape, INT64)
    if x2.size == 0:
        return Array._of_view(out)
    library = device.backend_device.library.get("searchsorted") if config.library else None
    if library is not None and (x2.size <= NATIVE_BELOW or common.kind == "c"):
        library(x1._concrete().native(), x2._concrete().native(), side, out.native())
        return Array._of_view(out)
    if common.kind == "c":
        return _search_by_sorting(x1, x2, side)
    keys = [kernels.sort.sort_keys(_as_row(part))[0] for part in (x1, x2)]
    flat = [View(key.storage, key.dtype, (key.size,), (1,), key.offset) for key in keys]
    kernels.sort.search(flat[0], flat[1], side == "right", View(out.storage, INT64, (x2.size,), (1,), 0))
    return Array._of_view(out)


def _as_row(x: Array) -> View:
    own = reshape(x, -1)._concrete()
    return View(own.storage, own.dtype, (1, own.shape[0], 1), (0, own.strides[0], 0), own.offset)


def _search_by_sorting(x1: Array, x2: Array, side: str) -> Array:
    """Sort both together: what is looked for goes before equal elements, or behind them; then count."""
    from .cumulative import cumulative_sum

    count, flat = x1.size, reshape(x2, -1)
    parts = [flat, x1] if side == "left" else [x1, flat]
    order = kernels.sort.order_of(kernels.sort.sort_keys(_as_row(concat(parts))))
    numbers = Array._of_view(View(order.storage, order.dtype, (order.size,), (1,), order.offset))
    first = flat.size if side == "left" else 0
    is_element = (numbers >= first) & (numbers < first + count)
    before = cumulative_sum(_apply.astype(is_element, INT64))
    out = Array._of_view(new_view(x1.device, (order.size,), INT64))
    put_items(out, (numbers,), before, distinct=True)
    start = 0 if side == "left" else count
    return reshape(out[start : start + flat.size].copy(), x2.shape)
