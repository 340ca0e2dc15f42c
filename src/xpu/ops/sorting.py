"""Sorted elements and the orders that sort them."""

from __future__ import annotations

from .. import apply as _apply, kernels
from ..apply import check_arrays
from ..array import Array
from ..config import config
from ..dtypes import INT64
from ..memory import View, contiguous_strides, new_view
from ..reduce import NATIVE_BELOW
from .creation import copy
from .manipulation import moveaxis, normalize_axis, reshape

__all__ = ["argpartition", "argsort", "partition", "sort", "topk"]


def along(x: Array, axis: int) -> tuple[View, tuple[int, ...]]:
    """Return the elements as (outer, length, inner) around an axis, and the shape they come from."""
    view = x._concrete()
    rows = kernels.sort.three_axes(view, axis)
    if rows is None:
        rows = kernels.sort.three_axes(copy(x)._concrete(), axis)
    assert rows is not None
    return rows, view.shape


def _from_rows(rows: View, shape: tuple[int, ...], axis: int) -> Array:
    """Return the array whose axis lies in rows (outer * inner, length)."""
    moved = shape[:axis] + shape[axis + 1 :] + (shape[axis],)
    flat = Array._of_view(View(rows.storage, rows.dtype, moved, contiguous_strides(moved), rows.offset))
    return moveaxis(flat, -1, axis)


def _order(x: Array, axis: int, descending: bool) -> View:
    rows, _ = along(x, axis)
    return kernels.sort.order_of(kernels.sort.sort_keys(rows, descending))


def argsort(
    x: Array, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None
) -> Array:
    """Return the indices that sort along an axis, as int64.

    Parameters
    ----------
    x : Array
    axis : int or None
        None sorts all elements in C order.
    descending : bool
        From the largest to the smallest.
    stable : bool
        Equal elements keep their order. They do so always here, in both directions.
    kind : str, optional
        NumPy's name of an algorithm; has no effect.

    Notes
    -----
    Both zeros are equal; NaN counts as the largest number, so it comes last, and first when descending. Complex numbers
    are compared by their real parts, then by their imaginary ones.
    """
    x, place = _prepare("argsort", x, axis)
    if x.size == 0:
        return Array._of_view(new_view(x.device, x.shape, INT64))
    library = x.device.backend_device.library.get("argsort") if config.library and not descending else None
    if library is not None and x.size <= NATIVE_BELOW:
        out = new_view(x.device, x.shape, INT64)
        library(x._concrete().native(), place, out.native())
        return Array._of_view(out)
    order = _from_rows(_order(x, place, descending), x.shape, place)
    return _apply.astype(order, INT64)


def sort(
    x: Array, /, axis: int | None = -1, *, descending: bool = False, stable: bool = True, kind: str | None = None
) -> Array:
    """Return a copy sorted along an axis; parameters and order as in :func:`argsort`."""
    x, place = _prepare("sort", x, axis)
    library = x.device.backend_device.library.get("sort") if config.library and not descending else None
    if library is not None:
        out = new_view(x.device, x.shape, x.dtype)
        if library(x._concrete().native(), place, out.native()) is not NotImplemented:
            return Array._of_view(out)
    if x.size == 0:
        return copy(x)
    return _follow(x, place, _order(x, place, descending))


def _prepare(name: str, x: Array, axis: int | None) -> tuple[Array, int]:
    check_arrays(name, x)
    if axis is None:
        return reshape(x, -1), 0
    return x, normalize_axis(axis, x.ndim)


def _follow(x: Array, axis: int, order: View) -> Array:
    """Return the elements of each row in the order of (outer * inner, length) positions."""
    rows, shape = along(x, axis)
    out = new_view(x.device, order.shape, x.dtype)
    kernels.sort.follow_rows(rows, order, out)
    return _from_rows(out, (*shape[:axis], order.shape[1], *shape[axis + 1 :]), axis)


def partition(x: Array, kth: int, /, axis: int | None = -1) -> Array:
    """Return a copy in which no element before ``kth`` along the axis is larger, and none behind it smaller."""
    check_arrays("partition", x)
    _check_kth(x, kth, axis)
    return sort(x, axis=axis)


def argpartition(x: Array, kth: int, /, axis: int | None = -1) -> Array:
    """Return the indices that :func:`partition` an array, as int64."""
    check_arrays("argpartition", x)
    _check_kth(x, kth, axis)
    return argsort(x, axis=axis)


def _check_kth(x: Array, kth: int, axis: int | None) -> None:
    extent = x.size if axis is None else x.shape[normalize_axis(axis, x.ndim)]
    if not -extent <= kth < extent:
        raise ValueError(f"kth={kth} is outside an axis of length {extent}")


def topk(x: Array, k: int, /, *, axis: int = -1, largest: bool = True) -> tuple[Array, Array]:
    """Return the ``k`` largest (or smallest) elements along an axis, the most extreme first, and their indices.

    NaN counts as the largest number; of equal elements the first come first.
    """
    x, place = _prepare("topk", x, axis)
    if not 0 <= k <= x.shape[place]:
        raise ValueError(f"k is between 0 and the axis' length {x.shape[place]}, got {k}")
    order = argsort(x, axis=place, descending=largest)
    chosen = order[(slice(None),) * place + (slice(0, k),)]
    from .searching import take_along_axis

    return take_along_axis(x, chosen, axis=place), copy(chosen)
