"""Basic indexing: views that share memory, and writes through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..apply import common_device, is_scalar, to_dtype
from ..array import Array
from ..errors import BroadcastError, UnsupportedDTypeError, XpuError
from ..lazy.evaluate import write
from ..memory import View
from ..shapes import broadcast_shapes
from .creation import asarray, device_of, write_host

__all__ = ["ArrayIndexError", "assign", "basic_view", "getitem", "is_basic", "sequence_value", "setitem"]


class ArrayIndexError(XpuError, IndexError):
    """An index is outside an axis, or an array has fewer axes than indices."""


def _expand(x: Array, key: Any) -> list[Any]:
    """Return one item for every axis (and None for new ones), with the ellipsis spelled out."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for item in items if item is not None and item is not Ellipsis)
    ellipses = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ArrayIndexError("an index can only have a single ellipsis ('...')")
    if used > x.ndim:
        raise ArrayIndexError(f"too many indices: the array has {x.ndim} axes, but {used} were indexed")
    fill = [slice(None)] * (x.ndim - used)
    place = ellipses[0] if ellipses else len(items)
    return items[:place] + fill + items[place + len(ellipses) :]


def _is_plain(key: Any, ndim: int) -> bool:
    """Whether a key is a tuple of one slice or integer for every axis: the common case, which needs no expanding."""
    return type(key) is tuple and len(key) == ndim and _PLAIN.issuperset(map(type, key))


_PLAIN = frozenset([slice, int])


def is_basic(key: Any) -> bool:
    """Whether a key has only integers, slices, an ellipsis and new axes."""
    items = key if isinstance(key, tuple) else (key,)
    return all(
        item is None or item is Ellipsis or isinstance(item, slice) or (_is_integer(item) and not _is_bool(item))
        for item in items
    )


def _is_integer(item: Any) -> bool:
    if isinstance(item, (Array, np.ndarray)):
        return False
    return isinstance(item, (int, np.integer)) or (hasattr(item, "__index__") and not isinstance(item, (list, tuple)))


def _is_bool(item: Any) -> bool:
    return isinstance(item, (bool, np.bool_))


def basic_view(view: View, items: Sequence[Any]) -> View:
    """Return the window that integers, slices and new axes select."""
    shape: list[int] = []
    strides: list[int] = []
    offset = view.offset
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        extent, stride = view.shape[axis], view.strides[axis]
        if isinstance(item, slice):
            start, stop, step = _slice_indices(item, extent)
            count = (stop - start if stop > start else 0) if step == 1 else len(range(start, stop, step))
            if count:
                offset += start * stride
            shape.append(count)
            strides.append(_stride(stride, step, count))
        else:
            index = item.__index__()
            if not -extent <= index < extent:
                raise ArrayIndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
            offset += (index + extent if index < 0 else index) * stride
        axis += 1
    return View(view.storage, view.dtype, tuple(shape), tuple(strides), offset)


def _first_axis(view: View, key: int | slice) -> View:
    """Return the window of one integer or slice: the short way."""
    extent, stride = view.shape[0], view.strides[0]
    if isinstance(key, slice):
        start, stop, step = _slice_indices(key, extent)
        count = len(range(start, stop, step))
        offset = view.offset + start * stride if count else view.offset
        strides = (_stride(stride, step, count), *view.strides[1:])
        return View(view.storage, view.dtype, (count, *view.shape[1:]), strides, offset)
    if not -extent <= key < extent:
        raise ArrayIndexError(f"index {key} is out of bounds for axis 0 with size {extent}")
    offset = view.offset + (key + extent if key < 0 else key) * stride
    return View(view.storage, view.dtype, view.shape[1:], view.strides[1:], offset)


def _stride(stride: int, step: int, count: int) -> int:
    """Return the stride of a slice; a step that is never taken does not count, it may be larger than 64 bits."""
    return stride * step if count > 1 else stride


def _slice_indices(item: slice, extent: int) -> tuple[int, int, int]:
    try:
        return item.indices(extent)
    except TypeError:
        raise TypeError(f"slice bounds are integers or None, got {item}") from None


def getitem(x: Array, key: Any) -> Array:
    """Return ``x[key]``: a view for basic keys, a copy for index arrays and masks."""
    kind = type(key)
    if (kind is int or kind is slice) and x._shape:
        return Array._of_view(_first_axis(x._concrete(), key), x._writeable)
    if key is Ellipsis or (type(key) is tuple and not key):
        return Array._of_view(x._concrete(), x._writeable)
    if _is_plain(key, len(x._shape)):
        return Array._of_view(basic_view(x._concrete(), key), x._writeable)
    if not is_basic(key):
        from .advanced import take_items

        return take_items(x, key)
    return Array._of_view(basic_view(x._concrete(), _expand(x, key)), x._writeable)


def setitem(x: Array, key: Any, value: Any) -> None:
    """Store ``x[key] = value``; on any error the array stays as it was."""
    x._check_writeable()
    if _is_plain(key, len(x._shape)):
        assign(x, basic_view(x._concrete(), key), value)
        return
    if not is_basic(key):
        from .advanced import put_items

        put_items(x, key, value)
        return
    whole = x._concrete()
    target = basic_view(whole, _expand(x, key))
    assign(x, target, value)


def assign(x: Array, target: View, value: Any) -> None:
    """Store a value into a window of an array, casting and broadcasting as NumPy does."""
    device = x._device
    dtype = target.dtype
    if type(value) is Array:
        common_device("setitem", (x, value))
        source = value._operand()
        if isinstance(source, View) and source.same_place(target):
            return
        shape = value._shape
        while len(shape) > len(target.shape) and shape[0] == 1:
            shape = shape[1:]
        if shape != value._shape:
            source = value.reshape(shape)._concrete()
        _check_broadcast(shape, target.shape)
        write(target, source, device)
    elif is_scalar(value):
        write(target, _scalar_for(value, dtype), device)
    elif isinstance(value, np.ndarray):
        if value.shape != target.shape and value.size > 1:
            _check_broadcast(value.shape, target.shape)
        with np.errstate(all="ignore"):
            host = np.broadcast_to(value, target.shape).astype(dtype, copy=False)
        device.check_dtype(np.dtype(value.dtype) if value.dtype.kind in "biufc" else dtype)
        write_host(Array._of_view(target), host)
    elif isinstance(value, (list, tuple, range)):
        assign(x, target, sequence_value(value, x, len(target.shape)))
    else:
        raise TypeError(f"cannot store a {type(value).__name__} in an array; convert it with xp.asarray")


def sequence_value(value: Any, x: Array, ndim: int) -> Array:
    """Return a sequence to be stored in an array: numbers that its dtype cannot hold raise, as do sequences too deep."""
    own = device_of(value)
    result = asarray(value, dtype=x._dtype, device=x._device if own is None else None)
    if result.ndim > ndim:
        raise ValueError(f"a sequence of {result.ndim} axes cannot be stored where there are {ndim}")
    return result


def _check_broadcast(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    if shape != target and broadcast_shapes(shape, target) != target:
        raise BroadcastError(f"could not broadcast an array of shape {shape} into shape {target}")


def _scalar_for(value: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, (complex, np.complexfloating)) and dtype.kind not in "cb":
        raise UnsupportedDTypeError(
            f"a complex number cannot be stored in an array of {dtype.name}; take its real part"
        )
    if isinstance(value, (float, np.floating)) and dtype.kind in "iu":
        if value != value:
            raise ValueError(f"cannot store {value} in an array of {dtype.name}")
        if value in (float("inf"), float("-inf")):
            raise OverflowError(f"cannot store {value} in an array of {dtype.name}")
        return dtype.type(int(value))
    return to_dtype(value, dtype)


def delitem(x: Array, key: Any) -> None:
    """Refuse ``del x[key]``, as NumPy does."""
    raise ValueError("elements of an array cannot be deleted; index what is to be kept")


setattr(Array, "__delitem__", delitem)  # noqa: B010
setattr(Array, "__getitem__", getitem)  # noqa: B010  (the class imports this module at every call otherwise)
setattr(Array, "__setitem__", setitem)  # noqa: B010
